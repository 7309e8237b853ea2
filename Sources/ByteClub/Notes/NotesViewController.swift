internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TerminalUI
internal import TextEditing

/// The Notes tab: the club's notes, the chosen one's text beside them on a wide screen.
final class NotesViewController: ViewController {
    private let club: Club
    private let drafts: DraftStore
    private let editorSettings: EditorSettings
    private let texts: NoteTexts

    private let filterable = FilterableList()
    private var list: ListView { filterable.list }
    private let preview = NotePreviewView()
    private lazy var listPanel = Panel("Notes", content: filterable)
    private lazy var previewPanel = Panel("", content: preview, padding: 1)
    private lazy var split = SplitView(listPanel, previewPanel)

    /// The notes that pass the filter, in order.
    private var notes: [RemoteFile] = []
    private var indices: [RemotePath: Int] = [:]
    private var previewing: Task<Void, Never>?
    private var opening: Task<Void, Never>?
    private var pathToSelect: RemotePath?
    private weak var editor: NoteDetailsViewController?
    /// Called when the editor has been left.
    var didReturnToList: (() -> Void)?
    /// What `z` brings back, the last one first: the names and texts of notes deleted in this run.
    private var deleted: [(path: RemotePath, text: TextBuffer)] = []

    init(club: Club, drafts: DraftStore, editor: EditorSettings = EditorSettings()) {
        self.club = club
        self.drafts = drafts
        editorSettings = editor
        texts = NoteTexts(club: club)
        super.init()
        title = "Notes"
    }

    override func makeView() -> View { split }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        filterable.filterDidChange = { [weak self] in self?.reload() }
        split.didChangeVisibility = { [weak self] _ in self?.showPreview() }
        club.addObserver(self)
    }

    override func viewDidAppear() { list.becomeFirstResponder() }

    override var preferredFirstResponder: View? { list }

    override var keyTable: KeyTable {
        let none = selected == nil ? "No note is selected." : nil
        return KeyTable("Notes") {
            KeyCommand.newNote.performs { self.newNote() }
            KeyCommand.editNote.performs(unless: none) { self.openSelected() }
            KeyCommand.renameNote.performs(unless: none) { self.renameSelected() }
            KeyCommand.deleteNote.performs(unless: none) { self.deleteSelected() }
            KeyCommand.undeleteNote.performs(
                unless: deleted.isEmpty ? "There is no deleted note to bring back." : nil
            ) { self.undelete() }
            KeyCommand.refresh.performs { self.refresh() }
            if opening != nil {
                KeyCommand.stopOpening.performs { self.stopOpening() }
            }
        }
    }

    private var selected: RemoteFile? {
        list.selectedIndex.flatMap { notes.indices.contains($0) ? notes[$0] : nil }
    }
}

// MARK: - The list

extension NotesViewController: ClubObserver, ListViewDataSource, ListViewDelegate {
    func clubDidChange(_ club: Club) { reload() }

    private func reload() {
        let filter = filterable.filter
        notes = club.contents.notes.filter { filter.matches($0.name) }
        indices = Dictionary(
            notes.indices.map { (notes[$0].path, $0) }, uniquingKeysWith: { first, _ in first })
        list.emptyText = emptyText
        list.reloadData()
        if let path = pathToSelect, list.select(identity: path) { pathToSelect = nil }
        let count = club.contents.notes.count
        listPanel.trailingTitle = TextLine(
            filter.isActive ? "\(notes.count) of \(count)" : "\(count)", .secondary)
        showPreview()
    }

    private var emptyText: TextLine {
        if filterable.filter.isActive, !club.contents.notes.isEmpty {
            return TextLine("No note has “\(filterable.filter.query)” in its name.", .secondary)
        }
        switch club.connection {
        case .connecting: return TextLine("Opening the club…", .secondary)
        case .connected: return TextLine("No notes yet: press n to write one.", .secondary)
        case .failed(let error): return TextLine(club.sentence(for: error).text, .warning)
        }
    }

    func numberOfRows(in list: ListView) -> Int { notes.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let note = notes[index]
        return ListRow(
            TextLine(note.name),
            columns: [
                ListRow.Column(Wording.byteCount(note.byteCount), width: 7),
                ListRow.Column(Wording.age(of: note.modified, at: Date()), width: 8),
            ], matches: filterable.filter.matchedRange(in: note.name).map { [$0] } ?? [])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { notes[index].path }

    func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int? {
        (identity.base as? RemotePath).flatMap { indices[$0] }
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) { openSelected() }

    func listViewDidChangeSelection(_ list: ListView) { showPreview() }

    private func refresh() {
        application?.showMessage("Looking for changes…", for: .seconds(1))
        club.refresh()
    }
}

// MARK: - Preview

extension NotesViewController {
    /// Quick moves through the list fetch only where they come to rest.
    private static let previewPause: Duration = .milliseconds(60)

    private func showPreview() {
        guard split.showsSecondary, isOnScreen else { return }
        previewing?.cancel()
        guard let note = selected else {
            previewPanel.title = ""
            preview.content = .nothing
            return
        }
        previewPanel.title = TextLine(note.name, .heading)
        if let text = texts.cachedText(of: note) {
            preview.content = Self.previewContent(of: text)
            return
        }
        preview.content = .loading
        guard note.byteCount <= Self.previewByteLimit else {
            preview.content = .unavailable("This note is large: press Enter to open it.")
            return
        }
        previewing = startPending { [self] in
            try? await Pause.sleep(for: Self.previewPause)
            guard !Task.isCancelled else { return }
            do throws(StoreError) {
                let text = try await texts.text(of: note).text
                guard !Task.isCancelled else { return }
                preview.content = Self.previewContent(of: text)
            } catch {
                guard !Task.isCancelled else { return }
                preview.content = .unavailable(club.sentence(for: error).text)
            }
        }
    }

    private static let previewByteLimit: Int64 = 1 << 20

    private static func previewContent(of text: TextBuffer) -> NotePreviewView.Content {
        guard text.isValidUTF8 else { return .unavailable("This file is not text.") }
        return .text(text)
    }
}

// MARK: - What can be done with a note

extension NotesViewController {
    private func newNote() {
        edit(NoteDocument(club: club, drafts: drafts), text: TextBuffer())
    }

    private func openSelected() {
        guard let note = selected else { return }
        stopOpening()
        if let cached = texts.cached(note) { return open(cached.file, cached.text) }
        application?.showMessage("Opening “\(note.name)”…", for: nil)
        opening = startPending { [self] in
            do throws(StoreError) {
                let (file, text) = try await texts.text(of: note)
                guard !Task.isCancelled else { return }
                opening = nil
                application?.dismissMessage()
                // Something else came up while it was fetched: what the person sees now comes first.
                guard application?.topViewController is TabBarController else { return }
                open(file, text)
            } catch {
                guard !Task.isCancelled else { return }
                opening = nil
                application?.dismissMessage()
                alert(club.sentence(for: error))
            }
        }
    }

    private func stopOpening() {
        opening?.cancel()
        opening = nil
        application?.dismissMessage()
    }

    private func open(_ file: RemoteFile, _ text: TextBuffer) {
        guard text.isValidUTF8 else {
            present(
                AlertController(
                    title: "Not a text",
                    message: "“\(file.name)” is not a text in UTF-8, so the editor leaves it alone."
                ))
            return
        }
        edit(NoteDocument(club: club, drafts: drafts, file: file, text: text), text: text)
    }

    /// Takes up the text of a draft that an earlier run of the app has left.
    func resume(_ draft: Draft) {
        guard let document = NoteDocument(club: club, drafts: drafts, resuming: draft) else {
            application?.showMessage("Another Byte Club has taken it up meanwhile.", .warning)
            return
        }
        edit(document, text: TextBuffer(utf8: draft.text), startsDirty: true)
    }

    private func edit(_ document: NoteDocument, text: TextBuffer, startsDirty: Bool = false) {
        let editor = NoteDetailsViewController(
            document, text: text, settings: editorSettings, startsDirty: startsDirty)
        editor.didSave = { [weak self] path in
            self?.pathToSelect = path
            self?.reload()
        }
        editor.didFindChange = { [weak self] path in
            // What is opened next is what is there now, not what was read before.
            self?.texts.forget(path)
            self?.club.lookAgain(at: path)
        }
        editor.paneBesideList = { [weak self] in self?.paneForEditor }
        editor.didClose = { [weak self] in self?.didReturnToList?() }
        self.editor = editor
        present(editor)
    }

    /// The preview's place, from 100 columns on.
    private var paneForEditor: Rect? {
        guard split.showsSecondary, split.bounds.width >= 100 else { return nil }
        return Rect(
            origin: previewPanel.convertToScreen(.zero), size: previewPanel.bounds.size)
    }

    /// Writes the draft of what is being edited; the program is about to end.
    func keepDraftNow() { editor?.keepDraftNow() }

    private func renameSelected() {
        guard let note = selected else { return }
        let prompt = PromptViewController(
            title: "Rename note", label: "New name", text: note.name, action: "Rename"
        ) { [weak self] typed in
            self?.rename(note, to: typed)
        }
        present(prompt)
    }

    /// - Returns: Why the name will not do, or nil when the renaming has begun.
    private func rename(_ note: RemoteFile, to typed: String) -> String? {
        let fileName: String
        do {
            fileName = try NoteName(typed).fileName
        } catch {
            return "\(error)"
        }
        guard fileName != note.name else { return nil }
        if fileName.lowercased() != note.name.lowercased(), club.contents.hasNote(named: fileName) {
            return "There is a note named “\(fileName)” already."
        }
        _ = startPending { [self] in
            do throws(StoreError) {
                let target = try RemotePath.root.appending(newName: fileName)
                let entry = try await club.perform { store throws(StoreError) in
                    try await store.move(note.path, to: target)
                }
                pathToSelect = entry.path
                club.recordRemoval(of: note.path)
                if let file = entry.file { club.record(file) }
                application?.showMessage("The note is named “\(fileName)” now.", .success)
            } catch {
                alert(club.sentence(for: error))
            }
        }
        return nil
    }

    private func deleteSelected() {
        guard let note = selected else { return }
        present(
            AlertController.confirmation(
                title: "Delete note?",
                message: "“\(note.name)” will be deleted for every member of the club.",
                confirm: "Delete", key: "d"
            ) { [weak self] in self?.delete(note) })
    }

    private func delete(_ note: RemoteFile) {
        _ = startPending { [self] in
            do throws(StoreError) {
                // The text first: what cannot be brought back is not deleted.
                let (file, text) = try await texts.text(of: note)
                try await club.perform { store throws(StoreError) in
                    try await store.delete(
                        file.path, ifRevision: file.revision, contentHash: file.contentHash)
                }
                deleted.append((file.path, text))
                club.recordRemoval(of: file.path)
                application?.showMessage("“\(file.name)” was deleted. z brings it back.")
            } catch {
                if error.code == .notFound { club.recordRemoval(of: note.path) }
                guard case .conflict = error.code else { return alert(club.sentence(for: error)) }
                present(
                    AlertController(
                        title: "Not deleted",
                        message:
                            "“\(note.name)” has just been changed by someone else. Look at it first."
                    ))
            }
        }
    }

    private func undelete() {
        guard let (path, text) = deleted.popLast() else { return }
        _ = startPending { [self] in
            do throws(StoreError) {
                let file = try await restore(text, at: path)
                pathToSelect = file.path
                club.record(file)
                application?.showMessage("“\(file.name)” is back.", .success)
            } catch {
                deleted.append((path, text))
                alert(club.sentence(for: error))
            }
        }
    }

    /// Puts a deleted text back, beside whatever has its name by now.
    private func restore(
        _ text: TextBuffer, at path: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        var (free, number) = (path, 0)
        while true {
            do throws(StoreError) {
                return try await club.perform { [free] store throws(StoreError) in
                    try await NoteDocument.put(text, at: free, mode: .add, in: store)
                }
            } catch {
                number += 1
                guard case .conflict = error.code, number < 100 else { throw error }
                let name = NoteDocument.copyName(of: path.name, number: number)
                free = try RemotePath.root.appending(name)
            }
        }
    }

    private func alert(_ words: ErrorMessage) {
        present(AlertController(title: words.title, message: TextLine(words.text)))
    }
}

extension KeyCommand {
    static let newNote = KeyCommand(
        "notes.new", keys: ["n", "+"], title: "New note", label: "new", weight: 90)
    static let editNote = KeyCommand("notes.edit", keys: ["e"], title: "Edit the note")
    static let renameNote = KeyCommand(
        "notes.rename", keys: ["r"], title: "Rename the note", label: "rename", weight: 45)
    static let deleteNote = KeyCommand(
        "notes.delete", keys: ["d"], title: "Delete the note (asks)", label: "delete", weight: 60)
    static let undeleteNote = KeyCommand(
        "notes.undelete", keys: ["z"], title: "Bring the deleted note back", label: "undo delete",
        weight: 65)
    static let refresh = KeyCommand("list.refresh", keys: ["R"], title: "Refresh the list")
    static let stopOpening = KeyCommand(
        "notes.stop", keys: ["Esc", "^C"], title: "Stop opening the note", label: "stop", weight: 97
    )

    static let notesCommands: [KeyCommand] = [
        .newNote, .editNote, .renameNote, .deleteNote, .undeleteNote, .refresh, .stopOpening,
    ]
}
