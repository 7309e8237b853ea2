internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// A note being edited: its file, its saved text, and saving.
///
/// Its draft is removed only when the store has confirmed the same text or the user has discarded it. Has no
/// views.
@MainActor final class NoteDocument {
    let club: Club
    let draft: DraftWriter
    /// The text confirmed by the store; nil for a new note.
    private(set) var savedText: TextBuffer?
    /// Whether a save is pending.
    private(set) var isSaving = false

    /// The note in the club; nil for a new note.
    private(set) var file: RemoteFile? {
        get { draft.note.file }
        set { draft.note.file = newValue }
    }

    /// The revisions that saves from here have replaced. A listing that began before a save may still report one.
    private(set) var replacedRevisions: Set<Revision> = []

    /// The club has this revision again.
    func forgetReplaced(_ revision: Revision) { replacedRevisions.remove(revision) }

    /// What was sent and not confirmed: the club may have it.
    private(set) var unanswered: Unanswered?

    struct Unanswered {
        let text: TextBuffer
        /// The editor's state when it was sent.
        let state: UndoHistory.State?
    }

    /// The typed name of a new note.
    var name: String {
        get { draft.note.name }
        set { draft.note.name = newValue }
    }

    /// A new note in a folder of the club.
    init(
        club: Club, drafts: DraftStore, folder: RemotePath = .root,
        retryPauses: [Duration] = DraftWriter.retryPauses
    ) {
        self.club = club
        draft = DraftWriter(
            DraftWriter.Note(folder: folder), in: drafts, retryPauses: retryPauses)
    }

    /// A note fetched from the club.
    init(club: Club, drafts: DraftStore, file: RemoteFile, text: TextBuffer) {
        self.club = club
        draft = DraftWriter(DraftWriter.Note(name: file.name, file: file), in: drafts)
        savedText = text
    }

    /// A resumed draft. Only the draft itself is known to be saved.
    ///
    /// - Returns: Nil if another running app has resumed it.
    init?(club: Club, drafts: DraftStore, resuming draft: Draft) {
        guard drafts.claim(draft.id) == .claimed else { return nil }
        self.club = club
        var note = DraftWriter.Note(name: draft.name)
        if let path = draft.path.flatMap({ try? RemotePath(validating: $0) }),
            let revision = draft.baseRevision
        {
            note.file = RemoteFile(
                path: path, revision: Revision(rawValue: revision), byteCount: 0,
                modified: draft.savedAt, contentHash: draft.baseContentHash)
        } else if let path = draft.folder.flatMap({ try? RemotePath(validating: $0) }) {
            note.folder = path
        }
        self.draft = DraftWriter(note, in: drafts, resuming: draft.id)
    }

    var isNew: Bool { file == nil }
}

// MARK: - Saving

extension NoteDocument {
    /// Why a note was not saved. The text is unchanged in every case.
    enum SaveFailure: Error {
        case badName(NoteName.Refusal)
        /// Another note has this name.
        case nameTaken(fileName: String)
        /// Another member has changed the note since it was opened.
        case changedMeanwhile
        /// Too large to be opened again.
        case tooLarge
        /// The version to replace can be kept nowhere.
        case replacedIsNotKept
        case store(StoreError)
    }

    /// What a save may replace.
    enum SaveMode {
        /// Only the version that the note was opened from; a new note replaces nothing.
        case careful
        /// Only this version, about which the user was asked.
        case replacing(RemoteFile)
        /// Create it again under its name, after it was deleted.
        case restoring

        var isCareful: Bool { if case .careful = self { true } else { false } }
    }

    /// The limit of the store's `fetch`: a larger note could not be opened again.
    nonisolated static let byteLimit = Int(RemoteFile.fetchLimit)

    /// Sends the text to the club. Returns when the store has confirmed it, or when it is in the outbox
    /// because the club is unreachable: see ``isWaiting``.
    ///
    /// - Parameter state: The editor's state, for ``Unanswered``.
    func save(
        _ text: TextBuffer, mode: SaveMode = .careful, state: UndoHistory.State? = nil
    ) async throws(SaveFailure) {
        let path = try destination()
        guard text.count <= Self.byteLimit else { throw .tooLarge }
        isSaving = true
        defer { isSaving = false }
        if case .replacing(let other) = mode { try await requireCopy(of: other) }
        unanswered = Unanswered(text: text, state: state)
        let writeMode: RemoteWriteMode =
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
            guard error.isConflict else { throw .store(error) }
            // Of a new note the server may have stored something else: another name would not help.
            if file == nil, error.wasAccepted { throw .store(error) }
            unanswered = nil
            throw file == nil ? .nameTaken(fileName: path.name) : .changedMeanwhile
        }
        unanswered = nil
        if let file { replacedRevisions.insert(file.revision) }
        // Where a revision is made of the bytes, the text may have been saved before.
        replacedRevisions.remove(saved.revision)
        file = saved
        name = saved.name
        savedText = text
    }

    /// Continues from the club's version.
    ///
    /// - Parameter text: Its text, if it differs from the one saved last.
    func adopt(_ file: RemoteFile, text: TextBuffer? = nil) {
        // The base is another one now: what was sent for the earlier one would have to replace this.
        unanswered = nil
        self.file = file
        name = file.name
        if let text { savedText = text }
    }

    /// What the text is a change of.
    struct Base {
        var file: RemoteFile?
        var savedText: TextBuffer?
        /// Whether the club's newer version was shown in its place since.
        var isOutdated = false
    }

    var base: Base { Base(file: file, savedText: savedText) }

    /// Continues from an earlier base: saving what is older than the club's version asks again.
    func goBack(to base: Base) {
        unanswered = nil
        (file, savedText) = (base.file, base.savedText)
    }

    /// Whether the last save is still in the outbox.
    var isWaiting: Bool { file?.revision.waitingChange != nil }

    /// Saves the text beside the changed note, under an unused name: `Plan (my version).txt`.
    func saveAsCopy(_ text: TextBuffer) async throws(SaveFailure) {
        let original = try destination()
        unanswered = nil
        for number in 1...99 {
            let name = Self.copyName(of: original.name, number: number)
            if club.contents.file(named: name, in: original.parent ?? .root) != nil { continue }
            do throws(StoreError) {
                let path = try (original.parent ?? .root).appending(name)
                let saved = try await club.write(text, at: path, mode: .add).file
                file = saved
                self.name = saved.name
                savedText = text
                return
            } catch {
                if error.isNameTaken { continue }
                throw .store(error)
            }
        }
        throw .nameTaken(fileName: original.name)
    }

    nonisolated static func copyName(of name: String, number: Int) -> String {
        CopyName.of(name, number: number)
    }

    /// The folder of a new note; the club's own where a note stands in its place by now.
    private var folder: RemotePath {
        let folder = draft.note.folder
        let isBlocked = folder.components.indices.contains { last in
            club.contents[folder.prefix(last + 1)] != nil
        }
        return isBlocked ? .root : folder
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

    /// Encodes the text off the main actor: a large note would block input.
    @concurrent nonisolated static func put(
        _ text: TextBuffer, at path: RemotePath, mode: RemoteWriteMode, in store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        try await store.put(text.data, at: path, mode: mode)
    }
}
