/// One press of a key, as the terminal reports it.
public struct KeyPress: Hashable, Sendable {
    /// A key without its modifiers.
    public enum Key: Hashable, Sendable {
        /// A key that writes; letters keep their case, so `G` is not ``Modifiers/shift`` `g`.
        case character(Unicode.Scalar)
        case enter
        case tab
        case backspace
        case escape
        case insert
        case delete
        case up
        case down
        case left
        case right
        case home
        case end
        case pageUp
        case pageDown
        /// F1 to F63.
        case function(Int)
    }

    /// The modifier keys of a press, as far as terminals report them.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Shift with a key that does not write; letters show it by their case instead.
        public static let shift = Modifiers(rawValue: 1)
        /// Alt, which terminals call Meta and send as an Esc before the key.
        public static let alt = Modifiers(rawValue: 2)
        /// Control. With a letter, the letter is a small one.
        public static let control = Modifiers(rawValue: 4)
        /// The Windows or Command key; few terminals send it.
        public static let `super` = Modifiers(rawValue: 8)
    }

    /// Which key.
    public var key: Key
    /// The modifiers held.
    public var modifiers: Modifiers

    public init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    /// A key that writes, without modifiers.
    public static func character(_ scalar: Unicode.Scalar) -> KeyPress {
        KeyPress(.character(scalar))
    }

    /// A key with control, given as a small letter: `.control("s")` is `^S`.
    public static func control(_ scalar: Unicode.Scalar) -> KeyPress {
        KeyPress(.character(scalar), .control)
    }

    /// A key with Alt: `.alt("f")` is `M-f`.
    public static func alt(_ scalar: Unicode.Scalar) -> KeyPress {
        KeyPress(.character(scalar), .alt)
    }

    /// The text that this press writes, if it writes any.
    public var text: String? {
        guard case .character(let scalar) = key,
            modifiers.isSubset(of: .shift), scalar.properties.generalCategory != .control
        else { return nil }
        return String(scalar)
    }
}
