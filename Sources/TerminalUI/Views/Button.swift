internal import ByteClubMessages

/// A button, pressed with Enter, Space or a click.
public final class Button: View {
    /// The title; with a small first letter it is the footer's label for its key, unless that was given.
    public var title: String {
        didSet { if title != oldValue { superview?.setNeedsLayout() } }
    }

    private let label: String?

    /// The alignment of the title in a wider button.
    var alignment = TextAlignment.center {
        didSet { if alignment != oldValue { setNeedsDisplay() } }
    }

    /// Drawn at the end: there are more buttons above or below.
    var mark = "" {
        didSet { if mark != oldValue { setNeedsDisplay() } }
    }

    /// A disabled button is dim and skipped by Tab.
    public var isEnabled = true {
        didSet {
            guard isEnabled != oldValue else { return }
            if !isEnabled, isFirstResponder { application?.topViewController?.focusNext() }
            setNeedsDisplay()
        }
    }

    /// Called on the main actor when the button is pressed; not while it is disabled.
    public var action: (@MainActor () -> Void)?

    /// An enabled button.
    ///
    /// - Parameter label: The footer's label for its key.
    public init(
        _ title: String, label: String? = nil, action: (@MainActor () -> Void)? = nil
    ) {
        self.title = title
        self.label = label
        self.action = action
        super.init()
    }

    public override var canBecomeFirstResponder: Bool { isEnabled && !isHidden }

    public override func focusDidChange() { superview?.setNeedsLayout() }

    public override func sizeThatFits(_ available: Size) -> Size {
        Size(width: min(available.width, width(padding: 2)), height: 1)
    }

    func width(padding: Int) -> Int { Surface.columnCount(of: title) + 2 * padding }

    public override func draw(on surface: Surface) {
        let role: Role = !isEnabled ? .disabled : isFirstResponder ? .focusedButton : .button
        let style = surface.theme[role]
        surface.fill(bounds, style: style)
        // Brackets replace colors.
        let hasNoColors = surface.theme.depth == .monochrome
        let text = hasNoColors && isFirstResponder ? "[ \(title) ]" : title
        // The mark is in the last column, which reduces the title's width.
        let columnCount = max(0, bounds.width - Surface.columnCount(of: mark))
        let isTight =
            bounds.width < 6 || !mark.isEmpty && Surface.columnCount(of: text) + 2 > columnCount
        let margin = alignment == .center || isTight ? 0 : 1
        surface.draw(
            TextLine(text),
            in: Rect(x: margin, y: 0, width: max(0, columnCount - margin), height: 1),
            alignment: alignment, on: style)
        guard !mark.isEmpty else { return }
        surface.draw(
            TextLine(mark),
            in: Rect(x: 0, y: 0, width: max(0, bounds.width - (isTight ? 0 : 1)), height: 1),
            alignment: .trailing, on: style)
    }

    public override var keyTable: KeyTable {
        KeyTable {
            if isEnabled {
                KeyCommand.press.performs(label: label ?? title.footerLabel) { self.press() }
            }
        }
    }

    public override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left, isEnabled else { return false }
        press()
        return true
    }

    /// Performs the action.
    public func press() {
        guard isEnabled else { return }
        action?()
    }
}

extension String {
    /// A button's title as a label in the footer: with a small first letter, unless the first word is an acronym. Names in
    /// the title keep their letters.
    var footerLabel: String {
        let word = prefix { !$0.isWhitespace }
        guard let first = word.first, first.isUppercase,
            !word.dropFirst().contains(where: \.isUppercase)
        else { return self }
        return first.lowercased() + dropFirst()
    }
}

extension KeyCommand {
    /// Presses the focused button.
    public static let press = KeyCommand(
        "button.press", keys: ["Enter", "Space"], title: localized("Press the button"),
        label: localized("press"),
        weight: 80)
}
