internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Opening a note, in the editor or for reading.
extension NotesViewController {
    func editNewNote() {
        edit(NoteDocument(club: club, drafts: drafts, folder: files.folder), text: TextBuffer())
    }

    func openSelected(externally: Bool = false) {
        if let note = selected { open(note, externally: externally) }
    }

    /// - Parameter hit: The caret position; nil for the last one.
    func open(_ note: RemoteFile, at hit: NoteHit? = nil, externally: Bool = false) {
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
}
