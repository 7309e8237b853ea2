internal import Pictures
internal import TerminalUI

extension ImageCells {
    /// A rendered picture as the screen draws it.
    init(_ image: CellImage) {
        self.init(
            columnCount: image.size.columns, rowCount: image.size.rows,
            pixels: image.cells.map { cell in
                Pixel(
                    cell.glyph, foreground: Color(cell.foreground), background: Color(cell.background))
            })
    }
}

extension Color {
    fileprivate init(_ color: CellImage.Color?) {
        self = color.map { .rgb($0.red, $0.green, $0.blue) } ?? .default
    }
}

extension CellRenderer {
    /// How pictures at rest are drawn at a colour depth.
    static func atRest(_ depth: ColorDepth) -> CellRenderer {
        CellRenderer(style: depth == .monochrome ? .characters(onDark: true) : .symbols)
    }

    /// How pictures are drawn while they move.
    static func moving(_ depth: ColorDepth) -> CellRenderer {
        CellRenderer(style: depth == .monochrome ? .characters(onDark: true) : .halfBlocks)
    }
}
