internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// One note being written: where it came from, what is safe already, and how it is saved.
///
/// A draft reaches the disk soon after each change and is removed only when the store has confirmed
/// the same text or the person has given it up. No views here.
@MainActor final class NoteDocument {
    /// The note in the club; nil while it is new.
    private(set) var file: RemoteFile?
    /// What a new note is to be called, as typed.
    var name: String
    /// The text that the store is known to have; nil while the note is new.
    private(set) var savedText: TextBuffer?
    /// Where the caret is in the text as it is shown.
    var caret: (() -> Int?)?
    /// Told when a draft could not be written, with a sentence, and again after each attempt that has failed.
    var onDraftFailure: ((String) -> Void)?
    /// Told when one is written again.
    var onDraftRecovery: (() -> Void)?

    /// Whether a save is under way.
    private(set) var isSaving = false

    let club: Club
    /// Where a new note goes.
    private var folder = RemotePath.root
    private let drafts: DraftStore
    /// A new one after each save: a draft that was given up takes no more writes.
    private var draftID: UUID
    private var draftSequence = 0
    private var draftDelay: Task<Void, Never>?

    /// How long the latest draft took to write.
    private var draftCost = Duration.zero
    /// So many drafts in a row could not be written.
    private var draftFailureCount = 0

    /// A draft follows the last key after this long; while keys keep coming, at least this often.
    private static let draftPause: Duration = .milliseconds(400)
    /// A draft is not written for more than a fifth of the time: one of 100 MB takes a second.
    private static let draftCostFactor = 4
    private static let longestDraftPause: Duration = .seconds(10)
    /// While drafts cannot be written, another attempt follows after the first of these, and then the next.
    private let retryPauses: [Duration]
    nonisolated static let retryPauses: [Duration] = [1, 2, 4, 7, 10].map { .seconds($0) }

    /// A new note in a folder of the club's.
    init(
        club: Club, drafts: DraftStore, folder: RemotePath = .root,
        retryPauses: [Duration] = retryPauses
    ) {
        self.club = club
        self.retryPauses = retryPauses
        self.folder = folder
        self.drafts = drafts
        name = ""
        draftID = UUID()
    }

    /// A note fetched from the club.
    init(club: Club, drafts: DraftStore, file: RemoteFile, text: TextBuffer) {
        self.club = club
        self.drafts = drafts
        retryPauses = Self.retryPauses
        self.file = file
        name = file.name
        savedText = text
        draftID = UUID()
    }

    /// A draft taken up again. Nothing is known to be safe but the draft itself.
    ///
    /// - Returns: Nil when another running app has taken it up.
    init?(club: Club, drafts: DraftStore, resuming draft: Draft) {
        guard drafts.claim(draft.id) == .claimed else { return nil }
        retryPauses = Self.retryPauses
        self.club = club
        self.drafts = drafts
        name = draft.name
        draftID = draft.id
        if let path = draft.path.flatMap({ try? RemotePath(validating: $0) }),
            let revision = draft.baseRevision
        {
            file = RemoteFile(
                path: path, revision: Revision(rawValue: revision), byteCount: 0,
                modified: draft.savedAt, contentHash: draft.baseContentHash)
        } else if let path = draft.folder.flatMap({ try? RemotePath(validating: $0) }) {
            folder = path
        }
    }

    var isNew: Bool { file == nil }
}

// MARK: - Drafts

extension NoteDocument {
    /// Has the text written to disk soon; many calls in a row lead to few writes.
    ///
    /// - Parameter text: Asked for the text as it is when the write is due.
    func textDidChange(_ text: @escaping @MainActor () -> TextBuffer?) {
        guard draftDelay == nil else { return }
        let pause = draftPause
        draftDelay = Task {
            try? await Pause.sleep(for: pause)
            if !Task.isCancelled { draftDelay = nil }
            guard !Task.isCancelled, let now = text() else { return }
            let draft = nextDraft()
            let (sequence, store) = (draftSequence, drafts)
            let start = ContinuousClock.now
            let failure = await Self.write(draft, now, sequence, to: store)
            draftCost = .now - start
            // What was saved or given up meanwhile needs no draft any more.
            guard draft.id == draftID else { return }
            tell(failure)
            // Nobody may press another key.
            if failure != nil { textDidChange(text) }
        }
    }

    private func tell(_ failure: String?) {
        if let failure {
            draftFailureCount += 1
            onDraftFailure?(failure)
        } else if draftFailureCount > 0 {
            draftFailureCount = 0
            onDraftRecovery?()
        }
    }

    private var draftPause: Duration {
        guard draftFailureCount == 0 else {
            return retryPauses[min(draftFailureCount, retryPauses.count) - 1]
        }
        return max(Self.draftPause, min(draftCost * Self.draftCostFactor, Self.longestDraftPause))
    }

    /// Keeps the text as a draft that waits until the note is opened again, and lets go of it.
    ///
    /// - Returns: Why it could not be written, as a sentence; the draft is as before then.
    func setAside(_ text: TextBuffer) async -> String? {
        draftDelay?.cancel()
        draftDelay = nil
        var draft = nextDraft()
        draft.isSetAside = true
        if let failure = await Self.write(draft, text, draftSequence, to: drafts) { return failure }
        await Self.release(draft.id, in: drafts)
        (draftID, draftSequence) = (UUID(), 0)
        return nil
    }

    @concurrent private nonisolated static func release(_ id: UUID, in store: DraftStore) async {
        store.release(id)
    }

    /// Puts the text into a file for another program.
    ///
    /// - Parameter name: The file's name.
    func handOver(_ text: TextBuffer, named name: String) async throws -> HandedOverDraft {
        try await Self.handOver(nextDraft(), text, named: name, to: drafts)
    }

    @concurrent private nonisolated static func handOver(
        _ draft: Draft, _ text: TextBuffer, named name: String, to store: DraftStore
    ) async throws -> HandedOverDraft {
        var draft = draft
        draft.text = Data(text.bytes(in: 0..<text.count))
        return try store.handOver(draft, named: name)
    }

    /// Writes the draft before returning: the program is about to end.
    func keepDraftNow(_ text: TextBuffer) {
        draftDelay?.cancel()
        draftDelay = nil
        var draft = nextDraft()
        draft.text = Data(text.bytes(in: 0..<text.count))
        do {
            try drafts.save(draft, sequence: draftSequence)
        } catch {
            onDraftFailure?("\(error)")
        }
    }

    /// Removes the draft: its text is safe elsewhere or no longer wanted.
    ///
    /// - Returns: The removal under way; it need not be waited for, except when the program ends
    ///   (``DraftStore/removeAbandoned()``).
    @discardableResult
    func discardDraft() -> Task<Void, Never> {
        draftDelay?.cancel()
        draftDelay = nil
        let (store, id) = (drafts, draftID)
        (draftID, draftSequence) = (UUID(), 0)
        draftFailureCount = 0
        store.abandon(id)
        // It waits for a write under way, which may wait for the disk.
        return Task { await Self.removeAbandoned(from: store) }
    }

    @concurrent private nonisolated static func removeAbandoned(from store: DraftStore) async {
        store.removeAbandoned()
    }

    private func nextDraft() -> Draft {
        draftSequence += 1
        return Draft(
            id: draftID, name: name, path: file?.path.string,
            folder: file == nil && !folder.isRoot ? folder.string : nil,
            baseRevision: file?.revision.rawValue, baseContentHash: file?.contentHash,
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

// MARK: - Saving

extension NoteDocument {
    /// Why a note was not saved. The text is untouched in every case.
    enum SaveFailure: Error {
        case badName(NoteName.Refusal)
        /// Another note has the name already.
        case nameTaken(fileName: String)
        /// Someone changed the note since it was opened.
        case changedMeanwhile
        /// More than can be opened again.
        case tooLarge
        case store(StoreError)
    }

    /// What a save may replace.
    enum SaveMode {
        /// Only what the note was opened from; a new note replaces nothing.
        case careful
        /// This state of it, which the person was asked about, and no later one.
        case replacing(RemoteFile)
        /// As a new note under its name, which somebody has deleted.
        case restoring
    }

    /// What the store's `fetch` takes into memory: a larger note could not be opened again.
    nonisolated static let byteLimit = Int(RemoteFile.fetchLimit)

    /// Sends the text to the club; returns when the store has confirmed it, or when it waits on the disk
    /// because the club cannot be reached: see ``isWaiting``.
    func save(_ text: TextBuffer, mode: SaveMode = .careful) async throws(SaveFailure) {
        let path = try destination()
        guard text.count <= Self.byteLimit else { throw .tooLarge }
        isSaving = true
        defer { isSaving = false }
        let writeMode: WriteMode =
            switch (mode, file) {
            case (.replacing(let other), _):
                .update(other.revision, contentHash: other.contentHash)
            case (.restoring, _): .create
            case (.careful, .some(let file)):
                .update(file.revision, contentHash: file.contentHash)
            case (.careful, .none): .add
            }
        let saved: RemoteFile
        do throws(StoreError) {
            saved = try await club.write(text, at: path, mode: writeMode).file
        } catch {
            guard case .conflict = error.code else { throw .store(error) }
            throw file == nil ? .nameTaken(fileName: path.name) : .changedMeanwhile
        }
        file = saved
        name = saved.name
        savedText = text
    }

    /// Goes on from what the club has now.
    ///
    /// - Parameter text: Its text, where it is another one than the one saved last.
    func adopt(_ file: RemoteFile, text: TextBuffer? = nil) {
        self.file = file
        name = file.name
        if let text { savedText = text }
    }

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

    /// Whether what was saved last has not reached the club yet.
    var isWaiting: Bool { file?.revision.waitingChange != nil }

    /// Keeps the text beside the changed note, under a name nobody has: `Plan (my version).txt`.
    func saveAsCopy(_ text: TextBuffer) async throws(SaveFailure) {
        let original = try destination()
        for number in 1...99 {
            let name = Self.copyName(of: original.name, number: number)
            if club.contents.hasNote(named: name) { continue }
            do throws(StoreError) {
                let path = try (original.parent ?? .root).appending(name)
                let saved = try await club.write(text, at: path, mode: .add).file
                file = saved
                self.name = saved.name
                savedText = text
                return
            } catch {
                if case .conflict = error.code { continue }
                throw .store(error)
            }
        }
        throw .nameTaken(fileName: original.name)
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

    nonisolated static func copyName(of name: String, number: Int) -> String {
        CopyName.of(name, number: number)
    }

    private func destination() throws(SaveFailure) -> RemotePath {
        if let file { return file.path }
        let fileName: String
        do {
            fileName = try NoteName(name).fileName
        } catch {
            throw .badName(error)
        }
        do {
            return try folder.appending(newName: fileName)
        } catch {
            throw .store(error)
        }
    }

    /// The text becomes bytes off the main actor: a large note would hold up the keys.
    @concurrent nonisolated static func put(
        _ text: TextBuffer, at path: RemotePath, mode: WriteMode, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        try await store.put(Data(text.bytes(in: 0..<text.count)), at: path, mode: mode)
    }
}
