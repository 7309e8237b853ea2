internal import Messages

/// Words that do something when Enter or Space is pressed on them, or when they are clicked.
public final class Button: View {
    /// The words on the button; in small letters they are the footer's word for its key.
    public var title: String {
        didSet { if title != oldValue { superview?.setNeedsLayout() } }
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
    public init(_ title: String, action: (@MainActor () -> Void)? = nil) {
        self.title = title
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
        surface.draw(
            TextLine(text), in: Rect(x: 0, y: 0, width: bounds.width, height: 1),
            alignment: .center, on: style)
    }

    public override var keyTable: KeyTable {
        KeyTable {
            if isEnabled {
                KeyCommand.press.performs(label: title.lowercased()) { self.press() }
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
