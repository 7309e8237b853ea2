internal import Messages

/// Words that do something when Enter or Space is pressed on them, or when they are clicked.
public final class Button: View {
    /// The words on the button; in small letters they are the footer's word for its key, unless that was given.
    public var title: String {
        didSet { if title != oldValue { superview?.setNeedsLayout() } }
    }

    private let label: String?

    /// Where the words stand when the button is wider than they are.
    var alignment = TextAlignment.center {
        didSet { if alignment != oldValue { setNeedsDisplay() } }
    }

    /// Drawn at the end: that there are more buttons above or below.
    var mark = "" {
        didSet { if mark != oldValue { setNeedsDisplay() } }
    }

    /// A disabled button is dim and Tab passes it by.
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
    /// - Parameter label: The footer's word for its key.
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
        // Where colors cannot tell, brackets do.
        let hasNoColors = surface.theme.depth == .monochrome
        let text = hasNoColors && isFirstResponder ? "[ \(title) ]" : title
        let margin = alignment == .center || bounds.width < 6 ? 0 : 1
        surface.draw(
            TextLine(text),
            in: Rect(x: margin, y: 0, width: max(0, bounds.width - margin), height: 1),
            alignment: alignment, on: style)
        guard !mark.isEmpty else { return }
        surface.draw(
            TextLine(mark), in: Rect(x: 0, y: 0, width: max(0, bounds.width - margin), height: 1),
            alignment: .trailing, on: style)
    }

    public override var keyTable: KeyTable {
        KeyTable {
            if isEnabled {
                KeyCommand.press.performs(label: label ?? title.lowercased()) { self.press() }
            }
        }
    }

    public override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left, isEnabled else { return false }
        press()
        return true
    }

    /// Does what the button is for.
    public func press() {
        guard isEnabled else { return }
        action?()
    }
}

extension KeyCommand {
    /// Presses the button that has the keys.
    public static let press = KeyCommand(
        "button.press", keys: ["Enter", "Space"], title: localized("Press the button"),
        label: localized("press"),
        weight: 80)
}
