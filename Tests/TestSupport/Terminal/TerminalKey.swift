/// A key; the terminal converts it to bytes.
public enum TerminalKey: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case alt(Character)
    case function(Int)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case shiftUp, shiftDown, shiftLeft, shiftRight
    case controlLeft, controlRight, controlHome, controlEnd

    /// What xterm sends (and the VT100, if it has the key).
    ///
    /// - Parameter modes: In application mode the arrows, Home and End send `ESC O`.
    public func bytes(in modes: TerminalModes = TerminalModes()) -> [UInt8] {
        switch self {
        case .character(let character): return Array(String(character).utf8)
        case .control(let character):
            switch character {
            case " ", "@": return [0]
            case "?": return [0x7F]
            default: return [(character.asciiValue ?? 0) & 0x1F]
            }
        case .alt(let character): return [0x1B] + Array(String(character).utf8)
        case .function(let number): return TerminalKey.function(number: number)
        case .enter: return [0x0D]
        case .escape: return [0x1B]
        case .tab: return [0x09]
        case .backspace: return [0x7F]
        default: return Array(sequence(modes).utf8)
        }
    }

    private func sequence(_ modes: TerminalModes) -> String {
        let prefix = modes.hasApplicationCursorKeys ? "\u{1B}O" : "\u{1B}["
        return switch self {
        case .up: prefix + "A"
        case .down: prefix + "B"
        case .right: prefix + "C"
        case .left: prefix + "D"
        case .home: prefix + "H"
        case .end: prefix + "F"
        case .backTab: "\u{1B}[Z"
        case .insert: "\u{1B}[2~"
        case .delete: "\u{1B}[3~"
        case .pageUp: "\u{1B}[5~"
        case .pageDown: "\u{1B}[6~"
        case .shiftUp: "\u{1B}[1;2A"
        case .shiftDown: "\u{1B}[1;2B"
        case .shiftRight: "\u{1B}[1;2C"
        case .shiftLeft: "\u{1B}[1;2D"
        case .controlRight: "\u{1B}[1;5C"
        case .controlLeft: "\u{1B}[1;5D"
        case .controlHome: "\u{1B}[1;5H"
        case .controlEnd: "\u{1B}[1;5F"
        default: ""
        }
    }

    private static func function(number: Int) -> [UInt8] {
        let sequence =
            switch number {
            case 1...4: "O" + ["P", "Q", "R", "S"][number - 1]
            case 5: "[15~"
            case 6...10: "[\(number + 11)~"
            case 11...12: "[\(number + 12)~"
            default: ""
            }
        return Array("\u{1B}\(sequence)".utf8)
    }
}

extension TerminalKey {
    /// The key written as `<Enter>`, `<F2>`, `<C-s>`, `<M-f>` or `<S-Tab>`, without the brackets.
    public init?(name: some StringProtocol) {
        switch name {
        case "Enter": self = .enter
        case "Esc": self = .escape
        case "Tab": self = .tab
        case "S-Tab": self = .backTab
        case "Backspace": self = .backspace
        case "Delete": self = .delete
        case "Insert": self = .insert
        case "Up": self = .up
        case "Down": self = .down
        case "Left": self = .left
        case "Right": self = .right
        case "Home": self = .home
        case "End": self = .end
        case "PgUp": self = .pageUp
        case "PgDn": self = .pageDown
        case "S-Up": self = .shiftUp
        case "S-Down": self = .shiftDown
        case "S-Left": self = .shiftLeft
        case "S-Right": self = .shiftRight
        case "C-Left": self = .controlLeft
        case "C-Right": self = .controlRight
        case "C-Home": self = .controlHome
        case "C-End": self = .controlEnd
        default:
            if name.hasPrefix("F"), let number = Int(name.dropFirst()), 1...12 ~= number {
                self = .function(number)
            } else if name.hasPrefix("C-"), let last = name.dropFirst(2).first, name.count == 3 {
                self = .control(last)
            } else if name.hasPrefix("M-"), let last = name.dropFirst(2).first, name.count == 3 {
                self = .alt(last)
            } else {
                return nil
            }
        }
    }
}

/// A script for a terminal, in one line of text.
///
/// Characters are typed; `<F2>` presses a key; `<Wait:text>` waits until the text is on the screen;
/// `<Gone:text>` until it is not; `<Idle>` until the program is idle; `<lt>` types a `<`.
public struct TerminalScript: Sendable {
    public enum Step: Hashable, Sendable {
        case press(TerminalKey)
        case waitFor(String)
        case waitUntilGone(String)
        case waitUntilIdle
        /// For who looks on: in seconds.
        case pause(Double)
    }

    public let steps: [Step]

    /// - Throws: ``TerminalScriptError`` for an unknown name in brackets.
    public init(_ text: String) throws(TerminalScriptError) {
        var steps: [Step] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            guard first == "<" else {
                steps.append(.press(first == "\n" ? .enter : .character(first)))
                continue
            }
            guard let end = rest.firstIndex(of: ">") else {
                throw TerminalScriptError(name: String(rest))
            }
            let name = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if name == "lt" {
                steps.append(.press(.character("<")))
            } else if name == "Idle" {
                steps.append(.waitUntilIdle)
            } else if name.hasPrefix("Pause:"), let seconds = Double(name.dropFirst(6)) {
                steps.append(.pause(min(max(seconds, 0), 60)))
            } else if name.hasPrefix("Wait:") {
                steps.append(.waitFor(String(name.dropFirst(5))))
            } else if name.hasPrefix("Gone:") {
                steps.append(.waitUntilGone(String(name.dropFirst(5))))
            } else if let key = TerminalKey(name: name) {
                steps.append(.press(key))
            } else {
                throw TerminalScriptError(name: String(name))
            }
        }
        self.steps = steps
    }
}

public struct TerminalScriptError: Error, CustomStringConvertible {
    public let name: String
    public var description: String { "no key or step is called <\(name)>" }
}
