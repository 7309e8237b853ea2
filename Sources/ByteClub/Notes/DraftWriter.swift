internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Saves a text to disk while it is being typed.
///
/// A draft is written soon after each change, and removed only when the text was saved elsewhere or
/// discarded.
@MainActor final class DraftWriter {
    /// The note that the text belongs to.
    struct Note {
        /// The typed name of a new note.
        var name = ""
        /// The file the text was opened from; nil for a new note.
        var file: RemoteFile?
        /// The folder of a new note.
        var folder = RemotePath.root
    }

    var note: Note
    /// The offset of the caret in the displayed text.
    var caret: (() -> Int?)?
    /// Called with a message when a draft could not be written, and again after each failed attempt.
    var onFailure: ((String) -> Void)?
    /// Called when writing succeeds again.
    var onRecovery: (() -> Void)?

    private let store: DraftStore
    /// Changes after each save: a discarded draft is never written again.
    private var id: UUID
    private var sequence = 0
    private var delay: Task<Void, Never>?
    /// Whether a scheduled write is under way, and the text has changed since it began.
    private var isWriting = false
    private var hasChanged = false

    /// How long writing the last draft took, and when it began.
    private var cost = Duration.zero
    private var lastWrite: ContinuousClock.Instant?
    /// Consecutive failures.
    private var failureCount = 0

    /// A draft is written at most this long after a key, and this often during continuous typing.
    private static let pause: Duration = .milliseconds(250)
    /// The first key after a rest is written as soon as the screen has shown it.
    private static let firstPause: Duration = .milliseconds(30)
    /// Writing takes at most a fifth of the time: a draft of 100 MB takes a second.
    private static let costFactor = 4
    private static let longestPause: Duration = .seconds(10)
    /// The pauses between attempts after a failure.
    private let retryPauses: [Duration]
    nonisolated static let retryPauses: [Duration] = [1, 2, 4, 7, 10].map { .seconds($0) }

    /// - Parameter id: The identifier of a resumed draft; nil for a new one.
    init(
        _ note: Note, in store: DraftStore, resuming id: UUID? = nil,
        retryPauses: [Duration] = retryPauses
    ) {
        self.note = note
        self.store = store
        self.id = id ?? UUID()
        sequence = id.map(store.lastSequence) ?? 0
        self.retryPauses = retryPauses
    }

    /// Whether the last write has failed.
    var isFailing: Bool { failureCount > 0 }

    /// Schedules a write; many calls in a row cause few writes.
    ///
    /// - Parameter text: Returns the text when the write is due.
    func textDidChange(_ text: @escaping @MainActor () -> TextBuffer?) {
        // One at a time: each has a copy of the text, and they would wait for each other.
        guard !isWriting else {
            hasChanged = true
            return
        }
        guard delay == nil else { return }
        let pause = currentPause
        delay = Task {
            try? await Pause.sleep(for: pause)
            if !Task.isCancelled { delay = nil }
            guard !Task.isCancelled, let now = text() else { return }
            let draft = nextDraft()
            let (sequence, store) = (sequence, store)
            let start = ContinuousClock.now
            (isWriting, hasChanged) = (true, false)
            let failure = await Self.write(draft, now, sequence, to: store)
            isWriting = false
            (cost, lastWrite) = (.now - start, start)
            // If the text was saved or discarded meanwhile, this draft is not needed.
            if draft.id == id { report(failure) }
            // There may be no further key to trigger it.
            if hasChanged || failure != nil && draft.id == id { textDidChange(text) }
        }
    }

    /// What is written now is the last for the time being.
    private func unschedule() {
        delay?.cancel()
        delay = nil
        hasChanged = false
    }

    private func report(_ failure: String?) {
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
        guard let lastWrite else { return Self.firstPause }
        let pause = max(Self.pause, min(cost * Self.costFactor, Self.longestPause))
        return max(Self.firstPause, pause - lastWrite.duration(to: .now) + cost)
    }

    /// Writes the text as a draft at once; the scheduled writes go on.
    ///
    /// - Returns: Why it could not be written, as a sentence.
    func keep(_ text: TextBuffer) async -> String? {
        await Self.write(nextDraft(), text, sequence, to: store)
    }

    /// Saves the text as a draft that waits until the note is opened again.
    ///
    /// - Returns: Why it could not be written, as a sentence; the draft is then unchanged.
    func writeAsSetAside(_ text: TextBuffer) async -> String? {
        unschedule()
        var draft = nextDraft()
        draft.isSetAside = true
        return await Self.write(draft, text, sequence, to: store)
    }

    /// Writes no more to the draft, which stays as it is on the disk.
    ///
    /// - Returns: Its identifier; it is claimed until it is released.
    func leave() -> Draft.ID {
        unschedule()
        defer { (id, sequence) = (UUID(), 0) }
        return id
    }

    /// Writes the text to a file for another program.
    ///
    /// - Parameter name: The file's name.
    func handOver(_ text: TextBuffer, named name: String) async throws -> HandedOverDraft {
        try await Self.handOver(nextDraft(), text, named: name, to: store)
    }

    @concurrent private nonisolated static func handOver(
        _ draft: Draft, _ text: TextBuffer, named name: String, to store: DraftStore
    ) async throws -> HandedOverDraft {
        var draft = draft
        draft.text = text.data
        return try store.handOver(draft, named: name)
    }

    /// Writes the draft before returning: the program is about to end.
    func keepNow(_ text: TextBuffer) {
        unschedule()
        var draft = nextDraft()
        draft.text = text.data
        do {
            try store.save(draft, sequence: sequence)
        } catch {
            onFailure?("\(error)")
        }
    }

    /// Removes the draft: its text was saved elsewhere or discarded.
    ///
    /// - Returns: The removal. Only a program that ends must wait for it (``DraftStore/removeAbandoned()``).
    @discardableResult
    func discard() -> Task<Void, Never> {
        unschedule()
        store.abandon(id)
        (id, sequence) = (UUID(), 0)
        failureCount = 0
        // Waits for a pending write, which may wait for the disk.
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
        draft.text = text.data
        do {
            try store.save(draft, sequence: sequence)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
