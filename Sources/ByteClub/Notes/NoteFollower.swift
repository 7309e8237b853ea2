internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Follows the note that is open: another member's change is taken over where nothing was typed, and told
/// where something was.
@MainActor final class NoteFollower: ClubObserver {
    enum News {
        /// The text is another one now; where the caret goes is asked of ``TextShift``.
        case reload(TextBuffer, TextShift)
        /// Somebody has changed it, and so has the person here.
        case changedElsewhere
        case deletedElsewhere
        /// It has another name or folder now; what is typed is saved there.
        case renamed
        /// It is the same as in the club again.
        case upToDate
    }

    private let document: NoteDocument
    private let isDirty: () -> Bool
    private let didHear: (News) -> Void
    private var looking: Task<Void, Never>?
    /// What was looked at last: once for each state.
    private var seen: Revision?
    /// The other files with the note's bytes, while the note was there: none of them is the note under another
    /// name.
    private var copies: Set<RemotePath> = []

    /// - Parameters:
    ///   - isDirty: Whether something was typed that is not saved, or is being saved.
    ///   - didHear: Called on the main actor with what is new.
    init(
        _ document: NoteDocument, isDirty: @escaping () -> Bool, didHear: @escaping (News) -> Void
    ) {
        self.document = document
        self.isDirty = isDirty
        self.didHear = didHear
    }

    /// From now on, as long as it lives.
    func start() { document.club.addObserver(self) }

    func clubDidChange(_ club: Club) {
        guard let file = document.file, !document.isSaving else { return }
        guard let now = club.contents[file.path] else {
            guard case .connected = club.connection, file.revision.waitingChange == nil else {
                return findSent(file)
            }
            guard let renamed = renamed(file) else { return didHear(.deletedElsewhere) }
            document.adopt(renamed)
            seen = nil
            return didHear(.renamed)
        }
        copies = Set(sameFiles(as: file).map(\.path))
        guard now.revision != file.revision else {
            if seen != nil { didHear(.upToDate) }
            seen = nil
            return
        }
        guard now.revision != seen else { return }
        seen = now.revision
        looking?.cancel()
        looking = Task { await look(at: now) }
    }

    private func sameFiles(as file: RemoteFile) -> [RemoteFile] {
        guard let hash = file.contentHash, file.byteCount > 0 else { return [] }
        return document.club.contents.allFiles.filter {
            $0.contentHash == hash && $0.path != file.path && ClubContents.kind(of: $0) == .notes
        }
    }

    /// The note under another name: the one file with its bytes that was not there before.
    private func renamed(_ file: RemoteFile) -> RemoteFile? {
        let new = sameFiles(as: file).filter { !copies.contains($0.path) }
        return new.count == 1 ? new.first : nil
    }

    /// It was saved while the club was away, and is under another name there: beside somebody else's.
    private func findSent(_ file: RemoteFile) {
        guard let local = document.club.local else { return }
        Task {
            let sent = await local.run { try $0.sentFile(for: file.revision) } ?? nil
            guard let sent, document.file?.revision == file.revision else { return }
            document.adopt(sent)
            clubDidChange(document.club)
        }
    }

    private func look(at file: RemoteFile) async {
        guard let (current, text) = try? await NoteTexts(club: document.club).text(of: file),
            !Task.isCancelled, let opened = document.file, opened.path == file.path,
            !document.isSaving
        else { return }
        // Of a draft that was taken up: what it was made of may be what has just been sent from here.
        guard let saved = await document.baseText(of: opened) else {
            return didHear(.changedElsewhere)
        }
        let shift = await TextShift.between(saved, text)
        guard !Task.isCancelled, !document.isSaving else { return }
        if shift.isSame {
            // Only its name for the state is new: what was saved here has arrived.
            document.adopt(current)
            didHear(.upToDate)
        } else if isDirty() {
            didHear(.changedElsewhere)
        } else {
            document.adopt(current, text: text)
            didHear(.reload(text, shift))
        }
    }
}

/// How places of a text move when a stretch of it is replaced: what is before stays, what is behind shifts.
struct TextShift: Sendable {
    /// The bytes at the beginning and at the end that both texts have.
    let prefix: Int
    let suffix: Int
    let oldCount: Int
    let newCount: Int

    var isSame: Bool { oldCount == newCount && prefix == oldCount }

    @concurrent nonisolated static func between(
        _ old: TextBuffer, _ new: TextBuffer
    ) async -> TextShift {
        let (old, new) = (old.bytes(in: 0..<old.count), new.bytes(in: 0..<new.count))
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - prefix
        let suffix = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
        return TextShift(
            prefix: prefix, suffix: suffix, oldCount: old.count, newCount: new.count)
    }

    /// Where a place of the old text is in the new one, in bytes.
    func place(_ offset: Int) -> Int {
        if offset <= prefix { return offset }
        if offset >= oldCount - suffix { return offset + newCount - oldCount }
        return min(offset, newCount - suffix)
    }
}
