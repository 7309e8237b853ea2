internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// The preview beside the list of notes, which fetches their texts.
@MainActor final class NotePreview {
    private let view = NotePreviewView()
    private(set) lazy var panel = Panel("", content: view, padding: 1)
    /// Called when an unread note was on the screen long enough to count as seen.
    var didSee: ((RemoteFile) -> Void)?

    private let club: Club
    private let texts: NoteTexts
    private let memory: ListMemory
    /// Counts pending work.
    private weak var owner: ViewController?
    private var previewing: Task<Void, Never>?
    /// Marks the previewed note as seen.
    private var seeing: ScheduledAction?

    /// While moving quickly through the list, only the last note is fetched.
    private static let pause: Duration = .milliseconds(60)
    /// A note shown for this long counts as seen.
    private static let lookingTime: Duration = .seconds(1)
    private static let byteLimit: Int64 = 1 << 20

    init(of club: Club, texts: NoteTexts, memory: ListMemory, owner: ViewController) {
        self.club = club
        self.texts = texts
        self.memory = memory
        self.owner = owner
    }

    /// Shows a note in place of the one before; nil for none.
    func show(_ note: RemoteFile?) {
        previewing?.cancel()
        seeing?.cancel()
        guard let note else {
            panel.title = ""
            view.content = .nothing
            return
        }
        panel.title = TextLine(note.name, .heading)
        if let text = texts.cachedText(of: note) {
            show(text, of: note)
            return
        }
        view.content = .loading
        guard note.byteCount <= Self.byteLimit else {
            view.content = .unavailable(localized("This note is large: press Enter to open it."))
            return
        }
        previewing = owner?.startPending { [self] in
            try? await Pause.sleep(for: Self.pause)
            guard !Task.isCancelled else { return }
            do throws(StoreError) {
                let text = try await texts.text(of: note).text
                guard !Task.isCancelled else { return }
                show(text, of: note)
            } catch {
                guard !Task.isCancelled else { return }
                view.content = .unavailable(club.sentence(for: error).text)
            }
        }
    }

    /// Scrolls by rows, down when positive.
    func scroll(by rows: Int) { view.scroll(by: rows) }

    private func show(_ text: TextBuffer, of note: RemoteFile) {
        view.content = Self.content(of: text)
        guard memory.seen.isUnread(note) else { return }
        seeing = owner?.application?.scheduler.schedule(after: Self.lookingTime) { [weak self] in
            self?.didSee?(note)
        }
    }

    private static func content(of text: TextBuffer) -> NotePreviewView.Content {
        guard text.isValidUTF8 else {
            return .unavailable(localized("This is not UTF-8: press Enter to read it."))
        }
        return .text(text)
    }
}
