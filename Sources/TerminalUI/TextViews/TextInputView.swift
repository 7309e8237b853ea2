internal import ByteClubMessages
public import TextEditing

/// The common base of text editing views: the text, the editing commands, the clipboard.
public class TextInputView: View {
    /// Called after each change of the text by the user; not after ``load(_:)``.
    public var didChange: (@MainActor () -> Void)?

    /// Called after the caret or the selection has moved.
    public var didMoveCaret: (@MainActor () -> Void)?

    /// Whether the text can be changed; if not, it is read-only.
    public var isEditable = true {
        didSet { if isEditable != oldValue { setNeedsDisplay() } }
    }

    /// Shown while there is no text.
    public var placeholder: TextLine = "" {
        didSet { if placeholder != oldValue { setNeedsDisplay() } }
    }

    /// The clipboard; tests use separate ones.
    public var clipboard = Clipboard.shared

    var editor: TextEditor
    private var lastCut: CutPlace?

    init(_ options: TextLayoutOptions) {
        editor = TextEditor(TextBuffer(), layout: options)
        super.init()
    }

    /// Whether the view can get the focus; one that cannot still scrolls with the wheel.
    public var isFocusable = true

    public override var canBecomeFirstResponder: Bool { isFocusable }

    public override var acceptsText: Bool { isEditable }

    public override func focusDidChange() { setNeedsDisplay() }

    // MARK: - Text

    /// The text: a value that can be kept and passed on during further editing.
    public var buffer: TextBuffer { editor.text }

    /// Replaces the text: clears the undo history and the selection, and counts as saved.
    public func load(_ buffer: TextBuffer) {
        editor.load(buffer)
        didEdit()
    }

    /// Becomes a text that was saved elsewhere, as one undoable step; it counts as saved then. The caret stays in the text
    /// around it.
    ///
    /// - Parameter change: What makes it of the current text; found here if it is not known. A large one is not undoable.
    public func becomeSaved(_ text: TextBuffer, by change: TextReplacement? = nil) {
        perform { $0.becomeSaved(text, by: change) }
    }

    /// Moves the caret to the start of a line, zero-based; to the last one if there are fewer.
    public func moveCaret(toLine line: Int) {
        perform {
            let line = max(0, min(line, $0.text.lineCount - 1))
            $0.placeCaret(at: $0.text.start(ofLine: line), extending: false)
        }
    }

    /// Moves the caret to a byte offset, or to the start of the character that contains it.
    public func moveCaret(toOffset offset: Int) {
        perform { $0.placeCaret(at: $0.text.clusterBoundary(atOrBefore: offset)) }
    }

    /// Whether the text differs from what was last loaded or marked as clean.
    public var isDirty: Bool { editor.isDirty }

    /// Marks the current text as saved.
    public func markClean() {
        editor.markSaved()
        setNeedsDisplay()
    }

    /// Identifies the current text, for ``markClean(_:)`` when it was saved.
    public var state: UndoHistory.State { editor.state }

    /// Marks an earlier state as saved; later changes keep the text dirty.
    public func markClean(_ state: UndoHistory.State) {
        editor.markSaved(state)
        setNeedsDisplay()
    }

    /// The position of the caret. The column counts Unicode scalars from the start of the line.
    public var caretPosition: TextPosition {
        let text = editor.text
        let line = text.line(at: editor.caret)
        let start = text.start(ofLine: line)
        return TextPosition(
            line: line,
            column: text.scalarCount(before: editor.caret) - text.scalarCount(before: start))
    }

    /// The selected byte range; empty at the caret if nothing is selected.
    public var selectedRange: Range<Int> { editor.selection.range }

    /// Whether the caret is in a range or at one of its ends.
    public func isCaret(at range: Range<Int>) -> Bool {
        range.lowerBound <= editor.caret && editor.caret <= range.upperBound
    }

    /// Selects bytes of the text and shows them.
    public func select(_ range: Range<Int>) {
        perform { $0.select(Selection(anchor: range.lowerBound, head: range.upperBound)) }
    }

    /// Selects the whole text; the caret is at its end then.
    public func selectAll() {
        perform { $0.selectAll() }
    }

    // MARK: - Editing

    /// Replaces a part of the text, as one undoable step.
    public func replace(_ range: Range<Int>, with text: TextBuffer) {
        perform { $0.replace(range, with: text) }
    }

    /// Replaces parts of the text, as one undoable step.
    ///
    /// - Parameter edits: Ascending and disjoint, in offsets of the current text.
    public func replaceAll(_ edits: [(range: Range<Int>, text: TextBuffer)]) {
        perform { $0.replaceAll(edits) }
    }

    /// Lets `body` edit, then shows the result and notifies observers.
    func perform(_ body: (inout TextEditor) -> Void) {
        let before = (editor.state, editor.selection)
        body(&editor)
        didEdit()
        if editor.state != before.0 { didChange?() }
        if editor.selection != before.1 { didMoveCaret?() }
    }

    /// Scrolls to the caret; overridden by scrolling views.
    func didEdit() { setNeedsDisplay() }

    /// Pasted text in the form that this view accepts.
    func acceptable(_ text: String) -> TextBuffer { TextBuffer(text) }

    /// A text from the clipboard in the form that this view accepts.
    func acceptable(_ clipboard: Clipboard) -> TextBuffer { acceptable(clipboard.text.string) }

    public override func keyDown(_ press: KeyPress) -> Bool {
        guard isEditable, let text = press.text else { return false }
        perform { $0.type(text) }
        return true
    }

    public override func paste(_ text: String) -> Bool {
        guard isEditable else { return false }
        let pasted = acceptable(text)
        perform { $0.paste(pasted) }
        return true
    }

    /// Whether cut text is put into the clipboard; not for a password.
    var keepsWhatIsCut: Bool { true }

    private func copy() {
        clipboard.put(
            editor.selectedText, lineEnding: editor.text.lineEnding, for: application)
    }

    func cut(_ take: (inout TextEditor) -> TextBuffer) {
        perform {
            let lineEnding = $0.text.lineEnding
            let text = take(&$0)
            if keepsWhatIsCut {
                clipboard.put(text, lineEnding: lineEnding, for: application)
            }
        }
    }

    /// Cuts the selection, else the line. Lines that are cut one after the other are pasted together, as in nano.
    private func cutLine() {
        guard editor.selection.isEmpty else { return cut { $0.cut() } }
        let isNext = lastCut == cutPlace && keepsWhatIsCut
        let before = isNext ? clipboard.text : TextBuffer()
        cut { editor in
            let line = editor.cutLine()
            var both = before
            both.replace(both.count..<both.count, with: line)
            return both
        }
        lastCut = cutPlace
    }

    /// Where a line was cut last, the text after that, and the length of what is on the clipboard.
    private struct CutPlace: Equatable {
        var state: UndoHistory.State
        var range: Range<Int>
        var clipboardCount: Int
    }

    private var cutPlace: CutPlace {
        CutPlace(state: state, range: selectedRange, clipboardCount: clipboard.text.count)
    }

    private func pasteFromClipboard() {
        let text = acceptable(clipboard)
        perform { $0.paste(text) }
    }

    // MARK: - Keys

    /// The state that the entries depend on, as bits.
    var inputSignature: Int {
        let facts = [
            isEditable, editor.selection.isEmpty, editor.text.isEmpty, clipboard.text.isEmpty,
            editor.history.canUndo, editor.history.canRedo,
        ]
        return facts.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    func moves(_ command: KeyCommand, _ motion: TextMotion) -> KeyTable.Entry {
        command.performs { self.perform { $0.move(motion) } }
    }

    func selects(_ command: KeyCommand, _ motion: TextMotion) -> KeyTable.Entry {
        command.performs { self.perform { $0.move(motion, extending: true) } }
    }

    func deletes(_ command: KeyCommand, _ motion: TextMotion) -> KeyTable.Entry {
        command.performs { self.perform { $0.delete(motion) } }
    }

    /// Moving and selecting within a line, the same for every text.
    @KeyTableBuilder var movingEntries: [KeyTable.Entry] {
        moves(.caretLeft, .left)
        moves(.caretRight, .right)
        moves(.caretWordLeft, .wordLeft)
        moves(.caretWordRight, .wordRight)
        moves(.caretRowStart, .rowStart)
        moves(.caretRowEnd, .rowEnd)
        selects(.selectLeft, .left)
        selects(.selectRight, .right)
        selects(.selectWordLeft, .wordLeft)
        selects(.selectWordRight, .wordRight)
        selects(.selectRowStart, .rowStart)
        selects(.selectRowEnd, .rowEnd)
        KeyCommand.selectAllText.performs { self.perform { $0.selectAll() } }
    }

    @KeyTableBuilder var changingEntries: [KeyTable.Entry] {
        deletes(.deleteBackward, .left)
        deletes(.deleteForward, .right)
        deletes(.deleteWordBackward, .wordLeft)
        deletes(.deleteWordForward, .wordRight)
        KeyCommand.cutText.performs(unless: unlessSelected) { self.cut { $0.cut() } }
        KeyCommand.cutLine.performs(
            unless: editor.text.isEmpty ? localized("There is no line to cut.") : nil
        ) {
            self.cutLine()
        }
        KeyCommand.pasteText.performs(
            unless: clipboard.text.isEmpty ? localized("Nothing was cut or copied yet.") : nil
        ) { self.pasteFromClipboard() }
        KeyCommand.undoEdit.performs(
            unless: editor.history.canUndo ? nil : localized("There is nothing to undo.")
        ) { self.perform { $0.undo() } }
        KeyCommand.redoEdit.performs(
            unless: editor.history.canRedo ? nil : localized("There is nothing to redo.")
        ) { self.perform { $0.redo() } }
    }

    /// Copying. Without a selection its key is not handled: `^C` also cancels.
    @KeyTableBuilder var copyingEntries: [KeyTable.Entry] {
        if !editor.selection.isEmpty {
            KeyCommand.copyText.performs { self.copy() }
        }
    }

    private var unlessSelected: String? {
        editor.selection.isEmpty ? localized("Nothing is selected.") : nil
    }
}

/// A part of a text in a role's style.
struct TextDecoration {
    var range: Range<Int>
    var role: Role
}

extension Surface {
    /// Draws a row of laid out text from a column on, with its selection.
    ///
    /// - Parameters:
    ///   - columns: The visible columns of the row; the first one is drawn at `point`.
    ///   - decorations: Styled parts of the text, in increasing priority.
    ///   - selection: In bytes of the text.
    func draw(
        _ row: TextRow, of editor: inout TextEditor, columns: Range<Int>, at point: Point,
        style: Style, decorations: [TextDecoration] = [], selection: Range<Int>
    ) {
        let left = point.x - columns.lowerBound
        let area = Rect(x: point.x, y: point.y, width: columns.count, height: 1)
        inside(area) {
            editor.layout.forEachRun(in: row, of: editor.text, columns: columns) {
                column, _, bytes in
                writeASCII(
                    bytes, at: Point(x: left + column - point.x, y: 0), style: style)
            } glyph: { column, glyph in
                draw(glyph, at: Point(x: left + column - point.x, y: 0), style: style)
            }
            for decoration in decorations {
                let part = decoration.range.clamped(to: row.range)
                guard !part.isEmpty else { continue }
                let start = editor.layout.column(of: part.lowerBound, in: row, of: editor.text)
                let end = editor.layout.column(of: part.upperBound, in: row, of: editor.text)
                let look = theme[decoration.role]
                let isMatch = decoration.role == .match
                restyle(
                    Rect(x: start - columns.lowerBound, y: 0, width: end - start, height: 1)
                ) { isMatch || $0 == style ? look : $0.adding(look.attributes) }
            }
            guard !selection.isEmpty else { return }
            let first = max(selection.lowerBound, row.range.lowerBound)
            let end = min(selection.upperBound, row.range.upperBound)
            guard first <= end else { return }
            let start = editor.layout.column(of: first, in: row, of: editor.text)
            var stop = editor.layout.column(of: end, in: row, of: editor.text)
            // A selected line ending is shown as a cell.
            if row.isLastOfLine, selection.upperBound > row.range.upperBound,
                selection.lowerBound <= row.range.upperBound
            {
                stop += 1
            }
            let marked = theme[.selectedText]
            restyle(
                Rect(x: start - columns.lowerBound, y: 0, width: stop - start, height: 1)
            ) { _ in marked }
        }
    }
}
