/// What the person at the terminal did.
public enum InputEvent: Hashable, Sendable {
    case key(KeyPress)
    /// Text pasted as a whole, its line ends turned into `\n`. It is text, never keys.
    case paste(String)
    case mouse(MouseEvent)
}

/// What the mouse did, and where.
public struct MouseEvent: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case press
        case release
        case drag
        case scrollUp
        case scrollDown
    }

    public enum Button: Hashable, Sendable {
        case left
        case middle
        case right
        case none
    }

    public var action: Action
    public var button: Button
    /// In the receiver's cells: the screen's on arrival, the view's in ``View``.
    public var location: Point
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
