internal import ByteClubMessages
public import TextEditing

/// An editor for texts of any size.
///
/// Lines wrap between words, or scroll sideways if ``wrapsLines`` is off. Only visible rows are laid out and
/// drawn. A text that is not editable has no caret: the keys that move it scroll.
public final class TextView: TextInputView {
    /// Whether long lines wrap.
    public var wrapsLines = true {
        didSet {
            guard wrapsLines != oldValue else { return }
            firstVisibleColumn = 0
            setNeedsLayout()
        }
    }

    /// Whether line numbers are shown, starting at 1.
    public var showsLineNumbers = false {
        didSet { if showsLineNumbers != oldValue { setNeedsLayout() } }
    }

    /// Tab width.
    public var tabWidth = 4 {
        didSet { if tabWidth != oldValue { setNeedsLayout() } }
    }

    /// Whether headings, emphasis, code and links in Markdown are styled.
    public var showsMarkup = false {
        didSet { if showsMarkup != oldValue { setNeedsDisplay() } }
    }

    /// Returns the misspelled ones among the words on the screen, as offsets of the text; nil marks none.
    /// Called each time that the visible text changes.
    public var markedWords: (@MainActor ([Range<Int>]) -> [Range<Int>])? {
        didSet { markedWordsDidChange() }
    }

    /// Whether a new line continues the indentation and the list of the previous one.
    public var continuesLines = false

    /// The search matches, in ascending order.
    public var matches: [Range<Int>] = [] {
        didSet { if matches != oldValue { setNeedsDisplay() } }
    }

    /// Parts of the text in a role's style. They move with the text as it is edited; ``load(_:)`` removes
    /// them.
    public var highlights: [TextHighlight] = [] {
        didSet { if highlights != oldValue { setNeedsDisplay() } }
    }

    /// Whether Tab inserts a tab; if not, the key is not handled.
    public var insertsTabs = true

    /// The first visible column of lines that do not wrap.
    var firstVisibleColumn = 0
    /// The visible rows, once laid out.
    var visibleRows: [TextRow] = []

    /// Called when the first visible row changes.
    public var didScroll: (@MainActor () -> Void)?
    /// Called when the user scrolls beyond an end of the text; with 1 at the last row, -1 at the first.
    public var didScrollBeyond: (@MainActor (_ direction: Int) -> Void)?
    var lastClick: (point: Point, time: ContinuousClock.Instant, count: Int)?
    var markupCache: MarkupCache?

    /// An empty text that can be edited.
    public init() {
        super.init(TextLayoutOptions(columns: 80))
    }

    public override func load(_ buffer: TextBuffer) {
        firstVisibleColumn = 0
        markupCache = nil
        matches = []
        highlights = []
        super.load(buffer)
    }

    override func perform(_ body: (inout TextEditor) -> Void) {
        guard !highlights.isEmpty else { return super.perform(body) }
        let (text, state) = (editor.text, editor.state)
        super.perform(body)
        if editor.state != state { shiftHighlights(from: text) }
    }

    /// Uses the line endings of the text.
    override func acceptable(_ text: String) -> TextBuffer {
        guard editor.text.lineEnding == .carriageReturnLineFeed else { return TextBuffer(text) }
        return TextBuffer(text).ending(linesWith: .carriageReturnLineFeed)
    }

    /// Those of one text stay as they are, even where they differ.
    override func acceptable(_ clipboard: Clipboard) -> TextBuffer {
        let ending = editor.text.lineEnding
        return editor.text.isEmpty || clipboard.lineEnding == ending
            ? clipboard.text : clipboard.text.ending(linesWith: ending)
    }

    override func didEdit() {
        visibleRows = []
        if isEditable { scrollToCaret() }
        super.didEdit()
    }

    public override func layoutSubviews() {
        updateLayout()
        if isEditable { scrollToCaret() }
        fillFromBelow()
    }

    public override var cursorPosition: Point? {
        guard isEditable else { return nil }
        let rows = rowsOnScreen()
        let caretRow = editor.caretRow
        guard let index = rows.firstIndex(where: { $0.range == caretRow.range }) else { return nil }
        return Point(x: gutterWidth + editor.caretColumn - firstVisibleColumn, y: index)
    }

    public override func draw(on surface: Surface) {
        let style = surface.theme[.text]
        if editor.text.isEmpty {
            surface.draw(placeholder, at: Point(x: gutterWidth, y: 0), columns: textWidth)
        }
        let columns = firstVisibleColumn..<firstVisibleColumn + textWidth
        let rows = rowsOnScreen()
        let decorations = decorations(of: rows)
        for (index, row) in rows.enumerated() {
            if gutterWidth > 0, row.isFirstOfLine {
                let number = "\(row.line + 1)"
                surface.draw(
                    number, at: Point(x: gutterWidth - 1 - number.utf8.count, y: index),
                    role: row.line == caretLine ? .accent : .secondary)
            }
            surface.draw(
                row, of: &editor, columns: columns, at: Point(x: gutterWidth, y: index),
                style: style, decorations: decorations[index], selection: editor.selection.range)
        }
    }

    public override func mouse(_ event: MouseEvent) -> Bool { handle(event) == .used }

    // MARK: - Keys

    public override var keyTableSignature: Int? {
        inputSignature << 4 | (insertsTabs ? 1 : 0) | (continuesLines ? 2 : 0)
            | (insertsTabs && editor.canOutdent ? 4 : 0)
            | (insertsTabs && editor.indentsLines ? 8 : 0)
    }

    public override var keyTable: KeyTable {
        KeyTable(localized("Text")) {
            if isEditable {
                KeyCommand.newLine.performs { self.typeLineBreak() }
                if continuesLines {
                    KeyCommand.plainNewLine.performs { self.perform { $0.typeLineBreak() } }
                }
                if insertsTabs {
                    if editor.indentsLines {
                        KeyCommand.insertTab.performs { self.perform { $0.indentLines() } }
                        KeyCommand.outdentLines.performs { self.perform { $0.outdentLines() } }
                    } else {
                        KeyCommand.insertTab.performs { self.perform { $0.typeTab() } }
                        if editor.canOutdent {
                            KeyCommand.outdentLines.performs { self.perform { $0.outdentLines() } }
                        }
                    }
                }
                movingEntries
                moves(.caretUp, .rows(-1))
                moves(.caretDown, .rows(1))
                moves(.caretPageUp, .rows(-pageStep))
                moves(.caretPageDown, .rows(pageStep))
                moves(.caretTextStart, .textStart)
                moves(.caretTextEnd, .textEnd)
                selects(.selectUp, .rows(-1))
                selects(.selectDown, .rows(1))
                selects(.selectPageUp, .rows(-pageStep))
                selects(.selectPageDown, .rows(pageStep))
                selects(.selectTextStart, .textStart)
                selects(.selectTextEnd, .textEnd)
                changingEntries
                copyingEntries
                KeyCommand.toggleLineNumbers.performs { self.showsLineNumbers.toggle() }
            } else {
                scrollingEntries
            }
            KeyCommand.toggleWrapping.performs { self.wrapsLines.toggle() }
            KeyCommand.editorKeys.performs { self.application?.presentKeyMenu() }
        }
    }

    @KeyTableBuilder private var scrollingEntries: [KeyTable.Entry] {
        KeyCommand.caretUp.performs { self.scroll(by: -1) }
        KeyCommand.caretDown.performs { self.scroll(by: 1) }
        KeyCommand.caretPageUp.performs { self.scroll(by: -self.pageStep) }
        KeyCommand.caretPageDown.performs { self.scroll(by: self.pageStep) }
        KeyCommand.caretRowStart.performs { self.scroll(to: 0) }
        KeyCommand.caretRowEnd.performs { self.scroll(to: self.editor.text.count) }
    }

    private func typeLineBreak() {
        perform {
            if continuesLines { $0.typeContinuedLineBreak() } else { $0.typeLineBreak() }
        }
    }

    private var pageStep: Int { max(1, bounds.height - 1) }

    private var caretLine: Int { editor.text.line(at: editor.caret) }
}
