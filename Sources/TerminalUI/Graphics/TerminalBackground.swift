/// Whether a terminal's background is dark or light.
public enum TerminalBackground: Hashable, Sendable {
    case dark
    case light

    /// Parses a color in the format of replies to OSC 11: `rgb:rrrr/gggg/bbbb` or `rgba:…` with one to four
    /// hexadecimal digits each, or `#rrggbb`.
    ///
    /// Nil for a color between dark and light, for which the standard styles are best. Source:
    /// XParseColor(3), xterm's ctlseqs.
    public init?(color: String) {
        guard let shares = Self.shares(of: color) else { return nil }
        // The perceived brightness, from 0 to 1 (ITU-R BT.601).
        let brightness = 0.299 * shares[0] + 0.587 * shares[1] + 0.114 * shares[2]
        switch brightness {
        case ..<0.35: self = .dark
        case 0.7...: self = .light
        default: return nil
        }
    }

    /// Red, green and blue from 0 to 1.
    private static func shares(of color: String) -> [Double]? {
        guard color.utf8.count <= 32 else { return nil }
        let parts: [Substring]
        let count: ClosedRange<Int>
        if color.hasPrefix("#") {
            let digits = color.dropFirst()
            guard !digits.isEmpty, digits.utf8.count % 3 == 0, digits.utf8.count <= 12 else {
                return nil
            }
            let width = digits.utf8.count / 3
            parts = (0..<3).map { digits.dropFirst($0 * width).prefix(width) }
            count = 3...3
        } else {
            guard let colon = color.firstIndex(of: ":") else { return nil }
            switch color[..<colon] {
            case "rgb": count = 3...3
            case "rgba": count = 4...4
            default: return nil
            }
            parts = color[color.index(after: colon)...]
                .split(separator: "/", omittingEmptySubsequences: false)
        }
        guard count.contains(parts.count) else { return nil }
        let shares = parts.compactMap(share)
        return shares.count == parts.count ? shares : nil
    }

    private static func share(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.utf8.count),
            digits.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF)
            }),
            let value = Int(digits, radix: 16)
        else { return nil }
        return Double(value) / Double(1 << (4 * digits.utf8.count) - 1)
    }
}
