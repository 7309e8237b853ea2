internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Follows the open note: applies another member's change if the note has no unsaved changes, else reports
/// it.
@MainActor final class NoteFollower: ClubObserver {
    enum News {
        /// The text has changed, in the part that a ``TextShift`` leaves out.
        case reload(TextBuffer, TextShift)
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
    /// Other files with the same bytes, while the note existed: none of them is the renamed note.
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
            guard let renamed = renamed(file) else {
                isDeletedElsewhere = true
                return didHear(.deletedElsewhere)
            }
            document.adopt(renamed)
            seen = nil
            return didHear(.renamed)
        }
        isDeletedElsewhere = false
        copies = Set(sameFiles(as: file).map(\.path))
        guard now.revision != file.revision else {
            if seen != nil { didHear(.upToDate) }
            seen = nil
            return
        }
        guard now.revision != seen, !document.replacedRevisions.contains(now.revision) else {
            return
        }
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

    private func sameFiles(as file: RemoteFile) -> [RemoteFile] {
        document.club.contents.notes(withHash: file.contentHash).filter { $0.path != file.path }
    }

    /// The renamed note: the only new file with its bytes.
    private func renamed(_ file: RemoteFile) -> RemoteFile? {
        let new = sameFiles(as: file).filter { !copies.contains($0.path) }
        return new.count == 1 ? new.first : nil
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
        let shift = await TextShift.between(saved, text)
        guard !Task.isCancelled, !document.isSaving, document.file?.revision == opened.revision
        else { return }
        if shift.isSame {
            // Only the revision identifier is new: the version saved here was sent.
            adopt(current)
            didHear(.upToDate)
        } else if isDirty() {
            await hearOfChange(in: current, since: opened)
        } else {
            adopt(current, text)
            didHear(.reload(text, shift))
        }
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

/// How positions move when a range of a text is replaced: those before it stay, those after it shift.
struct TextShift: Sendable {
    /// The number of bytes that both texts have in common at the start and at the end.
    let prefix: Int
    let suffix: Int
    let oldCount: Int
    let newCount: Int

    var isSame: Bool { oldCount == newCount && prefix == oldCount }

    @concurrent nonisolated static func between(
        _ old: TextBuffer, _ new: TextBuffer
    ) async -> TextShift {
        TextShift(between: old, and: new)
    }

    /// - Complexity: O(count of both).
    init(between old: TextBuffer, and new: TextBuffer) {
        (oldCount, newCount) = (old.count, new.count)
        guard let edit = old.replacement(toBecome: new) else {
            (prefix, suffix) = (old.count, 0)
            return
        }
        prefix = edit.range.lowerBound
        suffix = old.count - edit.range.upperBound
    }

    /// What makes the new text of the old one, both without their byte order marks; nil if only one has such a mark.
    func change(
        to new: TextBuffer, from old: TextBuffer
    ) -> (range: Range<Int>, text: TextBuffer)? {
        let mark = new.hasByteOrderMark ? TextBuffer.byteOrderMark.count : 0
        guard old.hasByteOrderMark == new.hasByteOrderMark, prefix >= mark,
            old.count == oldCount, new.count == newCount
        else { return nil }
        return (
            prefix - mark..<oldCount - suffix - mark, new.extract(prefix..<newCount - suffix)
        )
    }

    /// The position in the new text, in bytes.
    func place(_ offset: Int) -> Int {
        if offset <= prefix { return offset }
        if offset >= oldCount - suffix { return offset + newCount - oldCount }
        return min(offset, newCount - suffix)
    }
}
