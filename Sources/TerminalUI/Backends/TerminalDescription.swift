import CByteClubNcurses

/// The terminal's terminfo entry.
///
/// Created after ncurses has read it; copies what it needs.
@MainActor
struct TerminalDescription {
    private let strings: [String: [UInt8]]

    /// The strings of the special keys.
    let keySequences: [[UInt8]: KeyPress]

    init() {
        var strings: [String: [UInt8]] = [:]
        for name in Self.needed { strings[name] = Self.read(name) }
        self.strings = strings
        var keys: [[UInt8]: KeyPress] = [:]
        for (name, press) in Self.keyNames {
            if let sequence = Self.read(name), keys[sequence] == nil { keys[sequence] = press }
        }
        keySequences = keys
    }

    subscript(name: String) -> [UInt8]? { strings[name] }

    /// Moves the cursor.
    func move(to point: Point) -> [UInt8] { filled("cup", point.y, point.x) }

    /// A capability with one or two numbers in it.
    func filled(_ name: String, _ first: Int, _ second: Int = 0) -> [UInt8] {
        guard let capability = strings[name] else { return [] }
        return (capability + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let base = text.baseAddress,
                    let result = byteclub_fill_in(base, Int32(first), Int32(second))
                else { return [] }
                return Self.bytes(of: result)
            }
        }
    }

    private static let needed = [
        "cup", "sc", "rc", "sgr0", "bold", "dim", "sitm", "smul", "rev", "setaf", "setab", "cnorm",
        "el", "rmcup", "rmkx",
    ]

    private static func read(_ name: String) -> [UInt8]? {
        guard let text = byteclub_capability(name) else { return nil }
        let bytes = RestoreSequence.withoutPadding(bytes(of: text))
        return bytes.isEmpty ? nil : bytes
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        let count = strlen(text)
        return UnsafeBufferPointer(start: text, count: count).map { UInt8(bitPattern: $0) }
    }

    // MARK: - Keys

    /// terminfo's names of keys, the plain ones first: if two share a string, the first counts.
    private static let keyNames: [(String, KeyPress)] = {
        var names: [(String, KeyPress)] = [
            ("kcuu1", KeyPress(.up)), ("kcud1", KeyPress(.down)), ("kcub1", KeyPress(.left)),
            ("kcuf1", KeyPress(.right)), ("khome", KeyPress(.home)), ("kend", KeyPress(.end)),
            ("kpp", KeyPress(.pageUp)), ("knp", KeyPress(.pageDown)),
            ("kich1", KeyPress(.insert)), ("kdch1", KeyPress(.delete)),
            ("kcbt", KeyPress(.tab, .shift)), ("kent", KeyPress(.enter)),
            ("kind", KeyPress(.down, .shift)), ("kri", KeyPress(.up, .shift)),
            ("kLFT", KeyPress(.left, .shift)), ("kRIT", KeyPress(.right, .shift)),
            ("kHOM", KeyPress(.home, .shift)), ("kEND", KeyPress(.end, .shift)),
            ("kPRV", KeyPress(.pageUp, .shift)), ("kNXT", KeyPress(.pageDown, .shift)),
            ("kIC", KeyPress(.insert, .shift)), ("kDC", KeyPress(.delete, .shift)),
        ]
        for number in 1...12 { names.append(("kf\(number)", KeyPress(.function(number)))) }
        // The usual numbering of F1 to F12 with shift, control and both.
        let modified: [(Int, KeyPress.Modifiers)] = [
            (12, .shift), (24, .control), (36, [.control, .shift]), (48, .alt),
        ]
        for (offset, modifiers) in modified {
            for number in 1...12 {
                names.append(("kf\(number + offset)", KeyPress(.function(number), modifiers)))
            }
        }
        // The extended names of ncurses: kUP5 is the up key with xterm's modifier 5.
        let extended: [(String, KeyPress.Key)] = [
            ("kUP", .up), ("kDN", .down), ("kLFT", .left), ("kRIT", .right), ("kHOM", .home),
            ("kEND", .end), ("kPRV", .pageUp), ("kNXT", .pageDown), ("kIC", .insert),
            ("kDC", .delete),
        ]
        for (name, key) in extended {
            for code in 3...8 {
                let modifiers = KeyPress.Modifiers(rawValue: UInt8(code - 1))
                names.append(("\(name)\(code)", KeyPress(key, modifiers)))
            }
        }
        return names
    }()
}
