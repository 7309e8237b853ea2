internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The Notes tab: the club's notes, with a preview of the selected one on a wide screen.
final class NotesViewController: ViewController {
    let club: Club
    let drafts: DraftStore
    /// Applies to notes opened from now on.
    var editorSettings: EditorSettings
    /// The folder of notes that are too large for the editor while they are read.
    var largeTexts = LargeTextFolder(FileManager.default.temporaryDirectory)
    /// Larger notes are read-only.
    var editedByteLimit = RemoteFile.fetchLimit
    /// Stores carets, toggles and undo history; nil to store nothing.
    var editorMemory: EditorMemory?
    let texts: NoteTexts
    let memory: ListMemory
    private(set) lazy var files = FileList(.notes, of: club, memory: memory, owner: self)
    private var list: ListView { files.list }
    private lazy var preview = NotePreview(of: club, texts: texts, memory: memory, owner: self)
    private lazy var split = SplitView(files.panel, preview.panel)

    var opening: Task<Void, Never>?
    /// The last search for a note's draft, even if it was stopped: it may hold the draft for a moment.
    var lastOpening: Task<Void, Never>?
    private(set) lazy var setAside = SetAsideDrafts(drafts, club: club)
    weak var editor: NoteDetailsViewController?
    /// Called when the editor was closed.
    var didReturnToList: (() -> Void)?

    init(
        club: Club, drafts: DraftStore, memory: ListMemory,
        editor: EditorSettings = EditorSettings()
    ) {
        self.club = club
        self.drafts = drafts
        editorSettings = editor
        texts = NoteTexts(club: club)
        self.memory = memory
        super.init()
        title = localized("Notes")
    }

    override func makeView() -> View { split }

    override func viewDidLoad() {
        files.delegate = self
        split.didChangeVisibility = { [weak self] _ in self?.showPreview() }
        preview.didSee = { [weak self] in self?.files.see([$0]) }
        files.view.didAskForMore = { [weak self] in self?.searchTexts() }
        files.start()
        setAside.didChange = { [weak self] in self?.list.reloadData() }
        setAside.start()
    }

    override func viewDidAppear() {
        list.becomeFirstResponder()
        setAside.reload()
    }

    override var preferredFirstResponder: View? { list }

    override var keyTable: KeyTable {
        let none = noteRefusal
        return KeyTable(localized("Notes")) {
            KeyCommand.newNote.performs { self.newNote() }
            KeyCommand.editNote.performs(unless: none) { self.openSelected() }
            KeyCommand.editNoteExternally.performs(unless: none) {
                self.openSelected(externally: true)
            }
            KeyCommand.searchNotes.performs { self.searchTexts() }
            KeyCommand.copyNote.performs(unless: none) { self.copySelected() }
            KeyCommand.noteVersions.performs(unless: none) { self.showVersions() }
            files.keyEntries
            KeyCommand.previewDown.performs(unless: previewReason) { self.preview.scroll(by: 3) }
            KeyCommand.previewUp.performs(unless: previewReason) { self.preview.scroll(by: -3) }
            if opening != nil {
                KeyCommand.stopOpening.performs { self.stopOpening() }
            }
        }
    }

    private var previewReason: String? {
        guard split.showsSecondary else {
            return localized("There is no room for the preview here.")
        }
        return noteRefusal
    }

    /// Why there is nothing to do for commands on a note; nil when one is selected.
    private var noteRefusal: String? {
        guard selected == nil else { return nil }
        guard let folder = files.selectedEntry, folder.isFolder else {
            return localized("No note is selected.")
        }
        return localized("“\(folder.name.withVisibleLineBreaks)” is a folder.")
    }

    var selected: RemoteFile? { files.selected }

    private func showPreview() {
        guard split.showsSecondary, isOnScreen else { return }
        preview.show(selected)
    }

    /// The frame of the preview, from 100 columns on.
    var paneForEditor: Rect? {
        guard split.showsSecondary, split.bounds.width >= 100 else { return nil }
        return Rect(
            origin: preview.panel.convertToScreen(.zero), size: preview.panel.bounds.size)
    }
}

// MARK: - The list

extension NotesViewController: FileListDelegate {
    func fileList(_ list: FileList, warningBeforeDeleting files: [FileEntry]) -> String {
        switch setAside.count(in: files.map(\.path)) {
        case 0: ""
        case 1: localized(" What you wrote in a draft of it stays here: n opens that.")
        default: localized(" What you wrote in drafts of them stays here: n opens these.")
        }
    }

    func fileList(_ list: FileList, rowFor note: RemoteFile) -> ListRow {
        ListRow(
            TextLine(note.name), mark: setAside.mark(of: note),
            columns: [
                ListRow.Column(Wording.byteCount(note.byteCount), width: 7),
                ListRow.Column(list.age(of: note), width: 8),
            ])
    }

    func fileList(_ list: FileList, didActivate note: RemoteFile) { openSelected() }

    func fileListDidChangeSelection(_ list: FileList) { showPreview() }

    var emptyListText: String { localized("No notes yet: press n to write one.") }
}
