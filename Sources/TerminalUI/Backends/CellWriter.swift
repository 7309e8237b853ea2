import TextEditing

/// Writes cells as escape sequences, for what ncurses cannot draw.
///
/// Adjacent cells need no cursor moves, and cells of the same style no color changes.
@MainActor
struct CellWriter {
    private let description: TerminalDescription
    private let depth: ColorDepth
    private(set) var bytes: [UInt8] = []

    private static let foregroundStart = Array("\u{1B}[38;2;".utf8)
    private static let backgroundStart = Array("\u{1B}[48;2;".utf8)
    /// 0 to 255 as digits: a picture needs tens of thousands of them per frame.
    private static let decimals = (0...255).map { Array(String($0).utf8) }

    /// The cursor's position, if known.
    private var place: Point?
    private var style: Style?

    init(description: TerminalDescription, depth: ColorDepth) {
        self.description = description
        self.depth = depth
    }

    mutating func write(_ cell: Cell, at point: Point) {
        if place != point { bytes += description.move(to: point) }
        setStyle(cell.style)
        if let part = cell.grapheme.placeholder {
            bytes += KittyPlaceholder.bytes(row: part.row, column: part.column)
        } else {
            bytes += cell.grapheme.text.utf8
        }
        place = Point(x: point.x + Int(cell.columnCount), y: point.y)
    }

    /// Notes that the terminal's cursor may not be where the last cell ends.
    mutating func losePlace() { place = nil }

    private mutating func setStyle(_ new: Style) {
        guard new != style else { return }
        let old = style
        style = new
        if let old, old.attributes == new.attributes, isOpaque(old) == isOpaque(new), isOpaque(new)
        {
            if old.foreground != new.foreground { setColor(new.foreground, "setaf", 38) }
            if old.background != new.background { setColor(new.background, "setab", 48) }
            return
        }
        bytes += description["sgr0"] ?? []
        let attributes: [(Style.Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.italic, "sitm"), (.underline, "smul"),
            (.reverse, "rev"),
        ]
        for (attribute, name) in attributes where new.attributes.contains(attribute) {
            bytes += description[name] ?? []
        }
        guard depth != .monochrome else { return }
        setColor(new.foreground, "setaf", 38)
        setColor(new.background, "setab", 48)
    }

    private func isOpaque(_ style: Style) -> Bool {
        style.foreground != .default && style.background != .default
    }

    private mutating func setColor(_ color: Color, _ capability: String, _ code: Int) {
        if case .rgb(let red, let green, let blue) = color.kind, depth == .direct {
            bytes += code == 38 ? Self.foregroundStart : Self.backgroundStart
            bytes += Self.decimals[Int(red)]
            bytes.append(UInt8(ascii: ";"))
            bytes += Self.decimals[Int(green)]
            bytes.append(UInt8(ascii: ";"))
            bytes += Self.decimals[Int(blue)]
            bytes.append(UInt8(ascii: "m"))
            return
        }
        let number = PaletteColors.number(of: color, depth: depth)
        if number >= 0 { bytes += description.filled(capability, number) }
    }
}

extension Cell {
    /// The columns it takes on a terminal that draws each of its scalars separately.
    var widestRendering: Int {
        if grapheme.scalar != nil || grapheme.isOfPicture { return Int(columnCount) }
        let sum = grapheme.text.unicodeScalars.reduce(0) { $0 + CellWidth.of($1) }
        return max(Int(columnCount), sum)
    }
}
