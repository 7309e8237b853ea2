internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// What to do where somebody else has changed the note meanwhile.
extension NoteDocument {
    /// Both texts in one, where they do not contradict each other.
    struct Merge: Sendable {
        /// What the club has now.
        var file: RemoteFile
        var theirs: TextBuffer
        var merged: TextBuffer
        /// The lines that came in, from 0.
        var incoming: [Range<Int>]
        var removedLineCount: Int
    }

    /// What the club has in place of what the note was opened from.
    enum Conflict: Sendable {
        /// Both fit together.
        case mergeable(Merge)
        /// Both have changed the same lines, or what both began with is not known.
        case contradictory(RemoteFile)
        /// It is not in the club any more.
        case gone
        /// The club could not be asked.
        case unknown
    }

    /// Puts what was typed and what the club has now together, line by line.
    func conflict(with text: TextBuffer) async -> Conflict {
        guard let file else { return .unknown }
        let other: (file: RemoteFile, data: Data)
        do throws(StoreError) {
            other = try await otherVersion()
        } catch {
            return error.code == .notFound ? .gone : .unknown
        }
        let (own, path) = (Data(text.bytes(in: 0..<text.count)), file.path)
        _ = await club.local?.run { try $0.keepOwn(own, at: path) }
        guard let base = await baseText(of: file),
            let merge = await Self.merge(own, base: base, other)
        else { return .contradictory(other.file) }
        return .mergeable(merge)
    }

    /// What is in the club now; kept among the versions, since it may be replaced.
    private func otherVersion() async throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard let path = file?.path else { throw StoreError(.notFound, during: .fetch) }
        let other = try await club.perform { store throws(StoreError) in
            try await store.fetch(path)
        }
        _ = await club.local?.run { try $0.keep([other]) }
        return other
    }

    /// What the text was made of; for a draft that was taken up, what this machine has seen then.
    func baseText(of file: RemoteFile) async -> TextBuffer? {
        if let savedText { return savedText }
        return await club.local?.run { copy in
            try copy.baseText(
                at: file.path, revision: file.revision, hash: file.contentHash
            ).map { TextBuffer(utf8: $0) }
        } ?? nil
    }

    @concurrent private nonisolated static func merge(
        _ own: Data, base: TextBuffer, _ other: (file: RemoteFile, data: Data)
    ) async -> Merge? {
        let base = Data(base.bytes(in: 0..<base.count))
        guard let merge = LineMerge(base: base, own: own, other: other.data) else { return nil }
        return Merge(
            file: other.file, theirs: TextBuffer(utf8: other.data),
            merged: TextBuffer(utf8: merge.text), incoming: merge.incoming,
            removedLineCount: merge.removedLineCount)
    }

    /// A text beside what is in the club now; see ``NoteComparison``.
    struct Comparison: Sendable {
        /// What the club has.
        var file: RemoteFile
        var theirs: TextBuffer
        /// To be read.
        var differences: TextBuffer
        /// To be edited; nil where the club's is not text in UTF-8.
        var both: TextBuffer?
    }

    func comparison(with text: TextBuffer) async throws(StoreError) -> Comparison {
        await Self.compare(text, with: try await otherVersion())
    }

    @concurrent private nonisolated static func compare(
        _ text: TextBuffer, with other: (file: RemoteFile, data: Data)
    ) async -> Comparison {
        let mine = String(decoding: text.bytes(in: 0..<text.count), as: UTF8.self)
        let comparison = NoteComparison(
            mine: mine, theirs: String(decoding: other.data, as: UTF8.self))
        let theirs = TextBuffer(utf8: other.data)
        return Comparison(
            file: other.file, theirs: theirs,
            differences: TextBuffer(utf8: Data(comparison.text.utf8)),
            both: theirs.isValidUTF8 ? TextBuffer(utf8: Data(comparison.both.utf8)) : nil)
    }
}
