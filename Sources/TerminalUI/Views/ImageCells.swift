/// A picture in characters: each cell is a glyph with a foreground and a background color.
public struct ImageCells: Hashable, Sendable {
    /// One cell of a picture.
    public struct Pixel: Hashable, Sendable {
        /// The glyph, one column wide, such as a half block.
        public var scalar: Unicode.Scalar
        /// The glyph's color; the default on a colored background makes the glyph transparent.
        public var foreground: Color
        /// The color behind the glyph; the default is transparent.
        public var background: Color

        public init(_ scalar: Unicode.Scalar, foreground: Color, background: Color) {
            self.scalar = scalar
            self.foreground = foreground
            self.background = background
        }
    }

    /// The width in cells.
    public let columnCount: Int
    /// The height in cells.
    public let rowCount: Int
    /// `columnCount × rowCount` pixels in rows.
    public let pixels: [Pixel]

    /// A picture from its cells in rows; missing ones are blank.
    public init(columnCount: Int, rowCount: Int, pixels: [Pixel]) {
        self.columnCount = max(0, columnCount)
        self.rowCount = max(0, rowCount)
        let count = self.columnCount * self.rowCount
        let blank = Pixel(" ", foreground: .default, background: .default)
        if pixels.count == count {
            self.pixels = pixels
        } else {
            let missing = max(0, count - pixels.count)
            self.pixels = pixels.prefix(count) + Array(repeating: blank, count: missing)
        }
    }

    /// The extent in cells.
    public var size: Size { Size(width: columnCount, height: rowCount) }
}

extension Surface {
    /// Draws a picture with its upper left corner at a point.
    ///
    /// A default color is transparent: the background shows through.
    public func draw(_ image: ImageCells, at point: Point) {
        guard !theme.isPlain else { return }
        for row in 0..<image.rowCount {
            for column in 0..<image.columnCount {
                let place = Point(x: point.x + column, y: point.y + row)
                let pixel = image.pixels[row * image.columnCount + column]
                put(
                    Cell(Grapheme(pixel.scalar), style: pixel.style(on: ground(at: place))),
                    at: place)
            }
        }
    }

    /// The background at a position of the window.
    private func ground(at point: Point) -> Color {
        let style = styleInWindow(at: point)
        return style.attributes.contains(.reverse) ? style.foreground : style.background
    }
}

extension ImageCells.Pixel {
    fileprivate func style(on ground: Color) -> Style {
        if background == .default, foreground == .default { return Style(background: ground) }
        // A transparent glyph has the background's color, which can only be selected by reversing if it is
        // the terminal's own.
        if foreground == .default, scalar != " " {
            return Style(foreground: background, background: ground, .reverse)
        }
        return Style(
            foreground: foreground, background: background == .default ? ground : background)
    }
}
