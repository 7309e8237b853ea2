internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI
internal import TextEditing

/// Told what becomes of a note in the editor, and asked where there is room for it.
@MainActor protocol NoteDetailsDelegate: AnyObject {
    /// The store has confirmed a save, or the text waits for it.
    func noteDetails(_ editor: NoteDetailsViewController, didSave path: RemotePath)

    /// A save has found that somebody else has changed the note.
    func noteDetails(_ editor: NoteDetailsViewController, didFindChangeOf path: RemotePath)

    /// The text was kept as a draft: of a note, or of a new one.
    func noteDetails(_ editor: NoteDetailsViewController, didSetAside path: RemotePath?)

    /// The editor has left the screen.
    func noteDetailsDidClose(_ editor: NoteDetailsViewController)

    /// Beside the list, in cells of the screen; nil where there is no room for both.
    var paneForEditor: Rect? { get }
}

/// The editor pane: a note's text, and its name while it is new, with Cancel and Done.
///
/// Esc never drops text: a changed note asks. A failed save leaves everything as it was typed.
final class NoteDetailsViewController: ViewController {
    weak var delegate: (any NoteDetailsDelegate)?
    /// Where the caret, the toggles and what can be undone are kept over restarts.
    var memory: EditorMemory?

    /// A place in a text.
    enum Place {
        /// From 1.
        case line(Int)
        /// In bytes.
        case offset(Int)
    }

    /// Where the caret is at first, set before the editor is shown; nil for where the note was left.
    var start: Place?

    let document: NoteDocument
    let settings: EditorSettings
    /// Once it was wanted, and a spelling program is installed.
    var spelling: NoteSpelling?
    let startText: TextBuffer
    /// Whether the text differs from what is in the club although nothing has been typed here.
    private let startsDirty: Bool
    /// Whether the club has it in another encoding until it is saved.
    private let isConverted: Bool
    /// What has become of the text so far.
    var progress = Progress()

    let nameField = TextField()
    let textView = TextView()
    lazy var findBar = FindBar(textView)
    private lazy var form = NoteForm(
        nameField: nameField, textView: textView, findBar: findBar, showsName: document.isNew)
    lazy var panel = Panel("", content: form, padding: 1)
    private lazy var follower = makeFollower()
    private lazy var buttons = ButtonRow([
        Button(localized("Cancel")) { [weak self] in self?.cancel() },
        Button(localized("Done")) { [weak self] in self?.done() },
    ])
    var saving: Task<Void, Never>?

    struct Progress {
        var isSavedOnce = false
        /// Whether caret and toggles were looked up.
        var hasRecalled = false
        /// Whether what was typed last is not wanted.
        var isDiscarded = false
        /// Whether the person's own editor has the text.
        var isHandedOver = false
        /// Whether a spelling program was installed when the note was opened.
        var canSpell = true
    }

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

    /// Whether it fills the screen though there is room for the list.
    var fillsScreen = false {
        didSet { setNeedsPresentationLayout() }
    }

    override func paneFrame(in bounds: Rect) -> Rect {
        fillsScreen ? bounds : delegate?.paneForEditor ?? bounds
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
        switch start {
        case .line(let line): textView.moveCaret(toLine: line - 1)
        case .offset(let offset): textView.moveCaret(toOffset: offset)
        case nil: break
        }
        document.draft.caret = { [weak self] in self?.textView.memory.selection.head }
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
        progress.canSpell = SpellingProgram.Choice(language: settings.spelling.language) != nil
        if settings.spelling != .off { markSpelling() }
        document.draft.onFailure = { [weak self] sentence in
            // Until the next attempt.
            self?.application?.showMessage(sentence, .warning, for: .seconds(12))
        }
        document.draft.onRecovery = { [weak self] in
            self?.application?.showMessage(
                localized("What you type is kept as a draft again."), .success)
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

    override func viewDidDisappear() { remember() }

    override var preferredFirstResponder: View? {
        document.isNew && document.name.isEmpty ? nameField : textView
    }

    var isDirty: Bool { progress.isHandedOver || hasUnsavedText }

    var hasUnsavedText: Bool {
        startsDirty && document.savedText == nil || isConverted && !progress.isSavedOnce
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
        document.draft.keepNow(wholeText)
    }

    override var keyTableSignature: Int? {
        let facts = [
            isSaving, document.isNew, findBar.isHidden, findBar.hasQuery,
            delegate?.paneForEditor == nil,
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
            KeyCommand.checkSpelling.performs(unless: busy ?? unlessSpelling) {
                self.checkSpelling()
            }
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
    func didEdit() {
        document.name = document.isNew ? nameField.text : document.name
        if document.isNew { showMarkup() }
        if isDirty {
            document.draft.textDidChange { [weak self] in
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

    var unlessFindable: String? {
        findBar.hasQuery ? nil : localized("Nothing was looked for yet. ^F finds.")
    }

    var unlessBeside: String? {
        delegate?.paneForEditor == nil
            ? localized("The list has room beside the note from 100 columns on.") : nil
    }

    func showPlace() {
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
