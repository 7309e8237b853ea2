public import ByteClubPictures
public import TerminalUI

extension ImageCells {
    /// A rendered picture for the screen.
    public init(_ image: CellImage) {
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
    /// The renderer for pictures at rest.
    public static func atRest(_ screen: any Screen) -> CellRenderer {
        CellRenderer(.symbols, screen)
    }

    /// The renderer for moving pictures.
    public static func moving(_ screen: any Screen) -> CellRenderer {
        CellRenderer(.halfBlocks, screen)
    }

    /// Without colors or block characters, plain characters are used.
    private init(_ style: Style, _ screen: any Screen) {
        let isPlain = screen.colorDepth == .monochrome || !screen.showsUnicode
        let colors: CellColors =
            switch screen.colorDepth {
            case .direct: .direct
            case .palette: .palette
            case .sixteen: .sixteen
            case .eight, .monochrome: .eight
            }
        self.init(
            style: isPlain ? .characters(onDark: true) : style,
            cellAspect: screen.pictures.cellAspect, colors: colors)
    }
}
