/// A size in character cells.
public struct CellSize: Hashable, Sendable {
    public var columns: Int
    public var rows: Int

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// A picture in characters: rows × columns of cells, top left first.
public struct CellImage: Sendable, Equatable {
    /// An opaque color.
    public struct Color: Sendable, Hashable {
        public var red: UInt8
        public var green: UInt8
        public var blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// A character cell. A nil color is the terminal's own.
    public struct Cell: Sendable, Hashable {
        public var glyph: Unicode.Scalar
        public var foreground: Color?
        public var background: Color?

        public init(
            glyph: Unicode.Scalar = " ", foreground: Color? = nil, background: Color? = nil
        ) {
            self.glyph = glyph
            self.foreground = foreground
            self.background = background
        }
    }

    public let size: CellSize

    /// `size.columns * size.rows` cells, row by row.
    public internal(set) var cells: [Cell]

    /// Creates a blank picture; without cells if the size is not positive.
    public init(size: CellSize) {
        let size = CellSize(columns: max(0, size.columns), rows: max(0, size.rows))
        self.size = size
        cells = Array(repeating: Cell(), count: size.columns * size.rows)
    }

    public internal(set) subscript(column: Int, row: Int) -> Cell {
        get { cells[index(column, row)] }
        set { cells[index(column, row)] = newValue }
    }

    private func index(_ column: Int, _ row: Int) -> Int {
        precondition(
            column >= 0 && column < size.columns && row >= 0 && row < size.rows,
            "cell outside the picture")
        return row * size.columns + column
    }
}

extension PixelImage.Pixel {
    /// The pixel as a cell's color; nil if it is transparent.
    var color: CellImage.Color? {
        alpha < 128 ? nil : CellImage.Color(red: red, green: green, blue: blue)
    }
}
