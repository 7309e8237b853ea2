internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// One note being written: where it came from, what is safe already, and how it is saved.
///
/// Its draft is removed only when the store has confirmed the same text or the person has given it up. No views
/// here.
@MainActor final class NoteDocument {
    let club: Club
    let draft: DraftWriter
    /// The text that the store is known to have; nil while the note is new.
    private(set) var savedText: TextBuffer?
    /// Whether a save is under way.
    private(set) var isSaving = false

    /// The note in the club; nil while it is new.
    private(set) var file: RemoteFile? {
        get { draft.note.file }
        set { draft.note.file = newValue }
    }

    /// What a new note is to be called, as typed.
    var name: String {
        get { draft.note.name }
        set { draft.note.name = newValue }
    }

    /// A new note in a folder of the club's.
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

    /// A draft taken up again. Nothing is known to be safe but the draft itself.
    ///
    /// - Returns: Nil when another running app has taken it up.
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
        self.draft = DraftWriter(note, in: drafts, id: draft.id)
    }

    var isNew: Bool { file == nil }
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

    /// Whether what was saved last has not reached the club yet.
    var isWaiting: Bool { file?.revision.waitingChange != nil }

    /// Keeps the text beside the changed note, under a name nobody has: `Plan (my version).txt`.
    func saveAsCopy(_ text: TextBuffer) async throws(SaveFailure) {
        let original = try destination()
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
                if case .conflict = error.code { continue }
                throw .store(error)
            }
        }
        throw .nameTaken(fileName: original.name)
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
            return try draft.note.folder.appending(newName: fileName)
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
