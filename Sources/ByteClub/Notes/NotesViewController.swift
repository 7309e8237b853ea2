internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

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
    private let texts: NoteTexts
    private let memory: ListMemory
    private(set) lazy var files = FileList(.notes, of: club, memory: memory, owner: self)
    private var list: ListView { files.list }
    private let preview = NotePreviewView()
    private lazy var previewPanel = Panel("", content: preview, padding: 1)
    private lazy var split = SplitView(files.panel, previewPanel)

    private var previewing: Task<Void, Never>?
    var opening: Task<Void, Never>?
    /// The last search for a note's draft, even if it was stopped: it may hold the draft for a moment.
    var lastOpening: Task<Void, Never>?
    private(set) lazy var setAside = SetAsideDrafts(drafts, club: club)
    /// Marks the previewed note as seen.
    private var seeing: ScheduledAction?
    private weak var editor: NoteDetailsViewController?
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

    private var selected: RemoteFile? { files.selected }
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

// MARK: - Preview

extension NotesViewController {
    /// While moving quickly through the list, only the last note is fetched.
    private static let previewPause: Duration = .milliseconds(60)

    private func showPreview() {
        guard split.showsSecondary, isOnScreen else { return }
        previewing?.cancel()
        seeing?.cancel()
        guard let note = selected else {
            previewPanel.title = ""
            preview.content = .nothing
            return
        }
        previewPanel.title = TextLine(note.name, .heading)
        if let text = texts.cachedText(of: note) {
            show(text, of: note)
            return
        }
        preview.content = .loading
        guard note.byteCount <= Self.previewByteLimit else {
            preview.content = .unavailable(localized("This note is large: press Enter to open it."))
            return
        }
        previewing = startPending { [self] in
            try? await Pause.sleep(for: Self.previewPause)
            guard !Task.isCancelled else { return }
            do throws(StoreError) {
                let text = try await texts.text(of: note).text
                guard !Task.isCancelled else { return }
                show(text, of: note)
            } catch {
                guard !Task.isCancelled else { return }
                preview.content = .unavailable(club.sentence(for: error).text)
            }
        }
    }

    private func show(_ text: TextBuffer, of note: RemoteFile) {
        preview.content = Self.previewContent(of: text)
        guard memory.seen.isUnread(note) else { return }
        seeing = application?.scheduler.schedule(after: Self.lookingTime) { [weak self] in
            self?.files.see([note])
        }
    }

    /// A note shown for this long counts as seen.
    private static let lookingTime: Duration = .seconds(1)
    private static let previewByteLimit: Int64 = 1 << 20

    private static func previewContent(of text: TextBuffer) -> NotePreviewView.Content {
        guard text.isValidUTF8 else {
            return .unavailable(localized("This is not UTF-8: press Enter to read it."))
        }
        return .text(text)
    }
}

// MARK: - What can be done with a note

extension NotesViewController {
    func editNewNote() {
        edit(NoteDocument(club: club, drafts: drafts, folder: files.folder), text: TextBuffer())
    }

    /// Searches the texts of all notes, and opens the chosen one at the match.
    private func searchTexts() {
        present(
            NoteSearchViewController(
                NoteSearcher(club, texts: texts), in: club
            ) { [weak self] hit in
                self?.open(hit.file, at: hit)
            })
    }

    private func openSelected(externally: Bool = false) {
        if let note = selected { open(note, externally: externally) }
    }

    /// - Parameter hit: The caret position; nil for the last one.
    private func open(_ note: RemoteFile, at hit: NoteHit? = nil, externally: Bool = false) {
        stopOpening()
        openDraft(of: note, at: hit, externally: externally) { [weak self] in
            self?.fetch(note, atLine: hit?.line, externally: externally)
        }
    }

    private func fetch(_ note: RemoteFile, atLine line: Int?, externally: Bool) {
        guard note.byteCount <= editedByteLimit else { return openLarge(note) }
        if let cached = texts.cached(note) {
            return open(cached.file, cached.text, line, externally)
        }
        application?.showMessage(localized("Opening “\(note.name)”…") + stopHint, for: nil)
        opening = startPending { [self] in
            do throws(StoreError) {
                let (file, text) = try await texts.text(of: note)
                guard !Task.isCancelled else { return }
                opening = nil
                application?.dismissMessage()
                // If something else was opened meanwhile, it stays in front.
                guard application?.topViewController is TabBarController else { return }
                open(file, text, line, externally)
            } catch {
                guard !Task.isCancelled else { return }
                opening = nil
                application?.dismissMessage()
                alert(club.sentence(for: error))
            }
        }
    }

    /// ` · Esc stops`: the message covers the footer, which shows this otherwise.
    var stopHint: String {
        let bindings = application?.configuration.bindings ?? KeyBindings()
        guard let key = bindings.keys(for: .stopOpening).first else { return "" }
        return localized(" · \(key.displayName) stops")
    }

    func stopOpening() {
        opening?.cancel()
        opening = nil
        application?.dismissMessage()
    }

    private func open(_ file: RemoteFile, _ text: TextBuffer, _ line: Int?, _ externally: Bool) {
        files.see([file])
        guard text.isValidUTF8 else { return read(file, text) }
        edit(
            NoteDocument(club: club, drafts: drafts, file: file, text: text), text: text,
            start: line.map { .line($0) }, externally: externally)
    }

    func edit(
        _ document: NoteDocument, text: TextBuffer, startsDirty: Bool = false,
        start: NoteDetailsViewController.Place? = nil, externally: Bool = false,
        isConverted: Bool = false
    ) {
        let editor = NoteDetailsViewController(
            document, text: text, settings: editorSettings, startsDirty: startsDirty,
            isConverted: isConverted)
        editor.start = start
        editor.memory = editorMemory
        editor.delegate = self
        self.editor = editor
        present(editor)
        // What was set aside is not meant for the club yet.
        if externally { editor.handOver(savingAfterwards: !editor.hasUnsavedText) }
    }

    /// Writes the draft of the open note: the program is about to end.
    func keepDraftNow() { editor?.keepDraftNow() }

    private func showVersions() {
        guard let note = selected else { return }
        _ = startPending { [self] in
            do throws(StoreError) {
                let (file, text) = try await texts.text(of: note)
                present(
                    VersionsViewController(of: file, current: text, club: club) { [weak self] in
                        self?.restore($0, to: file)
                    })
            } catch {
                alert(club.sentence(for: error))
            }
        }
    }

    /// Restores an earlier version; the current one stays among the versions.
    private func restore(_ text: TextBuffer, to file: RemoteFile) {
        _ = startPending { [self] in
            do throws(StoreError) {
                _ = try await club.write(
                    text, at: file.path,
                    mode: .update(file.revision, contentHash: file.contentHash))
                application?.showMessage(localized("“\(file.name)” is as it was."), .success)
            } catch {
                if error.isConflict { club.lookAgain(at: file.path) }
                alert(club.sentence(for: error))
            }
        }
    }

    /// Copies the note's text to the terminal's clipboard.
    private func copySelected() {
        guard let note = selected else { return }
        _ = startPending { [self] in
            do throws(StoreError) {
                let text = try await texts.text(of: note).text
                guard text.count <= Clipboard.terminalLimit else {
                    application?.showMessage(
                        localized("“\(note.name)” is too long for the terminal's clipboard."),
                        .warning)
                    return
                }
                Clipboard.shared.put(text, for: application)
                application?.showMessage(localized("Copied the text of “\(note.name)”."), .success)
            } catch {
                alert(club.sentence(for: error))
            }
        }
    }

    func alert(_ words: ErrorMessage) {
        present(AlertController(title: words.title, message: TextLine(words.text)))
    }
}

// MARK: - The editor

extension NotesViewController: NoteDetailsDelegate {
    func noteDetails(_ editor: NoteDetailsViewController, didSave path: RemotePath) {
        files.reveal(path)
        noteDetails(editor, didReload: path)
    }

    func noteDetails(_ editor: NoteDetailsViewController, didReload path: RemotePath) {
        if let file = club.contents[path] { memory.see([file]) }
        files.reload()
    }

    func noteDetails(_ editor: NoteDetailsViewController, didFindChangeOf path: RemotePath) {
        // Opening the note must fetch its current text.
        texts.forget(path)
        club.lookAgain(at: path)
    }

    func noteDetails(
        _ editor: NoteDetailsViewController, didSetAside draft: Draft.ID, of path: RemotePath?
    ) {
        setAside.add(draft, of: path)
    }

    func noteDetailsDidClose(_ editor: NoteDetailsViewController) {
        setAside.reload()
        didReturnToList?()
    }

    /// The frame of the preview, from 100 columns on.
    var paneForEditor: Rect? {
        guard split.showsSecondary, split.bounds.width >= 100 else { return nil }
        return Rect(
            origin: previewPanel.convertToScreen(.zero), size: previewPanel.bounds.size)
    }
}

extension KeyCommand {
    static let newNote = KeyCommand(
        "notes.new", keys: ["n", "+"], title: localized("New note"), label: localized("new"),
        weight: 90)
    static let editNote = KeyCommand("notes.edit", keys: ["e"], title: localized("Edit the note"))
    static let editNoteExternally = KeyCommand(
        "notes.edit-externally", keys: ["E"],
        title: localized("Edit the note in $VISUAL or $EDITOR"))
    static let searchNotes = KeyCommand(
        "notes.search", keys: ["g /"],
        title: localized("Search the texts of all notes (or / twice)"),
        label: localized("search"), weight: 52)
    static let copyNote = KeyCommand(
        "notes.copy", keys: ["y"], title: localized("Copy the text to the clipboard"),
        label: localized("copy"),
        weight: 28)
    static let previewDown = KeyCommand(
        "notes.preview-down", keys: ["J"], title: localized("Scroll the preview down"),
        label: localized("scroll"),
        weight: 22)
    static let previewUp = KeyCommand(
        "notes.preview-up", keys: ["K"], title: localized("Scroll the preview up"))
    static let stopOpening = KeyCommand(
        "notes.stop", keys: ["Esc", "^C"], title: localized("Stop opening the note"),
        label: localized("stop"),
        weight: 97)

    static let notesCommands: [KeyCommand] = [
        .newNote, .editNote, .editNoteExternally, .searchNotes, .copyNote, .noteVersions,
        .renameNote, .moveNotes, .deleteNote, .undeleteNote, .previewDown, .previewUp, .stopOpening,
    ]
}
