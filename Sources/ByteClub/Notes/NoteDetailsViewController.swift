internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI
internal import TextEditing

/// The editor pane: a note's text, and its name while it is new, with Cancel and Done.
///
/// Esc never drops text: a changed note asks. A failed save leaves everything as it was typed.
final class NoteDetailsViewController: ViewController {
    /// Called with the note's path after each save that the store has confirmed.
    var didSave: ((RemotePath) -> Void)?
    /// Called with the note's path when a save has found that somebody else has changed it.
    var didFindChange: ((RemotePath) -> Void)?
    /// Where the caret, the toggles and what can be undone are kept over restarts.
    var memory: EditorMemory?
    /// Called when the editor has left the screen.
    var didClose: (@MainActor () -> Void)?
    /// Called when the text was kept as a draft: of this note, or of a new one.
    var didSetAside: (@MainActor (RemotePath?) -> Void)?

    /// Where the caret is at first, from 1; set before the editor is shown.
    var startLine = 1

    let document: NoteDocument
    let settings: EditorSettings
    /// Once it was wanted, and a spelling program is installed.
    var spelling: NoteSpelling?
    private let startText: TextBuffer
    /// Whether the text differs from what is in the club although nothing has been typed here.
    private let startsDirty: Bool
    /// Whether the club has it in another encoding until it is saved.
    private let isConverted: Bool
    private var isSavedOnce = false
    private var hasRecalled = false
    /// Whether what was typed last is not wanted.
    private var isDiscarded = false

    private let nameField = TextField()
    let textView = TextView()
    private lazy var findBar = FindBar(textView)
    private lazy var form = NoteForm(
        nameField: nameField, textView: textView, findBar: findBar, showsName: document.isNew)
    lazy var panel = Panel("", content: form, padding: 1)
    private lazy var follower = makeFollower()
    private lazy var cancelButton = Button(localized("Cancel")) { [weak self] in self?.cancel() }
    private lazy var doneButton = Button(localized("Done")) { [weak self] in self?.done() }
    private lazy var buttons = ButtonRow([cancelButton, doneButton])
    private var saving: Task<Void, Never>?
    /// Whether the person's own editor has the text.
    var isHandedOver = false

    /// - Parameters:
    ///   - text: What the editor starts with.
    ///   - isConverted: Whether the club has it in another encoding.
    ///   - startsDirty: Whether leaving without a key pressed must ask already: a draft taken up again.
    init(
        _ document: NoteDocument, text: TextBuffer, settings: EditorSettings = EditorSettings(),
        startsDirty: Bool = false, isConverted: Bool = false
    ) {
        self.document = document
        self.settings = settings
        startText = text
        self.startsDirty = startsDirty
        self.isConverted = isConverted
        super.init()
        title = document.isNew ? localized("New note") : document.name
    }

    override var presentationStyle: PresentationStyle { .pane }

    /// Where the editor stands beside the list, in cells of the screen; nil where there is no room for both.
    var paneBesideList: (() -> Rect?)?
    /// Whether it fills the screen though there is room for the list.
    private var fillsScreen = false {
        didSet { setNeedsPresentationLayout() }
    }

    override func paneFrame(in bounds: Rect) -> Rect {
        fillsScreen ? bounds : paneBesideList?() ?? bounds
    }

    override func viewDidLoad() {
        if document.isNew {
            nameField.text = document.name
            nameField.didSubmit = { [weak self] in self?.textView.becomeFirstResponder() }
            nameField.didChange = { [weak self] in self?.didEdit() }
        }
        textView.wrapsLines = settings.wrapsLines
        textView.showsLineNumbers = settings.showsLineNumbers
        textView.tabWidth = settings.tabWidth
        textView.load(startText.withoutByteOrderMark)
        if startLine > 1 { textView.moveCaret(toLine: startLine - 1) }
        textView.placeholder = TextLine(localized("Write here."), .secondary)
        textView.continuesLines = true
        textView.didChange = { [weak self] in
            self?.didEdit()
            self?.findBar.textDidChange()
        }
        textView.didMoveCaret = { [weak self] in
            self?.showPlace()
            self?.findBar.selectionDidChange()
            self?.spelling?.caretDidMove()
        }
        showMarkup()
        if settings.spelling != .off { markSpelling() }
        document.onDraftFailure = { [weak self] sentence in
            self?.application?.showMessage(sentence, .warning)
        }
        view.addSubview(panel)
        view.addSubview(buttons)
        showPlace()
        follower.start()
    }

    override func layoutView(in bounds: Rect) {
        var area = bounds
        // On a very small screen the text needs the row more than the buttons do: the footer has their keys.
        buttons.isHidden = bounds.height < 8
        if !buttons.isHidden {
            buttons.frame = area.takeBottom(1).inset(dx: 1)
        }
        panel.frame = area
    }

    override func viewDidAppear() { recall() }

    override func viewDidDisappear() {
        guard let memory, let path = document.file?.path else { return }
        var remembered = textView.memory
        if isDiscarded { remembered.history = UndoHistory() }
        // What is as the settings say follows them when they change.
        if remembered.wrapsLines == settings.wrapsLines { remembered.wrapsLines = nil }
        if remembered.showsLineNumbers == settings.showsLineNumbers {
            remembered.showsLineNumbers = nil
        }
        let text = wholeText
        Task { await memory.save(remembered, of: path, text: text) }
    }

    /// Goes back to where the note was left, unless a key was quicker.
    private func recall() {
        guard let memory, !hasRecalled, let path = document.file?.path else { return }
        hasRecalled = true
        let (state, place, text) = (textView.state, textView.selectedRange, startText)
        _ = startPending { [self] in
            guard var remembered = await memory.load(path, text: text), textView.state == state,
                textView.selectedRange == place, !textView.isDirty,
                // Another member may have changed the note meanwhile.
                shownText == text.withoutByteOrderMark
            else { return }
            if startLine > 1 {
                // A line was asked for.
                remembered.selection = textView.memory.selection
                remembered.scrollAnchor = textView.memory.scrollAnchor
            }
            textView.restore(remembered)
        }
    }

    override var preferredFirstResponder: View? {
        document.isNew && document.name.isEmpty ? nameField : textView
    }

    var isDirty: Bool { isHandedOver || hasUnsavedText }

    private var hasUnsavedText: Bool {
        startsDirty && document.savedText == nil || isConverted && !isSavedOnce
            || textView.isDirty
            || document.isNew && (!nameField.text.isEmpty || !textView.buffer.isEmpty)
    }

    /// The text with the mark at its beginning that it came with, which is not shown.
    var wholeText: TextBuffer {
        guard startText.hasByteOrderMark else { return textView.buffer }
        var text = TextBuffer(utf8: TextBuffer.byteOrderMark)
        text.replace(3..<3, with: textView.buffer)
        return text
    }

    /// The text as it is shown: without the mark.
    var shownText: TextBuffer { textView.buffer }

    /// The name of a file that the text could stand in.
    var fileName: String {
        if let file = document.file { return file.name }
        return (try? NoteName(document.name).fileName) ?? "note.txt"
    }

    /// Makes the text another one, as one edit.
    func becomeText(_ text: TextBuffer) {
        guard let change = textView.buffer.replacement(toBecome: text) else { return }
        textView.replace(change.range, with: change.text)
    }

    /// Whether a save is under way.
    var isSaving: Bool { saving != nil }

    /// Writes the draft before returning; the program is about to end.
    func keepDraftNow() {
        guard hasUnsavedText else { return }
        document.keepDraftNow(wholeText)
    }

    override var keyTableSignature: Int? {
        let facts = [
            isSaving, document.isNew, findBar.isHidden, findBar.hasQuery, paneBesideList?() == nil,
        ]
        return facts.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    override var keyTable: KeyTable {
        let busy = isSaving ? localized("The note is being saved.") : nil
        return KeyTable(document.isNew ? localized("New note") : localized("Note")) {
            KeyCommand.doneWithNote.performs(unless: busy) { self.done() }
            KeyCommand.saveNote.performs(unless: busy) { self.save(closing: false) }
            KeyCommand.cancelNote.performs(label: cancelLabel) { self.cancel() }
            KeyCommand.find.performs { self.findBar.open(replacing: false) }
            KeyCommand.replace.performs { self.findBar.open(replacing: true) }
            KeyCommand.findNext.performs(unless: unlessFindable) { self.findBar.move(by: 1) }
            KeyCommand.findPrevious.performs(unless: unlessFindable) { self.findBar.move(by: -1) }
            KeyCommand.handOverNote.performs(unless: busy) {
                self.handOver(savingAfterwards: false)
            }
            KeyCommand.checkSpelling.performs(unless: busy) { self.checkSpelling() }
            KeyCommand.markSpelling.performs { self.toggleSpellingMarks() }
            KeyCommand.toggleWholeScreen.performs(unless: unlessBeside) {
                self.fillsScreen.toggle()
            }
            KeyCommand.nextField.performs { self.focusNext() }
            KeyCommand.previousField.performs { self.focusPrevious() }
        }
    }
}

// MARK: - Editing

extension NoteDetailsViewController {
    private func didEdit() {
        document.name = document.isNew ? nameField.text : document.name
        if document.isNew { showMarkup() }
        if isDirty {
            document.textDidChange { [weak self] in
                guard let self, isDirty else { return nil }
                return wholeText
            }
        }
        showPlace()
    }

    /// Notes without an extension of their own, and Markdown's, show headings, emphasis, code and links.
    private func showMarkup() {
        let name = document.name.lowercased()
        let suffix = name.contains(".") ? name.split(separator: ".").last.map(String.init) : nil
        textView.showsMarkup = suffix.map(["md", "markdown", "mkd", "txt"].contains) ?? true
    }

    private var unlessFindable: String? {
        findBar.hasQuery ? nil : localized("Nothing was looked for yet. ^F finds.")
    }

    private var unlessBeside: String? {
        paneBesideList?() == nil
            ? localized("The list has room beside the note from 100 columns on.") : nil
    }

    private func showPlace() {
        let place = textView.caretPosition
        // In the plain style: the numbers change with every key, and colors would double its bytes.
        var words = TextLine(localized("Ln \(place.line + 1), Col \(place.column + 1)"))
        if hasUnsavedText {
            words = words + TextLine(" · ") + TextLine(localized("modified"), .warning)
        }
        panel.footer = words
        panel.title = TextLine(title, .heading)
    }
}

// MARK: - Cancel and Done

extension NoteDetailsViewController {
    private var cancelLabel: String? {
        if isSaving { return localized("stop saving") }
        return findBar.isHidden ? nil : localized("close find")
    }

    private func cancel() {
        if isSaving {
            saving?.cancel()
            return
        }
        guard findBar.isHidden else { return findBar.close(goingBack: false) }
        guard isDirty else { return close() }
        present(
            AlertController(
                title: localized("Save the changes?"),
                message: TextLine(
                    localized("“\(shownName)” has changes that are not in the club yet.")),
                actions: [
                    AlertAction(localized("Save"), key: "s") { [weak self] in
                        self?.save(closing: true)
                    },
                    AlertAction(localized("Discard"), key: "D", kind: .destructive) { [weak self] in
                        self?.close()
                    },
                    AlertAction(localized("Keep as draft"), key: "d") { [weak self] in
                        self?.setAside()
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 3))
    }

    /// Leaves; the text waits on this computer until the note is opened again.
    private func setAside() {
        let text = wholeText
        saving = startPending { [self] in
            let failure = await document.setAside(text)
            saving = nil
            if let failure { return alert(localized("Not kept as a draft"), failure) }
            application?.showMessage(
                document.isNew
                    ? localized("Kept as a draft: n opens it again.")
                    : localized("Kept as a draft: it opens with “\(document.name)”."), .success)
            didSetAside?(document.file?.path)
            dismiss { [didClose] in didClose?() }
        }
    }

    private func done() {
        guard !isSaving else { return }
        if !document.isNew, !isDirty { return close() }
        save(closing: true)
    }

    private var shownName: String {
        document.name.isEmpty ? localized("The new note") : document.name
    }

    /// Leaves; the draft is given up, because the text is in the club or not wanted.
    func close() {
        isDiscarded = hasUnsavedText
        document.discardDraft()
        dismiss { [didClose] in didClose?() }
    }

    func save(closing: Bool, mode: NoteDocument.SaveMode = .careful, asCopy: Bool = false) {
        guard !isSaving else { return }
        let (text, state) = (wholeText, textView.state)
        application?.showMessage(localized("Saving “\(shownName)”…"), for: nil)
        saving = startPending { [self] in
            do throws(NoteDocument.SaveFailure) {
                if asCopy {
                    try await document.saveAsCopy(text)
                } else {
                    try await document.save(text, mode: mode)
                }
                saving = nil
                didFinishSaving(text, state, closing: closing)
            } catch {
                saving = nil
                application?.dismissMessage()
                explain(error, closing: closing)
            }
        }
    }

    private func didFinishSaving(_ text: TextBuffer, _ state: UndoHistory.State, closing: Bool) {
        if document.isWaiting {
            application?.showMessage(
                localized("Kept here; it goes to the club when it is reachable."), .success)
        } else {
            application?.showMessage(localized("“\(document.name)” is in the club."), .success)
        }
        if let path = document.file?.path { didSave?(path) }
        // What is in the club is the text as it was sent. Keys pressed meanwhile, an undo too, are
        // changes of their own, and stay.
        textView.markClean(state)
        isSavedOnce = true
        title = document.name
        if textView.isDirty {
            didEdit()
        } else if closing {
            close()
        } else {
            document.discardDraft()
            showPlace()
        }
    }

    private func explain(_ failure: NoteDocument.SaveFailure, closing: Bool) {
        switch failure {
        case .badName(let refusal):
            nameField.becomeFirstResponder()
            alert(localized("Invalid name"), "\(refusal)")
        case .nameTaken(let fileName):
            nameField.becomeFirstResponder()
            alert(
                localized("The name is taken"),
                localized(
                    "There is a note named “\(fileName)” already. Give this one another name."))
        case .tooLarge:
            alert(
                localized("Too large for a note"),
                localized(
                    "A note may have \(NoteDocument.byteLimit >> 20) MiB at most. Shorten it, or save the rest as another note."
                )
            )
        case .changedMeanwhile:
            if let path = document.file?.path { didFindChange?(path) }
            settleConflict(closing: closing)
        case .store(let error) where error.code == .cancelled:
            application?.showMessage(localized("Stopped saving. The text is still here."), .warning)
        case .store(let error)
        where document.club.signInAgain != nil
            && document.club.settings.isFixedBySignIn(error):
            askToSignIn(error, closing: closing)
        case .store(let error):
            let words = document.club.sentence(for: error)
            alert(words.title, words.text + localized(" Your text is still here."))
        }
    }

    /// Signed in again, the note is saved as it was meant to be.
    private func askToSignIn(_ error: StoreError, closing: Bool) {
        let words = document.club.sentence(for: error)
        present(
            AlertController(
                title: words.title,
                message: TextLine(words.text + localized(" Your text is still here.")),
                actions: [
                    AlertAction(localized("Sign in"), key: "s") { [weak self] in
                        self?.document.club.signInAgain? { self?.save(closing: closing) }
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ]))
    }

    func askAboutConflict(closing: Bool) {
        present(
            AlertController(
                title: localized("Changed by someone else"),
                message: TextLine(
                    localized(
                        """
                        “\(document.name)” was changed in the club after you opened it. \
                        Nothing is lost yet: keep both, or replace the other version with yours.
                        """)),
                actions: [
                    AlertAction(localized("Compare"), key: "c") { [weak self] in
                        self?.compare(closing: closing)
                    },
                    AlertAction(localized("Keep both"), key: "b") { [weak self] in
                        self?.save(closing: closing, asCopy: true)
                    },
                    AlertAction(localized("Replace"), key: "r", kind: .destructive) { [weak self] in
                        self?.save(closing: closing, mode: .replacing)
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 1))
    }

    /// Shows how the two versions differ, and asks again.
    private func compare(closing: Bool) {
        let text = wholeText
        present(
            WaitingViewController(
                title: localized("Compare"),
                sentence: localized("Fetching the other version of “\(document.name)”…"),
                didGiveUp: { [weak self] in self?.askAboutConflict(closing: closing) }
            ) { [weak self, document] in
                do throws(StoreError) {
                    let comparison = try await document.comparison(with: text)
                    return { wasGivenUp in
                        guard let self, !wasGivenUp else { return }
                        self.present(
                            NoteComparisonViewController(name: document.name, text: comparison) {
                                [weak self] in self?.askAboutConflict(closing: closing)
                            })
                    }
                } catch {
                    let words = document.club.sentence(for: error)
                    return { wasGivenUp in
                        if !wasGivenUp {
                            self?.alert(
                                words.title, words.text + localized(" Your text is still here."))
                        }
                    }
                }
            })
    }

    private func alert(_ title: String, _ sentence: String) {
        present(AlertController(title: title, message: TextLine(sentence)))
    }
}

extension KeyCommand {
    static let doneWithNote = KeyCommand(
        "editor.done", keys: ["F2", "^Q"], title: localized("Done: save and close"),
        label: localized("Done"), weight: 99)
    static let saveNote = KeyCommand(
        "editor.save", keys: ["^S"], title: localized("Save and stay"), label: localized("save"),
        weight: 70)
    static let cancelNote = KeyCommand(
        "editor.cancel", keys: ["Esc"],
        title: localized("Cancel: close, asking when something is unsaved"),
        label: localized("Cancel"), weight: 98)

    static let toggleWholeScreen = KeyCommand(
        "editor.whole-screen", keys: ["F11"],
        title: localized("The whole screen, or beside the list"),
        label: localized("whole screen"), weight: 31)

    static let handOverNote = KeyCommand(
        "editor.external", keys: ["M-e"],
        title: localized("Edit in $VISUAL or $EDITOR"),
        label: "$EDITOR", weight: 32)

    static let editorCommands: [KeyCommand] = [
        .doneWithNote, .saveNote, .cancelNote, .handOverNote, .checkSpelling, .markSpelling,
        .toggleWholeScreen,
    ]
}
