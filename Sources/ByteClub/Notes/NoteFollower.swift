internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Follows the open note: applies another member's change if the note has no unsaved changes, else reports
/// it.
@MainActor final class NoteFollower: ClubObserver {
    enum News {
        /// The text has changed in one part; what it was a change of before.
        case reload(TextBuffer, TextReplacement, from: NoteDocument.Base)
        /// Both the user and another member have changed it, or another program of this computer.
        case changedElsewhere(isOwn: Bool)
        case deletedElsewhere
        /// It was renamed or moved; the text is saved there.
        case renamed
        /// It is the same as in the club again.
        case upToDate
        /// A save without an answer has arrived after all: what was sent in this state of the editor.
        case arrived(UndoHistory.State?)
    }

    private let document: NoteDocument
    private let isDirty: () -> Bool
    private let didHear: (News) -> Void
    private var looking: Task<Void, Never>?
    /// Whether the note was deleted from the club, as far as known.
    private(set) var isDeletedElsewhere = false
    /// The last revision handled.
    private var seen: Revision?
    /// Asks the club about a listing that has a revision which was replaced here.
    private var asking: Task<Void, Never>?
    /// Other files with the same bytes, while the note existed: none of them is the renamed note. Where the club knows
    /// no hashes, these are the files of the same length.
    private var copies: Set<RemotePath> = []

    /// - Parameters:
    ///   - isDirty: Whether there are changes that are not saved, or being saved.
    ///   - didHear: Called on the main actor with each event.
    init(
        _ document: NoteDocument, isDirty: @escaping () -> Bool, didHear: @escaping (News) -> Void
    ) {
        self.document = document
        self.isDirty = isDirty
        self.didHear = didHear
    }

    /// Starts following, until it is released.
    func start() { document.club.addObserver(self) }

    func clubDidChange(_ club: Club) {
        guard let file = document.file, !document.isSaving else { return }
        guard let now = club.contents[file.path] else {
            guard case .connected = club.connection, file.revision.waitingChange == nil else {
                Task { await followSent(file) }
                return
            }
            return lookForNewName(of: file)
        }
        let wasDeleted = isDeletedElsewhere
        isDeletedElsewhere = false
        copies = Set(sameFiles(as: file).map(\.path))
        guard now.revision != file.revision else {
            if seen != nil || wasDeleted { didHear(.upToDate) }
            seen = nil
            return
        }
        guard now.revision != seen else { return }
        if document.replacedRevisions.contains(now.revision) { return ask(about: now, file) }
        seen = now.revision
        looking?.cancel()
        looking = Task {
            // The one here is somebody else's if what waited was sent under another name.
            if file.revision.waitingChange != nil {
                await followSent(file)
                guard document.file?.path == now.path else { return }
            }
            await look(at: now)
        }
    }

    /// A listing has what a save from here has replaced. It may have begun before the save, or somebody has put that
    /// text back: some servers make the revision of the bytes, and it is the same again. The club knows which.
    private func ask(about old: RemoteFile, _ file: RemoteFile) {
        guard asking == nil, case .connected = document.club.connection else { return }
        asking = Task {
            let now = await document.club.look(at: old.path)
            asking = nil
            guard now?.revision == old.revision, document.file?.revision == file.revision,
                document.file?.path == old.path, !document.isSaving
            else { return }
            document.forgetReplaced(old.revision)
            clubDidChange(document.club)
        }
    }

    /// Other notes that may have the same bytes: for certain only where the club knows the hashes of both.
    private func sameFiles(as file: RemoteFile) -> [RemoteFile] {
        document.club.contents.notes(ofLength: file.byteCount).filter {
            $0.path != file.path
                && ($0.contentHash == file.contentHash || $0.contentHash == nil
                    || file.contentHash == nil)
        }
    }

    /// The note is not where it was: it may be the only new file with its bytes.
    private func lookForNewName(of file: RemoteFile) {
        let new = sameFiles(as: file).filter { !copies.contains($0.path) }
        guard new.count == 1, let found = new.first else { return hearOfDeletion() }
        guard found.contentHash == nil || file.contentHash == nil else {
            return follow(to: found)
        }
        looking?.cancel()
        looking = Task {
            let isSame = await hasSameText(found, as: file)
            guard !Task.isCancelled, document.file?.path == file.path, !document.isSaving,
                document.club.contents[file.path] == nil
            else { return }
            if isSame { follow(to: found) } else { hearOfDeletion() }
        }
    }

    private func hasSameText(_ other: RemoteFile, as file: RemoteFile) async -> Bool {
        guard let base = await document.baseText(of: file),
            let (_, text) = try? await NoteTexts(club: document.club).text(of: other)
        else { return false }
        return text == base
    }

    private func follow(to renamed: RemoteFile) {
        document.adopt(renamed)
        seen = nil
        didHear(.renamed)
    }

    private func hearOfDeletion() {
        isDeletedElsewhere = true
        // Whatever is there again is news.
        seen = nil
        didHear(.deletedElsewhere)
    }

    /// Follows a note that was sent from the outbox under another name, because its own was taken.
    private func followSent(_ file: RemoteFile) async {
        let sent = await document.club.local?.run { try $0.sentFile(for: file.revision) } ?? nil
        guard let sent, sent.path != file.path, document.file?.revision == file.revision else {
            return
        }
        document.adopt(sent)
        seen = nil
        clubDidChange(document.club)
    }

    private func look(at file: RemoteFile) async {
        guard let (current, text) = try? await NoteTexts(club: document.club).text(of: file),
            !Task.isCancelled, let opened = document.file, opened.path == file.path,
            !document.isSaving
        else { return }
        if let sent = document.unanswered, sent.text == text {
            adopt(current, text)
            return didHear(.arrived(sent.state))
        }
        // The base of a resumed draft may be what was just sent from here.
        guard let saved = await document.baseText(of: opened) else {
            return await hearOfChange(in: current, since: opened)
        }
        let change = await Self.replacement(of: saved, by: text)
        guard !Task.isCancelled, !document.isSaving, document.file?.revision == opened.revision
        else { return }
        guard let change else {
            // Only the revision identifier is new: the version saved here was sent.
            adopt(current)
            return didHear(.upToDate)
        }
        if isDirty() {
            await hearOfChange(in: current, since: opened)
        } else {
            let base = document.base
            adopt(current, text)
            didHear(.reload(text, change, from: base))
        }
    }

    @concurrent private nonisolated static func replacement(
        of old: TextBuffer, by new: TextBuffer
    ) async -> TextReplacement? {
        old.replacement(toBecome: new)
    }

    /// The editor has this version now: the next report of it says nothing new.
    private func adopt(_ file: RemoteFile, _ text: TextBuffer? = nil) {
        document.adopt(file, text: text)
        seen = nil
    }

    private func hearOfChange(in file: RemoteFile, since opened: RemoteFile) async {
        let isOwn = await document.club.isOwnWrite(file)
        // A save or a merge meanwhile has made it obsolete.
        if !Task.isCancelled, !document.isSaving, document.file?.revision == opened.revision {
            didHear(.changedElsewhere(isOwn: isOwn))
        }
    }
}
