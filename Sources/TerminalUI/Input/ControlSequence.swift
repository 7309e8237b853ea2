/// A CSI or SS3 sequence taken apart: `CSI 1 ; 5 A` is parameters `1;5` and final `A`.
struct ControlSequence {
    /// `<`, `=`, `>` or `?`, if the sequence begins with one.
    private let marker: UInt8?
    /// Missing numbers are nil; subparameters are ignored.
    private let numbers: [Int?]
    private let events: [Int?]
    private let final: UInt8
    private let hasIntermediates: Bool

    init(parameters: some Collection<UInt8>, final: UInt8) {
        var bytes = Array(parameters)
        self.final = final
        if let first = bytes.first, (0x3C...0x3F).contains(first) {
            marker = first
            bytes.removeFirst()
        } else {
            marker = nil
        }
        hasIntermediates = bytes.contains { (0x20...0x2F).contains($0) }
        let fields = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) }
        numbers = fields.map { $0.first.flatMap(Self.number) }
        events = fields.map { $0.count > 1 ? Self.number($0[1]) : nil }
    }

    /// Parses digits; nil for none, limited to a million.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { min(1_000_000, $0 * 10 + Int($1 - 0x30)) }
    }

    private func number(_ index: Int) -> Int? {
        numbers.indices.contains(index) ? numbers[index] : nil
    }

    var isPasteStart: Bool { marker == nil && final == UInt8(ascii: "~") && number(0) == 200 }

    /// The event of the sequence; nil for focus reports, replies and unknown sequences.
    var event: InputEvent? {
        if marker == UInt8(ascii: "<") { return mouse.map { .mouse($0) } }
        if let reply { return .reply(reply) }
        guard marker == nil, !hasIntermediates else { return nil }
        return key.map { .key($0) }
    }

    // MARK: - Answers

    private var reply: TerminalReply? {
        guard !hasIntermediates else { return nil }
        switch (marker, final) {
        case (UInt8(ascii: "?"), UInt8(ascii: "c")):
            return .attributes(numbers.prefix(32).compactMap(\.self))
        case (nil, UInt8(ascii: "t")):
            guard numbers.count == 3, let height = number(1), let width = number(2) else {
                return nil
            }
            switch number(0) {
            case 4: return .windowPixels(width: width, height: height)
            case 6: return CellPixels(width: width, height: height).map { .cellPixels($0) }
            default: return nil
            }
        default: return nil
        }
    }

    // MARK: - Keys

    private var modifiers: KeyPress.Modifiers { Self.modifiers(number(1)) }

    /// xterm counts from 1: 1 + shift 1 + alt 2 + control 4 + super 8.
    private static func modifiers(_ code: Int?) -> KeyPress.Modifiers {
        guard let code, code > 1 else { return [] }
        return KeyPress.Modifiers(rawValue: UInt8((code - 1) & 15))
    }

    private var key: KeyPress? {
        switch final {
        case UInt8(ascii: "~"): tildeKey
        case UInt8(ascii: "u"): unicodeKey
        case UInt8(ascii: "Z"): KeyPress(.tab, modifiers.union(.shift))
        case UInt8(ascii: "a"): KeyPress(.up, .shift)
        case UInt8(ascii: "b"): KeyPress(.down, .shift)
        case UInt8(ascii: "c"): KeyPress(.right, .shift)
        case UInt8(ascii: "d"): KeyPress(.left, .shift)
        case UInt8(ascii: "$"): number(0).flatMap(Self.numbered).map { KeyPress($0, .shift) }
        case UInt8(ascii: "^"): number(0).flatMap(Self.numbered).map { KeyPress($0, .control) }
        case UInt8(ascii: "@"):
            number(0).flatMap(Self.numbered).map { KeyPress($0, [.control, .shift]) }
        // A larger first number indicates a reply, e.g. the cursor's position: CSI 24 ; 80 R.
        default: (number(0) ?? 1) == 1 ? Self.lettered(final).map { KeyPress($0, modifiers) } : nil
        }
    }

    /// `SS3 A`, `SS3 5 A` and rxvt's `SS3 a`.
    var singleShiftKey: KeyPress? {
        let modifiers = Self.modifiers(number(0))
        return switch final {
        case UInt8(ascii: "a"): KeyPress(.up, .control)
        case UInt8(ascii: "b"): KeyPress(.down, .control)
        case UInt8(ascii: "c"): KeyPress(.right, .control)
        case UInt8(ascii: "d"): KeyPress(.left, .control)
        case UInt8(ascii: "M"): KeyPress(.enter, modifiers)
        case UInt8(ascii: "I"): KeyPress(.tab, modifiers)
        case UInt8(ascii: " "): KeyPress(.character(" "), modifiers)
        // The keypad in application mode: the characters on its keys.
        case UInt8(ascii: "j")...UInt8(ascii: "y"):
            KeyPress(.character(Unicode.Scalar(final - 0x40)), modifiers)
        case UInt8(ascii: "X"): .character("=")
        default: Self.lettered(final).map { KeyPress($0, modifiers) }
        }
    }

    private static func lettered(_ final: UInt8) -> KeyPress.Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(final) - 0x4F)
        default: nil
        }
    }

    private var tildeKey: KeyPress? {
        guard let code = number(0) else { return nil }
        // modifyOtherKeys: CSI 27 ; modifiers ; character ~
        if code == 27, let value = number(2) { return Self.key(value, modifiers) }
        return Self.numbered(code).map { KeyPress($0, modifiers) }
    }

    private static func numbered(_ code: Int) -> KeyPress.Key? {
        switch code {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(code - 10)
        case 17...21: .function(code - 11)
        case 23...26: .function(code - 12)
        case 28...29: .function(code - 13)
        case 31...34: .function(code - 14)
        default: nil
        }
    }

    /// `CSI character ; modifiers : event u`. A released key (event 3) is nothing.
    private var unicodeKey: KeyPress? {
        guard let value = number(0), !(events.count > 1 && events[1] == 3) else { return nil }
        return Self.key(value, modifiers)
    }

    private static func key(_ value: Int, _ modifiers: KeyPress.Modifiers) -> KeyPress? {
        switch value {
        case 9: return KeyPress(.tab, modifiers)
        case 10, 13, 57414: return KeyPress(.enter, modifiers)
        case 27: return KeyPress(.escape, modifiers)
        case 8, 127: return KeyPress(.backspace, modifiers)
        case 57399...57408:
            return KeyPress(.character(Unicode.Scalar(UInt8(value - 57399 + 0x30))), modifiers)
        case 57344...63743: return nil
        default: break
        }
        guard let number = UInt32(exactly: value), let scalar = Unicode.Scalar(number),
            scalar.properties.generalCategory != .control
        else { return nil }
        if modifiers.contains(.control) {
            return KeyPress(.character(scalar.lowercased), modifiers)
        }
        // Shift is in the character already.
        let shifted = modifiers.contains(.shift) ? scalar.uppercased : scalar
        return KeyPress(.character(shifted), modifiers.subtracting(.shift))
    }

    // MARK: - Mouse

    private var mouse: MouseEvent? {
        guard let code = number(0), let x = number(1), let y = number(2) else { return nil }
        return MouseEvent(
            code: code, isRelease: final == UInt8(ascii: "m"), at: Point(x: x - 1, y: y - 1))
    }
}

extension MouseEvent {
    /// Reads xterm's button code: bits 0–1 the button, 2–4 modifiers, 5 motion, 6 the wheel.
    init?(code: Int, isRelease: Bool, at point: Point) {
        guard code >= 0, point.x >= 0, point.y >= 0 else { return nil }
        var modifiers: KeyPress.Modifiers = []
        if code & 4 != 0 { modifiers.insert(.shift) }
        if code & 8 != 0 { modifiers.insert(.alt) }
        if code & 16 != 0 { modifiers.insert(.control) }
        let buttons: [Button] = [.left, .middle, .right, .none]
        if code & 64 != 0 {
            guard code & 2 == 0, !isRelease else { return nil }
            self.init(code & 1 == 0 ? .scrollUp : .scrollDown, at: point, modifiers: modifiers)
        } else if isRelease {
            self.init(.release, button: buttons[code & 3], at: point, modifiers: modifiers)
        } else if code & 32 != 0 {
            guard code & 3 != 3 else { return nil }
            self.init(.drag, button: buttons[code & 3], at: point, modifiers: modifiers)
        } else {
            guard code & 3 != 3 else { return nil }
            self.init(.press, button: buttons[code & 3], at: point, modifiers: modifiers)
        }
    }
}
