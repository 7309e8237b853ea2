internal import Messages
internal import TextEditing

/// A line of text to write: a name, a path, a filter.
///
/// The keys are those of ``TextView``; up, down and Esc are left to the superview. Text wider than
/// the field scrolls sideways.
public final class TextField: TextInputView {
    /// Called when Enter is pressed; without it the key is left to others.
    public var didSubmit: (@MainActor () -> Void)?

    /// Asked when Tab is pressed what the text should become; nil leaves Tab to move the focus.
    ///
    /// Asked after each change too, for the footer to know whether there is something to complete.
    public var completion: (@MainActor (String) -> String?)?

    /// Asked first about what is pasted: true when it was taken elsewhere, and is not to be written here.
    public var takesPaste: (@MainActor (String) -> Bool)?

    /// Whether a password is written here: dots are drawn, and nothing can be copied out of it.
    public var isSecure = false {
        didSet { if isSecure != oldValue { setNeedsDisplay() } }
    }

    override var keepsWhatIsCut: Bool { !isSecure }

    /// The first cell of the text that is shown.
    private var firstVisibleColumn = 0
    /// What the completion said of the text it was asked about last.
    private var known: (text: String, completed: String?)?

    /// An empty field, one row high.
    public init() {
        super.init(TextLayoutOptions(columns: 1, wraps: false))
    }

    /// The text. Setting it puts the caret at its end, forgets what could be undone and tells nobody.
    public var text: String {
        get { editor.text.string }
        set {
            guard newValue != text else { return }
            editor.load(acceptable(newValue))
            editor.move(.textEnd)
            didEdit()
        }
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        Size(width: available.width, height: min(1, available.height))
    }

    /// The most that is taken from one paste, in characters: a name or a path, not a book.
    static let pasteLimit = 4_096

    /// What is pasted becomes one line; what is far too long for one is cut.
    override func acceptable(_ text: String) -> TextBuffer {
        let lines = text.prefix(Self.pasteLimit).split(whereSeparator: \.isNewline)
        return TextBuffer(lines.joined(separator: " "))
    }

    override func didEdit() {
        firstVisibleColumn = scrolled()
        super.didEdit()
    }

    public override func layoutSubviews() {
        firstVisibleColumn = scrolled()
    }

    /// The first column to show so that the caret, and as much text as fits, can be seen.
    private func scrolled() -> Int {
        let width = max(1, bounds.width)
        let column = editor.caretColumn
        let row = editor.caretRow
        let end = editor.layout.column(of: row.range.upperBound, in: row, of: editor.text)
        var first = min(firstVisibleColumn, max(0, end + 1 - width))
        if column < first { first = max(0, column - width / 4) }
        if column >= first + width { first = column - width + 1 }
        return first
    }

    public override var cursorPosition: Point? {
        guard isEditable else { return nil }
        if isSecure { return Point(x: min(dotCount(before: editor.caret), bounds.width - 1), y: 0) }
        return Point(x: editor.caretColumn - firstVisibleColumn, y: 0)
    }

    public override func draw(on surface: Surface) {
        let style = surface.theme[isFirstResponder ? .focusedField : .field]
        let row = Rect(x: 0, y: 0, width: bounds.width, height: 1)
        surface.fill(row, with: Cell(.space, style: style))
        if editor.text.isEmpty {
            surface.draw(placeholder, at: .zero, columns: bounds.width, on: style)
            return
        }
        if isSecure {
            let dots = String(repeating: "•", count: dotCount(before: editor.text.count))
            surface.draw(TextLine(dots), at: .zero, columns: bounds.width, on: style)
            return
        }
        let line = editor.caretRow
        surface.draw(
            line, of: &editor, columns: firstVisibleColumn..<firstVisibleColumn + bounds.width,
            at: .zero, style: style,
            selection: isFirstResponder ? editor.selection.range : 0..<0)
    }

    // MARK: - Keys

    public override var keyTable: KeyTable {
        KeyTable(localized("Field")) {
            if didSubmit != nil {
                KeyCommand.submitField.performs { self.didSubmit?() }
            }
            if isEditable, completed() != nil {
                KeyCommand.completeField.performs { _ = self.complete() }
            }
            movingEntries
            moves(.caretTextStart, .textStart)
            moves(.caretTextEnd, .textEnd)
            if isEditable { changingEntries }
            if !isSecure { copyingEntries }
        }
    }

    /// A dot for each character.
    private func dotCount(before offset: Int) -> Int {
        editor.text.string(in: 0..<offset).count
    }

    public override func keyDown(_ press: KeyPress) -> Bool {
        if press == KeyPress(.tab), isEditable { return complete() }
        return super.keyDown(press)
    }

    private func completed() -> String? {
        guard let completion else { return nil }
        let text = text
        if let known, known.text == text { return known.completed }
        let completed = completion(text)
        known = (text, completed)
        return completed
    }

    /// Takes over what the completion says now. Returns whether it had something to say.
    private func complete() -> Bool {
        known = nil
        guard let completed = completed(), completed != text else { return false }
        perform {
            $0.replace(0..<$0.text.count, with: acceptable(completed))
            $0.move(.textEnd)
        }
        return true
    }

    public override func paste(_ text: String) -> Bool {
        takesPaste?(text) == true || super.paste(text)
    }

    // MARK: - Mouse

    public override func mouse(_ event: MouseEvent) -> Bool {
        let isDrag = event.action == .drag
        guard isDrag || event.action == .press, event.button == .left || isDrag else {
            return event.action == .release
        }
        let column = max(0, event.location.x + firstVisibleColumn)
        perform {
            let offset = $0.layout.offset(atColumn: column, in: $0.caretRow, of: $0.text)
            $0.placeCaret(at: offset, extending: isDrag)
        }
        return true
    }
}
