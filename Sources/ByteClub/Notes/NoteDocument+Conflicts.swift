internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Conflicts with another member's change.
extension NoteDocument {
    /// Both texts in one, if they do not conflict.
    struct Merge: Sendable {
        /// The club's version.
        var file: RemoteFile
        /// The text that was merged with it.
        var mine: TextBuffer
        var theirs: TextBuffer
        var merged: TextBuffer
        /// The merged lines, zero-based.
        var incoming: [Range<Int>]
        var removedLineCount: Int
    }

    /// The relation of the club's version to the text being saved.
    enum Conflict: Sendable {
        /// The changes do not overlap.
        case mergeable(Merge)
        /// Both have changed the same lines, or the base is unknown.
        case contradictory(RemoteFile)
        /// The note was deleted from the club.
        case gone
        /// The club could not be asked.
        case unknown

        /// The club's version, if it is known.
        var file: RemoteFile? {
            switch self {
            case .mergeable(let merge): merge.file
            case .contradictory(let file): file
            case .gone, .unknown: nil
            }
        }
    }

    /// Merges the typed text with the club's version line by line.
    func conflict(with text: TextBuffer) async -> Conflict {
        guard let file else { return .unknown }
        let other: (file: RemoteFile, data: Data)
        do throws(StoreError) {
            other = try await otherVersion()
        } catch {
            return error.code == .notFound ? .gone : .unknown
        }
        let (own, path) = (await Club.data(of: text), file.path)
        _ = await club.local?.run { try $0.keepOwn(own, at: path) }
        guard let base = await baseText(of: file),
            let merge = await Self.merge(text, base: base, other)
        else { return .contradictory(other.file) }
        return .mergeable(merge)
    }

    /// The club's version; also stored among the versions, since it may be replaced.
    private func otherVersion() async throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard let path = file?.path else { throw StoreError(.notFound, during: .fetch) }
        let other = try await club.perform { store throws(StoreError) in
            try await store.fetch(path)
        }
        // Without a copy it can still be looked at; it is not replaced then.
        _ = await club.keepCopy(of: other)
        return other
    }

    /// Only what can be had again is replaced: the question has said that nothing is lost.
    func requireCopy(of other: RemoteFile) async throws(SaveFailure) {
        do throws(StoreError) {
            guard try await club.copyPlace(of: other) == .nowhere else { return }
        } catch {
            throw error.isConflict ? .changedMeanwhile : .store(error)
        }
        throw .replacedIsNotKept
    }

    /// The base of the text; for a resumed draft, the version this computer had then.
    func baseText(of file: RemoteFile) async -> TextBuffer? {
        if let savedText { return savedText }
        return await club.local?.run { copy in
            try copy.baseText(
                at: file.path, revision: file.revision, hash: file.contentHash
            ).map { TextBuffer(utf8: $0) }
        } ?? nil
    }

    @concurrent private nonisolated static func merge(
        _ text: TextBuffer, base: TextBuffer, _ other: (file: RemoteFile, data: Data)
    ) async -> Merge? {
        guard let merge = LineMerge(base: base.data, own: text.data, other: other.data) else {
            return nil
        }
        return Merge(
            file: other.file, mine: text, theirs: TextBuffer(utf8: other.data),
            merged: TextBuffer(utf8: merge.text), incoming: merge.incoming,
            removedLineCount: merge.removedLineCount)
    }

    /// A text compared with the club's version; see ``NoteComparison``.
    struct Comparison: Sendable {
        /// The club's version.
        var file: RemoteFile
        /// The text that was compared with it.
        var mine: TextBuffer
        var theirs: TextBuffer
        /// The differences for display.
        var differences: TextPage
        /// Both texts for editing; nil if one of them is not UTF-8.
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
            file: other.file, mine: text, theirs: theirs,
            differences: comparison.page,
            both: text.isValidUTF8 && theirs.isValidUTF8
                ? TextBuffer(utf8: Data(comparison.both.utf8)) : nil)
    }
}
