/// One press of a key, as the terminal reports it.
public struct KeyPress: Hashable, Sendable {
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

    public struct Modifiers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let shift = Modifiers(rawValue: 1)
        public static let alt = Modifiers(rawValue: 2)
        public static let control = Modifiers(rawValue: 4)
        public static let `super` = Modifiers(rawValue: 8)
    }

    public var key: Key
    public var modifiers: Modifiers

    public init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    public static func character(_ scalar: Unicode.Scalar) -> KeyPress {
        KeyPress(.character(scalar))
    }

    public static func control(_ scalar: Unicode.Scalar) -> KeyPress {
        KeyPress(.character(scalar), .control)
    }

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
