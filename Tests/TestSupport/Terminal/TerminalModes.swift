/// The modes that a program has enabled, parsed from its output.
///
/// libvterm does not expose some of them and forgets others; a restore test needs them all.
public struct TerminalModes: Hashable, Sendable {
    /// The DEC private modes that are set, by number.
    public private(set) var enabled: Set<Int> = [TerminalModes.visibleCursor, 7]
    /// Whether the keypad sends application sequences (`smkx`).
    public private(set) var hasApplicationKeypad = false

    public init() {}

    public var usesAlternateScreen: Bool { !enabled.isDisjoint(with: [47, 1047, 1049]) }
    public var reportsMouse: Bool { !enabled.isDisjoint(with: [9, 1000, 1001, 1002, 1003]) }
    public var bracketsPastes: Bool { enabled.contains(2004) }
    public var showsCursor: Bool { enabled.contains(TerminalModes.visibleCursor) }
    public var hasApplicationCursorKeys: Bool { enabled.contains(1) }

    private static let visibleCursor = 25

    fileprivate mutating func set(_ numbers: [Int], to isOn: Bool) {
        if isOn { enabled.formUnion(numbers) } else { enabled.subtract(numbers) }
    }

    fileprivate mutating func setKeypad(application: Bool) { hasApplicationKeypad = application }
}

/// Finds `CSI ? … h`, `CSI ? … l`, `ESC =`, `ESC >` and `ESC c` in a stream of bytes.
public struct TerminalModeScanner: Sendable {
    public private(set) var modes = TerminalModes()
    private var state = State.text
    private var numbers: [Int] = []

    private enum State { case text, escape, sequence, privateSequence, otherSequence }

    public init() {}

    public mutating func scan(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { scan(byte) }
    }

    private mutating func scan(_ byte: UInt8) {
        if byte == 0x1B {
            state = .escape
            return
        }
        switch state {
        case .text:
            return
        case .escape:
            state = .text
            switch byte {
            case UInt8(ascii: "["): state = .sequence
            case UInt8(ascii: "="): modes.setKeypad(application: true)
            case UInt8(ascii: ">"): modes.setKeypad(application: false)
            case UInt8(ascii: "c"): modes = TerminalModes()
            default: break
            }
        case .sequence:
            numbers = [0]
            state = byte == UInt8(ascii: "?") ? .privateSequence : .otherSequence
            if (0x40...0x7E).contains(byte) { state = .text }
        case .otherSequence:
            if (0x40...0x7E).contains(byte) { state = .text }
        case .privateSequence:
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let last = numbers[numbers.count - 1]
                numbers[numbers.count - 1] = min(last * 10 + Int(byte) - 48, 99_999)
            case UInt8(ascii: ";"): numbers.append(0)
            case UInt8(ascii: "h"), UInt8(ascii: "l"):
                modes.set(numbers, to: byte == UInt8(ascii: "h"))
                state = .text
            case 0x40...0x7E: state = .text
            default: break
            }
        }
    }
}
