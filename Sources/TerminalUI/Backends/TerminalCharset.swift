import CByteClubNcurses
import Glibc

/// The supported characters: Unicode, or ASCII.
enum TerminalCharset: Hashable, Sendable {
    case utf8
    case ascii

    /// Sets the C library's locale from the environment, which ncurses depends on.
    ///
    /// An environment without a locale (a container, a bare SSH session) counts as UTF-8, which all current
    /// terminals support; another encoding means ASCII.
    static func adopted() -> TerminalCharset {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let isSilent = names.allSatisfy { name in
            getenv(name).map { $0.pointee == 0 } ?? true
        }
        _ = setlocale(LC_CTYPE, isSilent ? "C.UTF-8" : "")
        if isUTF8 { return .utf8 }
        // The named locale may not be installed here though it is a UTF-8 one.
        let wanted = names.compactMap { getenv($0).map { String(cString: $0) } }
            .first { !$0.isEmpty }
        if let wanted = wanted?.lowercased(), wanted.contains("utf-8") || wanted.contains("utf8"),
            setlocale(LC_CTYPE, "C.UTF-8") != nil, isUTF8
        {
            return .utf8
        }
        return .ascii
    }

    private static var isUTF8: Bool {
        nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"
    }

    /// The ASCII replacement of a grapheme: a similar character, the base without marks, or a question mark.
    func representation(of text: String) -> Unicode.Scalar {
        guard let base = text.unicodeScalars.first else { return " " }
        return base.isASCII ? base : Self.likenesses[base] ?? "?"
    }

    /// An empty Braille pattern: looks blank, but differs from the characters of blank cells.
    static let blankPlaceholder: UInt32 = 0x2800

    /// The replacement passed to ncurses for a cell that it cannot hold: the base, or a character of the same
    /// width.
    static func placeholder(for cell: Cell) -> UInt32 {
        if let base = cell.grapheme.text.unicodeScalars.first,
            byteclub_wcwidth(base.value) == cell.columnCount
        {
            return base.value
        }
        return cell.columnCount == 2 ? 0x3000 : 0xB7
    }

    private static let likenesses: [Unicode.Scalar: Unicode.Scalar] = {
        var table: [Unicode.Scalar: Unicode.Scalar] = [
            "─": "-", "│": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "┌": "+", "┐": "+",
            "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
            "…": "~", "•": "*", "·": ".", "●": "*", "○": "o", "✓": "v", "✗": "x", "→": ">",
            "←": "<", "↑": "^", "↓": "v", "▸": ">", "▾": "v", "“": "\"", "”": "\"", "‘": "'",
            "’": "'", "–": "-", "—": "-", "×": "x", "█": "#", "▉": "#", "▊": "#", "▋": "#",
            "▌": "|", "▍": "|", "▎": "|", "▏": "|", "▐": "|", "▀": "\"", "▄": "_", "◌": "o",
        ]
        for (scalar, likeness) in zip("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".unicodeScalars, "|/-\\|/-\\|/".unicodeScalars) {
            table[scalar] = likeness
        }
        return table
    }()
}
