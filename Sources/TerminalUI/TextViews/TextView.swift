internal import Messages
public import TextEditing

/// An editor for text of any size.
///
/// Lines wrap between words, or scroll sideways when ``wrapsLines`` is off. Only rows on the screen
/// are laid out and drawn. A text that is not editable has no caret: the keys that move it scroll.
public final class TextView: TextInputView {
    /// Whether long lines go on in further rows.
    public var wrapsLines = true {
        didSet {
            guard wrapsLines != oldValue else { return }
            firstVisibleColumn = 0
            setNeedsLayout()
        }
    }

    /// Whether each line's number, from 1, stands before its first row.
    public var showsLineNumbers = false {
        didSet { if showsLineNumbers != oldValue { setNeedsLayout() } }
    }

    /// Tab width.
    public var tabWidth = 4 {
        didSet { if tabWidth != oldValue { setNeedsLayout() } }
    }

    /// Whether headings, emphasis, code and links of Markdown have looks of their own.
    public var showsMarkup = false {
        didSet { if showsMarkup != oldValue { setNeedsDisplay() } }
    }

    /// Those of some words that are to be marked as misspelled; nil marks none. Asked about words on the
    /// screen, each time that the text there changes, as offsets of the text.
    public var markedWords: (@MainActor ([Range<Int>]) -> [Range<Int>])? {
        didSet { markedWordsDidChange() }
    }

    /// Whether a new line begins as the one before does: indented, and as the next item of a list.
    public var continuesLines = false

    /// Parts of the text that were looked for, in ascending order.
    public var matches: [Range<Int>] = [] {
        didSet { if matches != oldValue { setNeedsDisplay() } }
    }

    /// Whether Tab writes a tab; if not, the key is left to others.
    public var insertsTabs = true

    /// The first cell shown of lines that do not wrap.
    var firstVisibleColumn = 0
    /// The rows on the screen, once they are known.
    var visibleRows: [TextRow] = []

    /// Called when another row has become the first one on the screen.
    public var didScroll: (@MainActor () -> Void)?
    /// Called when somebody scrolls on at an end of the text; with 1 at the last row, -1 at the first.
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
        super.load(buffer)
    }

    /// Lines end as the text's own lines do.
    override func acceptable(_ text: String) -> TextBuffer {
        guard editor.text.lineEnding == .carriageReturnLineFeed, text.utf8.contains(0x0A) else {
            return TextBuffer(text)
        }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x0A, bytes.last != 0x0D { bytes.append(0x0D) }
            bytes.append(byte)
        }
        return TextBuffer(utf8: bytes)
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

    public override func mouse(_ event: MouseEvent) -> Bool { handle(event) }

    // MARK: - Keys

    public override var keyTableSignature: Int? {
        inputSignature << 4 | (insertsTabs ? 1 : 0) | (continuesLines ? 2 : 0)
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
                        KeyCommand.insertTab.performs { self.perform { $0.type("\t") } }
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
