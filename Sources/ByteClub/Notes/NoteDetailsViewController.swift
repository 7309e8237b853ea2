internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Receives the events of a note in the editor, and provides its frame.
@MainActor protocol NoteDetailsDelegate: AnyObject {
    /// The store has confirmed a save, or it is in the outbox.
    func noteDetails(_ editor: NoteDetailsViewController, didSave path: RemotePath)

    /// The note on the screen was loaded again: another member had changed it.
    func noteDetails(_ editor: NoteDetailsViewController, didReload path: RemotePath)

    /// A save has found a change by another member.
    func noteDetails(_ editor: NoteDetailsViewController, didFindChangeOf path: RemotePath)

    /// The text was saved as a draft of a note or of a new one.
    func noteDetails(
        _ editor: NoteDetailsViewController, didSetAside draft: Draft.ID, of path: RemotePath?)

    /// The editor was closed.
    func noteDetailsDidClose(_ editor: NoteDetailsViewController)

    /// The frame beside the list in screen cells; nil if there is not enough room.
    var paneForEditor: Rect? { get }
}

/// The editor: a note's text, and its name while it is new, with Cancel and Done.
///
/// Esc never discards text: it asks if the note was changed. A failed save leaves everything as typed.
final class NoteDetailsViewController: ViewController {
    weak var delegate: (any NoteDetailsDelegate)?
    /// Stores caret, toggles and undo history between runs.
    var memory: EditorMemory?

    /// A position in a text.
    enum Place {
        /// One-based.
        case line(Int)
        /// In bytes.
        case offset(Int)
    }

    /// The initial caret position, set before the editor is shown; nil for the last one.
    var start: Place?

    let document: NoteDocument
    let settings: EditorSettings
    /// Created on demand, if a spelling program is installed.
    var spelling: NoteSpelling?
    /// The text as it was opened, or taken over from the club since.
    var startText: TextBuffer
    /// Whether the text differs from the club's although nothing was typed.
    private let startsDirty: Bool
    /// Whether the club has it in another encoding until it is saved.
    private let isConverted: Bool
    /// The state of the text so far.
    var progress = Progress()

    let nameField = TextField()
    let textView = TextView()
    lazy var findBar = FindBar(textView)
    private lazy var form = NoteForm(
        nameField: document.isNew ? nameField : nil, textView: textView, findBar: findBar)
    lazy var panel = Panel("", content: form, padding: 1)
    private(set) lazy var follower = makeFollower()
    private lazy var buttons = ButtonRow([
        Button(localized("Cancel")) { [weak self] in self?.cancel() },
        Button(localized("Done")) { [weak self] in self?.done() },
    ])
    var saving: Task<Void, Never>?

    struct Progress {
        var isSavedOnce = false
        /// Whether the text differs from the club's, which was taken as its base: not by typing alone.
        var differsFromBase = false
        /// The bases before and after another one was taken: undo goes back to the earlier one.
        var bases: [UndoHistory.State: NoteDocument.Base] = [:]
        /// Whether both versions were put into the text, with marks that are not to be saved unasked.
        var mayHaveMarks = false
        /// Whether the stored state was read.
        var hasRecalled = false
        /// Whether the last changes were discarded.
        var isDiscarded = false
        /// Whether the other version of the last conflict was made on this computer.
        var isConflictOwn = false
        /// Whether the user's own editor has the text open.
        var isHandedOver = false
        /// Whether a spelling program was installed when the note was opened.
        var canSpell = true
    }

    /// - Parameters:
    ///   - text: The initial text.
    ///   - isConverted: Whether the club has it in another encoding.
    ///   - startsDirty: Whether closing must ask even if nothing was typed: a resumed draft.
    init(
        _ document: NoteDocument, text: TextBuffer, settings: EditorSettings = EditorSettings(),
        startsDirty: Bool = false, isConverted: Bool = false
    ) {
        self.document = document
        self.settings = settings
        startText = text
        self.startsDirty = startsDirty
        self.isConverted = isConverted
        // Those of a draft were put there in an earlier run.
        progress.mayHaveMarks = startsDirty
        super.init()
        title = document.isNew ? localized("New note") : document.name
    }

    override var presentationStyle: PresentationStyle { .pane }

    /// Whether it fills the screen even if there is room for the list.
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
            // Until the next attempt; the frame says it as long as it lasts.
            self?.application?.showMessage(sentence, .warning, for: .seconds(12))
            self?.showPlace()
        }
        document.draft.onRecovery = { [weak self] in
            self?.showPlace()
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
        // On a very small screen the text needs the row more than the buttons; the footer shows their keys.
        buttons.isHidden = bounds.height < 8
        if !buttons.isHidden {
            buttons.frame = area.takeBottom(1).inset(dx: 1)
        }
        panel.frame = area
    }

    override func viewDidAppear() {
        recall()
        ProcessMemory.didShowScreen()
    }

    override func viewDidDisappear() {
        remember()
        ProcessMemory.willRelease(byteCount: textView.buffer.count)
    }

    override var preferredFirstResponder: View? {
        document.isNew && document.name.isEmpty ? nameField : textView
    }

    var isDirty: Bool { progress.isHandedOver || hasUnsavedText }

    var hasUnsavedText: Bool {
        startsDirty && document.savedText == nil || isConverted && !progress.isSavedOnce
            || progress.differsFromBase || textView.isDirty
            || document.isNew && (!nameField.text.isEmpty || !textView.buffer.isEmpty)
    }

    /// The text including its byte order mark, which is not shown.
    var wholeText: TextBuffer {
        guard startText.hasByteOrderMark else { return textView.buffer }
        var text = TextBuffer(utf8: TextBuffer.byteOrderMark)
        text.replace(3..<3, with: textView.buffer)
        return text
    }

    /// The displayed text, without byte order mark.
    var shownText: TextBuffer { textView.buffer }

    /// A file name for the text.
    var fileName: String {
        if let file = document.file { return file.name }
        return (try? NoteName(document.name).fileName) ?? "note.txt"
    }

    /// Continues from the club's version: what is shown is a change of it.
    func takeBase(_ file: RemoteFile, _ text: TextBuffer, becoming new: TextBuffer) {
        var before = document.base
        before.isOutdated = true
        progress.bases[textView.state] = before
        document.adopt(file, text: text)
        becomeText(new.withoutByteOrderMark)
        progress.bases[textView.state] = document.base
        progress.differsFromBase = new != text
        panel.trailingTitle = nil
        // Also where the text stays as it was.
        didEdit()
    }

    /// Replaces the text in one edit.
    func becomeText(_ text: TextBuffer) {
        guard let change = textView.buffer.replacement(toBecome: text) else { return }
        textView.replace(change.range, with: change.text)
    }

    /// Whether a save is pending.
    var isSaving: Bool { saving != nil }

    /// Writes the draft before returning: the program is about to end.
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
            KeyCommand.saveNote.performs(unless: busy) { self.save(closing: false) }
            KeyCommand.doneWithNote.performs(unless: busy) { self.done() }
            KeyCommand.cancelNote.performs(label: cancelLabel) { self.cancel() }
            KeyCommand.find.performs { self.findBar.open(replacing: false) }
            KeyCommand.replace.performs { self.findBar.open(replacing: true) }
            KeyCommand.findNext.performs(unless: unlessFindable) { self.findBar.move(by: 1) }
            KeyCommand.findPrevious.performs(unless: unlessFindable) { self.findBar.move(by: -1) }
            KeyCommand.goToLine.performs { GoToLine.ask(over: self, in: self.textView) }
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
        if let base = progress.bases[textView.state] {
            document.goBack(to: base)
            progress.differsFromBase =
                base.isOutdated || base.savedText.map { $0 != wholeText } ?? true
        }
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

    /// Notes in Markdown, and notes without an extension, show headings, emphasis, code and links.
    private func showMarkup() {
        let name = document.name.lowercased()
        let suffix = name.contains(".") ? name.split(separator: ".").last.map(String.init) : nil
        textView.showsMarkup = suffix.map(["md", "markdown", "mkd", "txt"].contains) ?? true
    }

    var unlessFindable: String? {
        findBar.hasQuery ? nil : localized("Nothing was searched for yet. ^F finds.")
    }

    var unlessBeside: String? {
        delegate?.paneForEditor == nil
            ? localized("The list has room beside the note from 100 columns on.") : nil
    }

    func showPlace() {
        let place = textView.caretPosition
        // In the plain style: the numbers change with every key, and colors would double the output.
        var words = TextLine(localized("Ln \(place.line + 1), Col \(place.column + 1)"))
        if hasUnsavedText {
            let state =
                document.draft.isFailing
                ? localized("modified, not kept on the disk") : localized("modified")
            words = words + TextLine(" · ") + TextLine(state, .warning)
        }
        panel.footer = words
        panel.title = TextLine(title, .heading)
    }
}
