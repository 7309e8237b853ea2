internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Keeps a text on disk while it is typed.
///
/// A draft reaches the disk soon after each change and is removed only when the text is safe elsewhere or the person has
/// given it up.
@MainActor final class DraftWriter {
    /// Which note the text belongs to.
    struct Note {
        /// As typed, while the note is new.
        var name = ""
        /// What the text was opened from; nil while the note is new.
        var file: RemoteFile?
        /// Where a new note goes.
        var folder = RemotePath.root
    }

    var note: Note
    /// Where the caret is in the text as it is shown.
    var caret: (() -> Int?)?
    /// Told when a draft could not be written, with a sentence, and again after each attempt that has failed.
    var onFailure: ((String) -> Void)?
    /// Told when one is written again.
    var onRecovery: (() -> Void)?

    private let store: DraftStore
    /// A new one after each save: a draft that was given up takes no more writes.
    private var id: UUID
    private var sequence = 0
    private var delay: Task<Void, Never>?

    /// How long the latest draft took to write.
    private var cost = Duration.zero
    /// So many drafts in a row could not be written.
    private var failureCount = 0

    /// A draft follows the last key after this long; while keys keep coming, at least this often.
    private static let pause: Duration = .milliseconds(400)
    /// A draft is not written for more than a fifth of the time: one of 100 MB takes a second.
    private static let costFactor = 4
    private static let longestPause: Duration = .seconds(10)
    /// While drafts cannot be written, another attempt follows after the first of these, and then the next.
    private let retryPauses: [Duration]
    nonisolated static let retryPauses: [Duration] = [1, 2, 4, 7, 10].map { .seconds($0) }

    /// - Parameter id: Of the draft that is taken up again.
    init(
        _ note: Note, in store: DraftStore, id: UUID = UUID(),
        retryPauses: [Duration] = retryPauses
    ) {
        self.note = note
        self.store = store
        self.id = id
        self.retryPauses = retryPauses
    }

    /// Has the text written to disk soon; many calls in a row lead to few writes.
    ///
    /// - Parameter text: Asked for the text as it is when the write is due.
    func textDidChange(_ text: @escaping @MainActor () -> TextBuffer?) {
        guard delay == nil else { return }
        let pause = currentPause
        delay = Task {
            try? await Pause.sleep(for: pause)
            if !Task.isCancelled { delay = nil }
            guard !Task.isCancelled, let now = text() else { return }
            let draft = nextDraft()
            let (sequence, store) = (sequence, store)
            let start = ContinuousClock.now
            let failure = await Self.write(draft, now, sequence, to: store)
            cost = .now - start
            // What was saved or given up meanwhile needs no draft any more.
            guard draft.id == id else { return }
            tell(failure)
            // Nobody may press another key.
            if failure != nil { textDidChange(text) }
        }
    }

    private func tell(_ failure: String?) {
        if let failure {
            failureCount += 1
            onFailure?(failure)
        } else if failureCount > 0 {
            failureCount = 0
            onRecovery?()
        }
    }

    private var currentPause: Duration {
        guard failureCount == 0 else {
            return retryPauses[min(failureCount, retryPauses.count) - 1]
        }
        return max(Self.pause, min(cost * Self.costFactor, Self.longestPause))
    }

    /// Keeps the text as a draft that waits until the note is opened again, and lets go of it.
    ///
    /// - Returns: Why it could not be written, as a sentence; the draft is as before then.
    func setAside(_ text: TextBuffer) async -> String? {
        delay?.cancel()
        delay = nil
        var draft = nextDraft()
        draft.isSetAside = true
        if let failure = await Self.write(draft, text, sequence, to: store) { return failure }
        await Self.release(draft.id, in: store)
        (id, sequence) = (UUID(), 0)
        return nil
    }

    @concurrent private nonisolated static func release(_ id: UUID, in store: DraftStore) async {
        store.release(id)
    }

    /// Puts the text into a file for another program.
    ///
    /// - Parameter name: The file's name.
    func handOver(_ text: TextBuffer, named name: String) async throws -> HandedOverDraft {
        try await Self.handOver(nextDraft(), text, named: name, to: store)
    }

    @concurrent private nonisolated static func handOver(
        _ draft: Draft, _ text: TextBuffer, named name: String, to store: DraftStore
    ) async throws -> HandedOverDraft {
        var draft = draft
        draft.text = Data(text.bytes(in: 0..<text.count))
        return try store.handOver(draft, named: name)
    }

    /// Writes the draft before returning: the program is about to end.
    func keepNow(_ text: TextBuffer) {
        delay?.cancel()
        delay = nil
        var draft = nextDraft()
        draft.text = Data(text.bytes(in: 0..<text.count))
        do {
            try store.save(draft, sequence: sequence)
        } catch {
            onFailure?("\(error)")
        }
    }

    /// Removes the draft: its text is safe elsewhere or no longer wanted.
    ///
    /// - Returns: The removal under way; it need not be waited for, except when the program ends
    ///   (``DraftStore/removeAbandoned()``).
    @discardableResult
    func discard() -> Task<Void, Never> {
        delay?.cancel()
        delay = nil
        store.abandon(id)
        (id, sequence) = (UUID(), 0)
        failureCount = 0
        // It waits for a write under way, which may wait for the disk.
        return Task { [store] in await Self.removeAbandoned(from: store) }
    }

    @concurrent private nonisolated static func removeAbandoned(from store: DraftStore) async {
        store.removeAbandoned()
    }

    private func nextDraft() -> Draft {
        sequence += 1
        let isInFolder = note.file == nil && !note.folder.isRoot
        return Draft(
            id: id, name: note.name, path: note.file?.path.string,
            folder: isInFolder ? note.folder.string : nil,
            baseRevision: note.file?.revision.rawValue, baseContentHash: note.file?.contentHash,
            caret: caret?(), savedAt: Date(), text: Data())
    }

    @concurrent private nonisolated static func write(
        _ draft: Draft, _ text: TextBuffer, _ sequence: Int, to store: DraftStore
    ) async -> String? {
        var draft = draft
        draft.text = Data(text.bytes(in: 0..<text.count))
        do {
            try store.save(draft, sequence: sequence)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
