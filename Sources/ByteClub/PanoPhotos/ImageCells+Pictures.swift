internal import ClubAccess
internal import Pictures
internal import TerminalUI

extension ImageCells {
    /// A rendered picture as the screen draws it.
    init(_ image: CellImage) {
        self.init(
            columnCount: image.size.columns, rowCount: image.size.rows,
            pixels: image.cells.map { cell in
                Pixel(
                    cell.glyph, foreground: Color(cell.foreground),
                    background: Color(cell.background))
            })
    }
}

extension Color {
    fileprivate init(_ color: CellImage.Color?) {
        self = color.map { .rgb($0.red, $0.green, $0.blue) } ?? .default
    }
}

@MainActor extension CellRenderer {
    /// A cell's width over its height; terminals do not tell, and most fonts are near this.
    static let cellAspect = 0.5

    /// How pictures at rest are drawn on a screen.
    static func atRest(_ screen: any Screen) -> CellRenderer {
        CellRenderer(style: isPlain(screen) ? .characters(onDark: true) : .symbols)
    }

    /// How pictures are drawn while they move.
    static func moving(_ screen: any Screen) -> CellRenderer {
        CellRenderer(style: isPlain(screen) ? .characters(onDark: true) : .halfBlocks)
    }

    /// Without colors, or without block characters to color.
    private static func isPlain(_ screen: any Screen) -> Bool {
        screen.colorDepth == .monochrome || !screen.showsUnicode
    }
}
