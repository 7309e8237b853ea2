internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// A cache of recently fetched texts of notes, so that moving in the list does not fetch them again.
///
/// Limited by bytes; the least recently used are removed first.
@MainActor final class NoteTexts {
    private struct Key: Hashable {
        var path: RemotePath
        var revision: Revision
    }

    private struct Entry {
        /// With the hash of these bytes: some servers give two texts of one second the same revision.
        var file: RemoteFile
        var text: TextBuffer
        var lastUse: Int
    }

    private let club: Club
    private let capacityInBytes: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0

    init(club: Club, capacityInBytes: Int = 4 << 20) {
        self.club = club
        self.capacityInBytes = capacityInBytes
    }

    /// A cached text.
    func cachedText(of file: RemoteFile) -> TextBuffer? {
        let key = Key(path: file.path, revision: file.revision)
        uses += 1
        entries[key]?.lastUse = uses
        return entries[key]?.text
    }

    /// A cached text, with the hash of its bytes, for editing.
    func cached(_ file: RemoteFile) -> (file: RemoteFile, text: TextBuffer)? {
        guard let text = cachedText(of: file),
            let entry = entries[Key(path: file.path, revision: file.revision)]
        else { return nil }
        return (entry.file, text)
    }

    /// A note's current text in the club, with its revision.
    func text(of file: RemoteFile) async throws(StoreError) -> (file: RemoteFile, text: TextBuffer)
    {
        if let cached = cached(file) { return cached }
        if let (seen, text) = await seenText(of: file) {
            keep(text, of: seen)
            return (seen, text)
        }
        let (current, data, text) = try await club.perform { store throws(StoreError) in
            try await Self.fetch(file.path, from: store)
        }
        keep(text, of: current)
        club.local?.note { try $0.keep([(current, data)]) }
        return (current, text)
    }

    /// A note's text from the local copy, without a request.
    func textHere(of file: RemoteFile) async -> TextBuffer? {
        if let cached = cached(file) { return cached.text }
        return await seenText(of: file)?.text
    }

    /// A text from the local copy or the outbox.
    private func seenText(of file: RemoteFile) async -> (file: RemoteFile, text: TextBuffer)? {
        await club.local?.run { copy in
            try copy.text(of: file).map { ($0.file, TextBuffer(utf8: $0.data)) }
        } ?? nil
    }

    func keep(_ text: TextBuffer, of file: RemoteFile) {
        guard text.count <= capacityInBytes else { return }
        uses += 1
        entries[Key(path: file.path, revision: file.revision)] = Entry(
            file: file, text: text, lastUse: uses)
        var total = entries.values.reduce(0) { $0 + $1.text.count }
        for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard total > capacityInBytes else { break }
            total -= entry.text.count
            entries[key] = nil
        }
    }

    /// Removes a text that is known to have changed.
    func forget(_ path: RemotePath) {
        for key in entries.keys where key.path == path { entries[key] = nil }
    }

    /// The rope is built where the bytes arrive, off the main actor.
    @concurrent private nonisolated static func fetch(
        _ path: RemotePath, from store: any RemoteStore
    ) async throws(StoreError) -> (RemoteFile, Data, TextBuffer) {
        let (file, data) = try await store.fetch(path)
        return (file, data, TextBuffer(utf8: data))
    }
}
