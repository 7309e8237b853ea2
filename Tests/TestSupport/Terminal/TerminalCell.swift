/// A size in cells.
public struct TerminalSize: Hashable, Sendable, CustomStringConvertible {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    public static let classic = TerminalSize(columns: 80, rows: 24)
    public static let wide = TerminalSize(columns: 160, rows: 50)

    public var description: String { "\(columns)×\(rows)" }
}

/// A position on the screen; both numbers start at 0, in the upper left corner.
public struct TerminalPosition: Hashable, Sendable, CustomStringConvertible {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }

    public var description: String { "row \(row), column \(column)" }
}

/// A color as requested by the program.
public enum TerminalColor: Hashable, Sendable, CustomStringConvertible {
    /// The terminal's own foreground or background.
    case standard
    /// 0…15 the theme's sixteen colors, 16…255 the fixed ones.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)

    public var description: String {
        switch self {
        case .standard: "own"
        case .palette(let index): "\(index)"
        case .rgb(let red, let green, let blue):
            "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}

/// Text attributes; libvterm 0.1 does not report faint text.
public struct TerminalAttributes: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let bold = TerminalAttributes(rawValue: 1)
    public static let underline = TerminalAttributes(rawValue: 2)
    public static let italic = TerminalAttributes(rawValue: 4)
    public static let blink = TerminalAttributes(rawValue: 8)
    public static let reverse = TerminalAttributes(rawValue: 16)
    public static let strike = TerminalAttributes(rawValue: 32)

    public var description: String {
        let names = ["bold", "underline", "italic", "blink", "reverse", "strike"]
        return names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }
            .map(\.element).joined(separator: " ")
    }
}

/// Everything about a cell but its text.
public struct TerminalStyle: Hashable, Sendable, CustomStringConvertible {
    public var foreground: TerminalColor
    public var background: TerminalColor
    public var attributes: TerminalAttributes

    public init(
        foreground: TerminalColor = .standard, background: TerminalColor = .standard,
        attributes: TerminalAttributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    public static let plain = TerminalStyle()

    public var description: String {
        var parts: [String] = []
        if foreground != .standard { parts.append("on: \(foreground)") }
        if background != .standard { parts.append("behind: \(background)") }
        if !attributes.isEmpty { parts.append(attributes.description) }
        return parts.isEmpty ? "plain" : parts.joined(separator: ", ")
    }
}

/// One cell: a base character with its marks, and its style.
public struct TerminalCell: Hashable, Sendable {
    /// Empty in the right half of a wide character; a space where nothing was written.
    public var text: String
    /// 2 for a wide character, 0 for its right half, else 1.
    public var width: Int
    public var style: TerminalStyle

    public init(text: String, width: Int = 1, style: TerminalStyle = .plain) {
        self.text = text
        self.width = width
        self.style = style
    }
}
