/// A reply of the terminal to a query. Replies arrive among keys, complete, and are never keys.
///
/// A reply may be wrong, or foreign text repeated by a program: it only affects how things are drawn, and is
/// not displayed.
public enum TerminalReply: Hashable, Sendable {
    /// Primary device attributes (DA1), `CSI ? 62 ; 4 c`: all terminals reply to this.
    case attributes([Int])
    /// Its name and version (XTVERSION), `DCS > | text ST`.
    case version(String)
    /// To a kitty graphics command, `APC G i=31;OK ST`.
    case graphics(id: Int, isOK: Bool)
    /// The size of a cell in pixels, `CSI 6 ; height ; width t`.
    case cellPixels(CellPixels)
    /// The size of the text area in pixels, `CSI 4 ; height ; width t`.
    case windowPixels(width: Int, height: Int)
    /// The supported ones among the queried terminfo names (XTGETTCAP), `DCS 1 + r hex=hex ST`.
    case capabilities([String])
    /// The current style (DECRQSS), `DCS 1 $ r 0;48:2::1:2:3 m ST`: its numbers.
    case style([Int])
    /// An operating system command, e.g. 11 and `rgb:0000/0000/0000`: a queried color.
    case operatingSystem(code: Int, text: String)

    /// Reads a control string.
    ///
    /// - Parameters:
    ///   - introducer: The byte after Esc: `]` (OSC), `P` (DCS) or `_` (APC).
    ///   - content: The bytes between it and the terminator.
    init?(introducer: UInt8, content: some Collection<UInt8>) {
        // Valid replies are plain text.
        guard content.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let text = String(decoding: content, as: UTF8.self)
        switch introducer {
        case UInt8(ascii: "]"): self.init(operatingSystemCommand: text)
        case UInt8(ascii: "P"): self.init(deviceControl: text)
        case UInt8(ascii: "_"): self.init(applicationCommand: text)
        default: return nil
        }
    }

    private init?(operatingSystemCommand text: String) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let code = Self.number(parts[0]) else { return nil }
        self = .operatingSystem(code: code, text: String(parts[1]))
    }

    private init?(deviceControl text: String) {
        if text.hasPrefix(">|") {
            self = .version(String(text.dropFirst(2).prefix(64)))
        } else if text.hasPrefix("1+r") {
            self = .capabilities(
                text.dropFirst(3).split(separator: ";").prefix(8).compactMap { entry in
                    Self.unhexed(entry.prefix { $0 != "=" })
                })
        } else if text.hasPrefix("1$r"), text.hasSuffix("m") {
            let numbers = text.dropFirst(3).dropLast()
                .split { $0 == ";" || $0 == ":" }.prefix(64)
            self = .style(numbers.compactMap(Self.number))
        } else {
            return nil
        }
    }

    private init?(applicationCommand text: String) {
        guard text.first == "G" else { return nil }
        let parts = text.dropFirst().split(
            separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let key = parts[0].split(separator: ",").first { $0.hasPrefix("i=") }
        guard let id = key.flatMap({ Self.number($0.dropFirst(2)) }) else { return nil }
        self = .graphics(id: id, isOK: parts[1] == "OK")
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count < 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func unhexed(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let high = rest.popFirst() {
            guard let low = rest.popFirst(), let value = UInt8(hexHigh: high, low: low) else {
                return nil
            }
            bytes.append(value)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate init?(hexHigh high: UInt8, low: UInt8) {
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x37
            case 0x61...0x66: byte - 0x57
            default: nil
            }
        }
        guard let high = digit(high), let low = digit(low) else { return nil }
        self = high << 4 | low
    }
}

/// The size of a cell in pixels.
public struct CellPixels: Hashable, Sendable {
    /// At least 2 and at most 256.
    public let width: Int
    /// At least 2 and at most 512.
    public let height: Int

    /// Nil for implausible sizes: a terminal may report anything.
    public init?(width: Int, height: Int) {
        guard (2...256).contains(width), (2...512).contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    /// Computed from the size of the text area; excess pixels at the edges are ignored.
    init?(windowWidth: Int, windowHeight: Int, cells: Size) {
        guard cells.width > 0, cells.height > 0 else { return nil }
        self.init(width: windowWidth / cells.width, height: windowHeight / cells.height)
    }
}
