internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials

/// A line of a note that was found.
struct NoteHit: Hashable, Sendable {
    var file: RemoteFile
    /// From 1.
    var line: Int
    var text: String
}

/// Finds lines in the texts of all notes of a club.
///
/// Texts are fetched when they are first looked at and kept while the searcher lives, so that the next key
/// asks nobody.
@MainActor final class NoteSearcher {
    private struct Kept: Sendable {
        var revision: Revision
        var text: String
    }

    private let club: Club
    private var kept: [RemotePath: Kept] = [:]

    /// More than a person reads through.
    static let hitLimit = 200
    /// A note above it is opened and searched there.
    nonisolated static let byteLimit: Int64 = 1 << 20

    init(_ club: Club) {
        self.club = club
    }

    /// Tells what it finds as it goes on; returns when all notes were looked at or the task was cancelled.
    ///
    /// - Parameter found: Called with all that was found so far, and with how many notes of how many were
    ///   looked at.
    /// - Throws: What kept it from fetching a text. What was found until then has been told.
    func search(
        _ query: String, found: @MainActor ([NoteHit], _ searched: Int, _ count: Int) -> Void
    ) async throws(StoreError) {
        let search = LineSearch(query)
        let files = await Self.searchable(club.contents)
        var hits: [NoteHit] = []
        for (index, file) in files.enumerated() {
            if Task.isCancelled || hits.count >= Self.hitLimit { return }
            guard let text = try await text(of: file) else { continue }
            let lines = await Self.lines(search, in: text)
            if Task.isCancelled { return }
            hits += lines.prefix(Self.hitLimit - hits.count).map {
                NoteHit(file: file, line: $0.number, text: $0.text)
            }
            if !lines.isEmpty || index % 20 == 0 { found(hits, index + 1, files.count) }
        }
        found(hits, files.count, files.count)
    }

    /// Nil for what is gone by now.
    private func text(of file: RemoteFile) async throws(StoreError) -> String? {
        if let kept = kept[file.path], kept.revision == file.revision { return kept.text }
        do throws(StoreError) {
            let text = try await club.perform { store throws(StoreError) in
                try await Self.fetch(file.path, from: store)
            }
            kept[file.path] = Kept(revision: file.revision, text: text)
            return text
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    @concurrent private nonisolated static func searchable(
        _ contents: ClubContents
    ) async -> [RemoteFile] {
        contents.allFiles
            .filter { contents.kind(of: $0) == .notes && $0.byteCount <= byteLimit }
            .sorted { $0.path < $1.path }
    }

    @concurrent private nonisolated static func fetch(
        _ path: RemotePath, from store: any RemoteStore
    ) async throws(StoreError) -> String {
        String(decoding: try await store.fetch(path).data, as: UTF8.self)
    }

    @concurrent private nonisolated static func lines(
        _ search: LineSearch, in text: String
    ) async -> [LineSearch.Line] {
        search.lines(in: text)
    }
}
