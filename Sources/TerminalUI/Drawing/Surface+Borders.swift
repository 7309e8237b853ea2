/// The characters a border is drawn with.
public enum BorderKind: Hashable, Sendable {
    case rounded
    case square

    var corners:
        (topLeft: Grapheme, topRight: Grapheme, bottomLeft: Grapheme, bottomRight: Grapheme)
    {
        switch self {
        case .rounded: (Grapheme("╭"), Grapheme("╮"), Grapheme("╰"), Grapheme("╯"))
        case .square: (Grapheme("┌"), Grapheme("┐"), Grapheme("└"), Grapheme("┘"))
        }
    }
}

extension Surface {
    /// Draws a frame along the inside of a rectangle, with titles in its upper and lower edge.
    ///
    /// Less than 2 × 2 cells draw nothing.
    public func drawBorder(
        _ rect: Rect, style: Style, kind: BorderKind = .rounded,
        title: TextLine? = nil, trailing: TextLine? = nil, footer: TextLine? = nil
    ) {
        guard rect.width >= 2, rect.height >= 2 else { return }
        let corners = kind.corners
        let right = rect.maxX - 1
        let bottom = rect.maxY - 1
        drawHorizontalLine(
            at: Point(x: rect.x + 1, y: rect.y), length: rect.width - 2, style: style)
        drawHorizontalLine(
            at: Point(x: rect.x + 1, y: bottom), length: rect.width - 2, style: style)
        let side = Cell(Grapheme("│"), style: style)
        for y in (rect.y + 1)..<max(rect.y + 1, bottom) {
            put(side, at: Point(x: rect.x, y: y))
            put(side, at: Point(x: right, y: y))
        }
        put(Cell(corners.topLeft, style: style), at: rect.origin)
        put(Cell(corners.topRight, style: style), at: Point(x: right, y: rect.y))
        put(Cell(corners.bottomLeft, style: style), at: Point(x: rect.x, y: bottom))
        put(Cell(corners.bottomRight, style: style), at: Point(x: right, y: bottom))

        var room = rect.width - 4
        if let trailing, !trailing.isEmpty,
            Self.hasRoom(for: trailing, beside: title ?? "", inBorderOf: rect.width)
        {
            let width = trailing.columnCount
            let x = right - 2 - width
            drawInset(trailing, at: Point(x: x, y: rect.y), columns: width)
            room -= width + 3
        }
        if let title, !title.isEmpty, room > 2 {
            drawInset(title, at: Point(x: rect.x + 2, y: rect.y), columns: room - 1)
        }
        if let footer, !footer.isEmpty, footer.columnCount + 4 <= rect.width {
            let width = footer.columnCount
            drawInset(footer, at: Point(x: right - 2 - width, y: bottom), columns: width)
        }
    }

    /// Draws a thin line from a point to the right, in the window's coordinates; `length` in
    /// columns.
    public func drawHorizontalLine(at point: Point, length: Int, style: Style) {
        let cell = Cell(Grapheme("─"), style: style)
        for offset in 0..<max(0, length) {
            put(cell, at: Point(x: point.x + offset, y: point.y))
        }
    }

    /// Whether a trailing title leaves enough room for the title.
    static func hasRoom(
        for trailing: TextLine, beside title: TextLine, inBorderOf columns: Int
    ) -> Bool {
        trailing.columnCount + title.columnCount + 4 <= columns - 4
    }

    /// Draws a title in an edge, with a space on either side.
    private func drawInset(_ line: TextLine, at point: Point, columns: Int) {
        put(.blank, at: point)
        let used = draw(line, at: Point(x: point.x + 1, y: point.y), columns: columns)
        put(.blank, at: Point(x: point.x + 1 + used, y: point.y))
    }
}
