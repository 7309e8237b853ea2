/// One key press or several in a row, such as `g g`.
public struct KeySequence: Hashable, Sendable {
    /// The presses in order, at least one.
    public let presses: [KeyPress]

    public init(_ presses: [KeyPress]) { self.presses = presses }

    /// Reads names separated by spaces: `^S`, `g g`, `S-Tab`. Nil for an unknown key name.
    public init?(names: some StringProtocol) {
        var presses: [KeyPress] = []
        for name in names.split(separator: " ") {
            guard let press = KeyPress(name: name) else { return nil }
            presses.append(press)
        }
        guard !presses.isEmpty else { return nil }
        self.presses = presses
    }

    /// `g g` as people read it.
    public var displayName: String { presses.map(\.displayName).joined(separator: " ") }

    /// The sequence as a configuration file spells it; ``init(names:)`` reads it.
    public var configurationName: String {
        presses.map(\.configurationName).joined(separator: " ")
    }

    func starts(with presses: [KeyPress]) -> Bool {
        self.presses.count > presses.count && self.presses.starts(with: presses)
    }
}

extension KeySequence: ExpressibleByStringLiteral {
    /// A sequence by name; an unknown key name is a programming error.
    public init(stringLiteral value: String) {
        guard let sequence = KeySequence(names: value) else {
            preconditionFailure("“\(value)” is not a key's name")
        }
        self = sequence
    }
}
