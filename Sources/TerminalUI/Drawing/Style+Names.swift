extension Style {
    /// Parses a style: `bold blue`, `white on #005f87`, `underline`, `244 on default`.
    ///
    /// Words in any order: the attributes `bold`, `dim`, `italic`, `underline` and `reverse`, one color for
    /// the text, and after `on` one for the background. A color is a name of ``Color/init(name:)``. Nil for
    /// an unknown word, or for a repeated property.
    public init?(names: some StringProtocol) {
        self.init()
        var hasForeground = false
        var hasBackground = false
        var isBackground = false
        let words = names.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return nil }
        for word in words {
            if word == "on" {
                guard !isBackground, !hasBackground else { return nil }
                isBackground = true
            } else if let attribute = Attributes(name: word), !isBackground {
                guard !attributes.contains(attribute) else { return nil }
                attributes.insert(attribute)
            } else if let color = Color(name: word) {
                if isBackground {
                    background = color
                    hasBackground = true
                    isBackground = false
                } else {
                    guard !hasForeground else { return nil }
                    foreground = color
                    hasForeground = true
                }
            } else {
                return nil
            }
        }
        if isBackground { return nil }
    }
}

extension Style.Attributes {
    fileprivate init?(name: some StringProtocol) {
        switch name {
        case "bold": self = .bold
        case "dim": self = .dim
        case "italic": self = .italic
        case "underline": self = .underline
        case "reverse": self = .reverse
        default: return nil
        }
    }
}

extension Color {
    /// The terminal's sixteen colors, in order.
    private static let ansiNames = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]

    /// Reads a color: `default`, one of the terminal's sixteen (`red`, `bright-red`), a number of xterm's
    /// palette (0 to 255), or `#rrggbb`. Nil for anything else.
    public init?(name: some StringProtocol) {
        if name == "default" {
            self = .default
        } else if let index = Self.ansiNames.firstIndex(where: { $0 == name }) {
            self = .palette(UInt8(index))
        } else if name.hasPrefix("bright-"),
            let index = Self.ansiNames.firstIndex(where: { $0 == name.dropFirst(7) })
        {
            self = .palette(UInt8(index + 8))
        } else if name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = UInt8(name) {
            self = .palette(index)
        } else if name.hasPrefix("#"), name.utf8.count == 7,
            name.utf8.dropFirst().allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let bits = UInt32(name.dropFirst(), radix: 16)
        {
            self = .rgb(
                UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                UInt8(truncatingIfNeeded: bits))
        } else {
            return nil
        }
    }
}
