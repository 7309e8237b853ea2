import TextEditing

/// Writes cells as escape sequences, for what ncurses cannot draw.
@MainActor
struct CellWriter {
    private let description: TerminalDescription
    private let depth: ColorDepth
    private(set) var bytes: [UInt8] = []

    init(description: TerminalDescription, depth: ColorDepth) {
        self.description = description
        self.depth = depth
    }

    mutating func move(to point: Point) {
        bytes += description.move(to: point)
    }

    mutating func write(_ cell: Cell, at point: Point) {
        move(to: point)
        setStyle(cell.style)
        bytes += Array(cell.grapheme.text.utf8)
    }

    private mutating func setStyle(_ style: Style) {
        bytes += description["sgr0"] ?? []
        let attributes: [(Style.Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.italic, "sitm"), (.underline, "smul"),
            (.reverse, "rev"),
        ]
        for (attribute, name) in attributes where style.attributes.contains(attribute) {
            bytes += description[name] ?? []
        }
        guard depth != .monochrome else { return }
        let foreground = PaletteColors.number(of: style.foreground, depth: depth)
        let background = PaletteColors.number(of: style.background, depth: depth)
        if foreground >= 0 { bytes += description.filled("setaf", foreground) }
        if background >= 0 { bytes += description.filled("setab", background) }
    }
}

extension Cell {
    /// The columns it takes on a terminal that draws each of its scalars by itself.
    var widestRendering: Int {
        let sum = grapheme.text.unicodeScalars.reduce(0) { $0 + CellWidth.of($1) }
        return max(Int(columnCount), sum)
    }
}
