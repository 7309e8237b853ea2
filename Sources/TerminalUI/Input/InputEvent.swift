/// An event of the user or the terminal.
public enum InputEvent: Hashable, Sendable {
    case key(KeyPress)
    /// Pasted text, with line endings converted to `\n`. It is never interpreted as keys.
    case paste(String)
    case mouse(MouseEvent)
    /// The terminal has replied to a query.
    case reply(TerminalReply)
}

/// What the mouse did, and where.
public struct MouseEvent: Hashable, Sendable {
    /// What was done with the mouse; moving it without a button is not reported.
    public enum Action: Hashable, Sendable {
        case press
        case release
        case drag
        case scrollUp
        case scrollDown
    }

    /// The button an action was done with; `none` for the wheel.
    public enum Button: Hashable, Sendable {
        case left
        case middle
        case right
        case none
    }

    /// What was done.
    public var action: Action
    /// The button; ``Button/none`` for the wheel and where the terminal does not say.
    public var button: Button
    /// In the receiver's cells: the screen's on arrival, the view's in ``View``.
    public var location: Point
    /// The modifier keys that were down, as far as the terminal reports them.
    public var modifiers: KeyPress.Modifiers

    public init(
        _ action: Action, button: Button = .none, at location: Point,
        modifiers: KeyPress.Modifiers = []
    ) {
        self.action = action
        self.button = button
        self.location = location
        self.modifiers = modifiers
    }
}
