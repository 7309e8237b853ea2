internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// A matching line of a note.
struct NoteHit: Hashable, Sendable {
    var file: RemoteFile
    /// One-based.
    var line: Int
    var text: String

    /// The line in a UTF-8 draft of the note: the nearest one with this text; nil if there is none.
    @concurrent func line(in draft: Data) async -> Int? {
        // The ends of a long line are cut.
        let part = text.drop { $0 == "…" }.reversed().drop { $0 == "…" }.reversed()
        let words = Array(String(part).utf8)
        return draft.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated().filter { $0.element.firstRange(of: words) != nil }
            .map { $0.offset + 1 }
            .min { abs($0 - line) < abs($1 - line) }
    }
}

/// The progress of a search.
struct NoteSearchProgress: Sendable {
    /// Recently seen notes come first.
    var hits: [NoteHit] = []
    /// The number of notes still to be fetched; nil when the search is complete.
    var remainingCount: Int?
    /// The number of notes that could not be searched: the club is unreachable or refuses them.
    var skippedCount = 0
    /// The number of large notes that were not searched because nobody asked for it.
    var largeCount = 0

    /// More than anyone reads.
    static let hitLimit = 200

    var isFull: Bool { hits.count >= Self.hitLimit }

    /// Adds matches. A text that arrives during the search may be found both in the index and by fetching:
    /// its lines count once.
    mutating func add(_ found: [NoteHit]) {
        let known = Set(hits)
        hits += found.filter { !known.contains($0) }.prefix(Self.hitLimit - hits.count)
    }
}

/// Searches the texts of all notes of a club: first the local copy, by its word index, then the rest, which
/// is fetched and stored.
@MainActor final class NoteSearcher {
    private let club: Club
    private let texts: NoteTexts

    init(_ club: Club, texts: NoteTexts) {
        self.club = club
        self.texts = texts
    }

    /// Reports matches as they are found; returns when all notes were searched, the limit was reached, or the
    /// task was cancelled.
    ///
    /// - Parameter includesLarge: Whether large notes are searched, too, which may have to be fetched.
    /// - Throws: The error that prevents all requests. Matches found before were reported.
    func search(
        _ query: String, includesLarge: Bool = false, found: @MainActor (NoteSearchProgress) -> Void
    ) async throws(StoreError) {
        let search = LineSearch(query)
        var progress = NoteSearchProgress()
        let take = { (hits: [NoteHit]) in
            progress.add(hits)
            return !progress.isFull
        }
        let latest = await club.local?.read { try $0.latestPosition() } ?? nil
        await searchHere(search, query, after: nil, take)
        guard !Task.isCancelled else { return }
        found(progress)
        var missing = progress.isFull ? [] : await withoutIndex(Self.searchable(club.contents))
        let large = await withoutIndex(Self.large(club.contents))
        if includesLarge, !progress.isFull {
            missing += large
        } else {
            progress.largeCount = large.count
        }
        // Texts that arrived while the index was read.
        await searchHere(search, query, after: latest, take)
        guard !Task.isCancelled else { return }
        if !missing.isEmpty {
            progress.remainingCount = missing.count
            found(progress)
            try await searchRest(missing, search, &progress, found)
            progress.remainingCount = nil
        }
        if !Task.isCancelled { found(progress) }
    }

    /// - Parameter take: Called with the matches of some texts; returns whether to continue.
    private func searchHere(
        _ search: LineSearch, _ query: String, after first: Int64?, _ take: ([NoteHit]) -> Bool
    ) async {
        guard let local = club.local else { return }
        let words = query.split(whereSeparator: \.isWhitespace).map(String.init)
        var position: Int64?
        while !Task.isCancelled {
            let (before, contents) = (position, club.contents)
            let page = await local.read { copy in
                let candidates = try copy.candidates(
                    for: words, before: before, after: first ?? -1)
                return (
                    hits: candidates.flatMap { Self.hits(search, in: $0, contents) },
                    last: candidates.last?.position
                )
            }
            guard let page, let last = page.last, !Task.isCancelled, take(page.hits) else { return }
            position = last
        }
    }

    /// The notes whose current revision is not indexed.
    private func withoutIndex(_ files: [RemoteFile]) async -> [RemoteFile] {
        guard let local = club.local else { return files }
        return await local.read { try $0.filesWithoutIndex(among: files) } ?? files
    }

    private func searchRest(
        _ missing: [RemoteFile], _ search: LineSearch, _ progress: inout NoteSearchProgress,
        _ found: @MainActor (NoteSearchProgress) -> Void
    ) async throws(StoreError) {
        for (index, file) in missing.enumerated() {
            if Task.isCancelled || progress.isFull { return }
            let text: TextBuffer
            do throws(StoreError) {
                if club.isOffline {
                    guard let seen = await texts.textHere(of: file) else {
                        progress.skippedCount += 1
                        continue
                    }
                    text = seen
                } else {
                    text = try await texts.text(of: file).text
                }
            } catch {
                guard !error.isConnectionFailure else { throw error }
                if error.code != .notFound { progress.skippedCount += 1 }
                continue
            }
            let hits = await Self.hits(search, in: text, of: file)
            progress.add(hits)
            progress.remainingCount = missing.count - index - 1
            if !hits.isEmpty || index % 20 == 0 { found(progress) }
        }
    }

    private nonisolated static func hits(
        _ search: LineSearch, in candidate: SearchCandidate, _ contents: ClubContents
    ) -> [NoteHit] {
        // It may be of an older revision.
        guard let file = contents[candidate.path], file.revision == candidate.revision,
            ClubContents.kind(of: file) == .notes
        else { return [] }
        return search.lines(in: candidate.data)
            .map { NoteHit(file: file, line: $0.number, text: $0.text) }
    }

    @concurrent private nonisolated static func hits(
        _ search: LineSearch, in text: TextBuffer, of file: RemoteFile
    ) async -> [NoteHit] {
        search.lines(in: text.data).map { NoteHit(file: file, line: $0.number, text: $0.text) }
    }

    @concurrent private nonisolated static func searchable(
        _ contents: ClubContents
    ) async -> [RemoteFile] {
        contents.searchableNotes
    }

    @concurrent private nonisolated static func large(
        _ contents: ClubContents
    ) async -> [RemoteFile] {
        contents.largeNotes
    }
}
