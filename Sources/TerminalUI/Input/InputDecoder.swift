/// Decodes a terminal's input into keys, pastes and mouse events.
///
/// A pure value without I/O. Sequences may be split anywhere; an incomplete one is ``isPending`` until more
/// bytes arrive or ``flush()`` is called. Unknown sequences are dropped.
///
/// Sources: terminfo(5) for the terminal's own keys, and xterm's "ctlseqs" for the rest (CSI and SS3 keys
/// with modifiers, CSI u, modifyOtherKeys, bracketed paste, SGR mouse).
public struct InputDecoder: Sendable {
    /// The terminal's own keys, each by the bytes after its Esc.
    private let keys: KeyTrie
    private var buffer: [UInt8] = []
    private var paste: PasteCollector?
    /// The rest of a sequence that was too long, which is dropped.
    private var remainder: Remainder?

    private enum Remainder {
        /// Up to BEL or ST; so many bytes at most.
        case string(limit: Int)
        /// The second half of ST.
        case backslash
        /// Up to the byte that ends a control sequence.
        case sequence(limit: Int)
    }

    /// Longer sequences are not keys.
    private static let longestSequence = 64
    /// Replies of the terminal (OSC, DCS) may be longer.
    private static let longestString = 8192

    /// - Parameter keys: The sequences of the terminal's special keys, from its description.
    public init(keys: [[UInt8]: KeyPress] = [:]) {
        self.keys = KeyTrie(keys)
    }

    /// Whether an incomplete sequence is pending.
    public var isPending: Bool { !buffer.isEmpty || paste != nil }

    /// Whether only an Esc is pending.
    var isLoneEscape: Bool { buffer == [Self.escape] }

    /// Whether an Esc and perhaps more are pending. The beginning of a character just waits for its rest.
    var isEscapePending: Bool { buffer.first == Self.escape || paste != nil }

    /// Whether the beginning of a control sequence is pending: of a paste, perhaps.
    var isSequencePending: Bool { buffer.starts(with: [Self.escape, UInt8(ascii: "[")]) }

    /// Whether a bracketed paste is incomplete.
    public var isPasting: Bool { paste != nil }

    /// Decodes more bytes, in order.
    public mutating func decode(_ bytes: some Collection<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        if buffer.isEmpty, paste != nil {
            let contiguous = ContiguousArray(bytes)
            contiguous.withUnsafeBufferPointer { decode(chunk: $0, into: &events) }
            return events
        }
        buffer.append(contentsOf: bytes)
        let chunk = buffer
        buffer = []
        chunk.withUnsafeBufferPointer { decode(chunk: $0, into: &events) }
        return events
    }

    /// Decodes pending bytes as they are: a lone Esc is the Esc key.
    public mutating func flush() -> [InputEvent] {
        guard paste == nil else { return [] }
        if case .string = remainder, isLoneEscape {
            buffer = []
            remainder = .backslash
            return []
        }
        guard buffer.first == Self.escape else { return [] }
        let rest = buffer.dropFirst()
        buffer = []
        var events: [InputEvent] = []
        guard let second = rest.first else { return [.key(KeyPress(.escape))] }
        if second == Self.escape {
            // Pressed twice, and read at once: no command has Alt+Esc.
            events.append(.key(KeyPress(.escape)))
        } else if rest.count == 1, let press = Self.plainKey(second) {
            events.append(.key(press.adding(.alt)))
        } else if Self.beginsString(second) {
            remainder = .string(limit: Self.longestString)
        } else if second == UInt8(ascii: "[") {
            remainder = .sequence(limit: Self.longestSequence)
        }
        return events
    }

    private static func beginsString(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^")].contains(byte)
    }

    /// Skips the rest of a dropped sequence. Returns the position of the next byte.
    private mutating func skipRemainder(_ chunk: UnsafeBufferPointer<UInt8>) -> Int {
        var index = 0
        while index < chunk.count, let current = remainder {
            let byte = chunk[index]
            switch current {
            case .string(let limit):
                // ST is Esc and a backslash; any other Esc begins a new sequence.
                if byte == Self.escape {
                    guard index + 1 < chunk.count else {
                        buffer = [byte]
                        return chunk.count
                    }
                    remainder = nil
                    return chunk[index + 1] == UInt8(ascii: "\\") ? index + 2 : index
                }
                remainder = byte == 0x07 || limit == 0 ? nil : .string(limit: limit - 1)
                index += 1
            case .backslash:
                remainder = nil
                return byte == UInt8(ascii: "\\") ? index + 1 : index
            case .sequence(let limit):
                switch byte {
                case 0x20...0x3F where limit > 0: remainder = .sequence(limit: limit - 1)
                case 0x40...0x7E:
                    remainder = nil
                    return index + 1
                default:
                    remainder = nil
                    return index
                }
                index += 1
            }
        }
        return index
    }

    static let escape: UInt8 = 0x1B

    // MARK: - Steps

    private enum Step {
        /// An event or nil, and the position of the next byte.
        case done(InputEvent?, next: Int)
        /// The position where the text of a paste begins.
        case paste(start: Int)
        /// The remaining bytes are the beginning of a sequence.
        case incomplete
    }

    private mutating func decode(chunk: UnsafeBufferPointer<UInt8>, into events: inout [InputEvent])
    {
        var index = skipRemainder(chunk)
        while index < chunk.count {
            if paste != nil {
                index = collectPaste(chunk, from: index, into: &events)
                continue
            }
            switch step(chunk, at: index) {
            case .done(let event, let next):
                if let event { events.append(event) }
                index = next
            case .paste(let start):
                paste = PasteCollector()
                index = start
            case .incomplete:
                buffer = Array(chunk[index...])
                return
            }
        }
    }

    private mutating func collectPaste(
        _ chunk: UnsafeBufferPointer<UInt8>, from index: Int, into events: inout [InputEvent]
    ) -> Int {
        guard var collector = paste else { return index }
        paste = nil
        let next = collector.collect(chunk, from: index)
        if let text = collector.text {
            events.append(.paste(text))
        } else {
            paste = collector
        }
        return next
    }

    private func step(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        let byte = bytes[index]
        if byte == Self.escape { return escapeStep(bytes, at: index) }
        if byte < 0x80 {
            return .done(Self.plainKey(byte).map { .key($0) }, next: index + 1)
        }
        return scalarStep(bytes, at: index, modifiers: [])
    }

    private func scalarStep(
        _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, modifiers: KeyPress.Modifiers
    ) -> Step {
        let byte = bytes[index]
        let length =
            switch byte {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard length > 1 else { return .done(nil, next: index + 1) }
        var end = index + 1
        while end < min(bytes.count, index + length), bytes[end] & 0xC0 == 0x80 { end += 1 }
        if end < index + length {
            return end == bytes.count ? .incomplete : .done(nil, next: end)
        }
        let text = String(decoding: bytes[index..<end], as: UTF8.self).unicodeScalars
        guard text.count == 1, let scalar = text.first, scalar != "\u{FFFD}",
            scalar.properties.generalCategory != .control
        else { return .done(nil, next: end) }
        return .done(.key(KeyPress(.character(scalar), modifiers)), next: end)
    }

    private func escapeStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        switch keys.match(bytes, from: index + 1) {
        case .key(let press, let next): return .done(.key(press), next: next)
        case .incomplete: return .incomplete
        case .none: break
        }
        guard index + 1 < bytes.count else { return .incomplete }
        let second = bytes[index + 1]
        switch second {
        case Self.escape: return doubleEscapeStep(bytes, at: index)
        case UInt8(ascii: "["): return controlStep(bytes, at: index)
        case UInt8(ascii: "O"): return singleShiftStep(bytes, at: index)
        case _ where Self.beginsString(second): return stringStep(bytes, at: index)
        case 0x80...: return scalarStep(bytes, at: index + 1, modifiers: .alt)
        default:
            let press = Self.plainKey(second)?.adding(.alt)
            return .done(press.map { .key($0) }, next: index + 2)
        }
    }

    /// Some terminals send Esc before a special key as Alt; before any other Esc it is a separate key.
    private func doubleEscapeStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        guard index + 2 < bytes.count else { return .incomplete }
        let third = bytes[index + 2]
        guard third == UInt8(ascii: "[") || third == UInt8(ascii: "O") else {
            return .done(.key(KeyPress(.escape)), next: index + 1)
        }
        switch escapeStep(bytes, at: index + 1) {
        case .done(.key(let press), let next): return .done(.key(press.adding(.alt)), next: next)
        case .paste: return .done(.key(KeyPress(.escape)), next: index + 1)
        case let other: return other
        }
    }

    // MARK: - CSI and SS3

    private func controlStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        var end = index + 2
        // The Linux console's F1 to F5: CSI [ A.
        if end < bytes.count, bytes[end] == UInt8(ascii: "[") {
            guard end + 1 < bytes.count else { return .incomplete }
            let number = Int(bytes[end + 1]) - 0x40
            let event = (1...5).contains(number) ? InputEvent.key(KeyPress(.function(number))) : nil
            return .done(event, next: end + 2)
        }
        let isNumbered = end < bytes.count && (0x30...0x39).contains(bytes[end])
        while end < bytes.count, (0x20...0x3F).contains(bytes[end]) {
            // rxvt ends keys with shift in `$`.
            if isNumbered, bytes[end] == UInt8(ascii: "$") { break }
            end += 1
            if end - index > Self.longestSequence { return .done(nil, next: end) }
        }
        guard end < bytes.count else { return .incomplete }
        let final = bytes[end]
        // A control character or Esc inside: the sequence was cut off.
        guard (0x40...0x7E).contains(final) || final == UInt8(ascii: "$") else {
            return .done(nil, next: end)
        }
        if final == UInt8(ascii: "M"), end == index + 2 {
            return oldMouseStep(bytes, at: index)
        }
        let sequence = ControlSequence(parameters: bytes[(index + 2)..<end], final: final)
        if sequence.isPasteStart { return .paste(start: end + 1) }
        return .done(sequence.event, next: end + 1)
    }

    /// Mouse reports from before SGR: three bytes after `CSI M`.
    private func oldMouseStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        guard index + 5 < bytes.count else { return .incomplete }
        let code = Int(bytes[index + 3]) - 32
        let point = Point(x: Int(bytes[index + 4]) - 33, y: Int(bytes[index + 5]) - 33)
        let isRelease = code & 3 == 3 && code & 64 == 0
        let event = MouseEvent(code: code, isRelease: isRelease, at: point)
        return .done(event.map { .mouse($0) }, next: index + 6)
    }

    private func singleShiftStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        guard index + 2 < bytes.count else { return .incomplete }
        var end = index + 2
        while end < bytes.count, (0x30...0x39).contains(bytes[end]) {
            end += 1
            if end - index > Self.longestSequence { return .done(nil, next: end) }
        }
        guard end < bytes.count else { return .incomplete }
        guard (0x20...0x7E).contains(bytes[end]) else {
            return .done(.key(KeyPress.character("O").adding(.alt)), next: index + 2)
        }
        let sequence = ControlSequence(parameters: bytes[(index + 2)..<end], final: bytes[end])
        return .done(sequence.singleShiftKey.map { .key($0) }, next: end + 1)
    }

    /// Reads a reply of the terminal: up to BEL or ST.
    private func stringStep(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Step {
        var end = index + 2
        guard end < bytes.count else { return .incomplete }
        func event() -> InputEvent? {
            TerminalReply(introducer: bytes[index + 1], content: bytes[(index + 2)..<end])
                .map { .reply($0) }
        }
        while end < bytes.count, end - index < Self.longestString {
            if bytes[end] == 0x07 { return .done(event(), next: end + 1) }
            if bytes[end] == Self.escape {
                guard end + 1 < bytes.count else { return .incomplete }
                let isEnd = bytes[end + 1] == UInt8(ascii: "\\")
                return .done(isEnd ? event() : nil, next: isEnd ? end + 2 : end)
            }
            end += 1
        }
        return end < bytes.count ? .done(nil, next: end) : .incomplete
    }

    // MARK: - Single bytes

    /// The key of a byte below 0x80; nil for none.
    static func plainKey(_ byte: UInt8) -> KeyPress? {
        switch byte {
        case 0x00: .control(" ")
        case 0x08, 0x7F: KeyPress(.backspace)
        case 0x09: KeyPress(.tab)
        case 0x0A, 0x0D: KeyPress(.enter)
        case 0x1B: KeyPress(.escape)
        case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
        case 0x1C...0x1F: .control(Unicode.Scalar(byte + 0x40))
        case 0x20...0x7E: .character(Unicode.Scalar(byte))
        default: nil
        }
    }
}

extension KeyPress {
    func adding(_ modifiers: Modifiers) -> KeyPress {
        KeyPress(key, self.modifiers.union(modifiers))
    }
}
