internal import ByteClubMessages
internal import TextEditing

/// A one-line text input: a name, a path, a filter.
///
/// The keys are those of ``TextView``; up, down and Esc are left to the superview. Text wider than the field
/// scrolls sideways.
public final class TextField: TextInputView {
    /// Called when Enter is pressed; if nil, the key is not handled.
    public var didSubmit: (@MainActor () -> Void)?

    /// Returns the completion of the text for Tab; nil leaves Tab to move the focus.
    ///
    /// Also called after each change, to update the footer.
    public var completion: (@MainActor (String) -> String?)?

    /// Called first with pasted text: returns true if it was handled elsewhere.
    public var takesPaste: (@MainActor (String) -> Bool)?

    /// Whether it is a password field: shows dots, and does not allow copying.
    public var isSecure = false {
        didSet { if isSecure != oldValue { setNeedsDisplay() } }
    }

    override var keepsWhatIsCut: Bool { !isSecure }

    /// The first visible column of the text.
    private var firstVisibleColumn = 0
    /// The last result of the completion.
    private var known: (text: String, completed: String?)?

    /// An empty field, one row high.
    public init() {
        super.init(TextLayoutOptions(columns: 1, wraps: false))
    }

    /// The text. Setting it moves the caret to its end, clears the undo history, and notifies no observers.
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

    /// The maximum length of a paste in characters.
    static let pasteLimit = 4_096

    /// Converts pasted text to one line and limits its length.
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

    /// The first visible column so that the caret, and as much text as possible, is visible.
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
            if isEditable {
                KeyCommand.clearField.performs { self.clear() }
                changingEntries
            }
            if !isSecure { copyingEntries }
        }
    }

    /// Cuts what is before the caret, with the selection; at the end of the text all of it.
    private func clear() {
        let end = editor.selection.range.upperBound
        guard end > 0 else { return }
        cut {
            $0.select(Selection(anchor: 0, head: end))
            return $0.cut()
        }
    }

    /// A dot for each character.
    private func dotCount(before offset: Int) -> Int {
        editor.text.string(in: 0..<offset).count
    }

    public override func keyDown(_ press: KeyPress) -> Bool {
        if press == KeyPress(.tab), isEditable { return complete() == .applied }
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

    private enum CompletionResult {
        case applied, noneFound
    }

    /// Applies the completion, if there is one.
    private func complete() -> CompletionResult {
        known = nil
        guard let completed = completed(), completed != text else { return .noneFound }
        perform {
            $0.replace(0..<$0.text.count, with: acceptable(completed))
            $0.move(.textEnd)
        }
        return .applied
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
