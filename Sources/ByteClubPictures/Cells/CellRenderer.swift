/// Renders pixels as cells.
///
/// A value type; rendering runs on the calling thread.
public struct CellRenderer: Sendable, Equatable {
    /// The characters used.
    public enum Style: Sendable, Equatable {
        /// Upper half blocks in two colors. Takes about a millisecond for a whole screen: for moving
        /// pictures.
        case halfBlocks
        /// Half, quarter and eighth blocks chosen by chafa to follow the picture's edges: for pictures at
        /// rest. Takes tens of milliseconds for a whole screen: call it on a `PictureQueue`.
        case symbols
        /// Plain characters from light to heavy without colors, for `NO_COLOR` and monochrome terminals.
        /// Heavy is bright on a dark background and dark on a light one.
        case characters(onDark: Bool)
    }

    public var style: Style

    /// A cell's width divided by its height.
    public var cellAspect: Double

    /// The colors of the terminal; half blocks use only these.
    public var colors: CellColors

    /// - Parameter colors: With a limited set, half blocks replace symbols, which cannot be dithered.
    public init(style: Style, cellAspect: Double = 0.5, colors: CellColors = .direct) {
        self.style = style == .symbols && colors != .direct ? .halfBlocks : style
        self.colors = colors
        self.cellAspect = cellAspect > 0.05 && cellAspect < 20 ? cellAspect : 0.5
    }

    /// Renders the whole picture with its aspect ratio, fitted into a box; a small picture is enlarged. The
    /// result has the size of the rendered picture. A remaining half row at the bottom shows the terminal's
    /// background.
    public func render(_ image: PixelImage, fitting box: CellSize) -> CellImage {
        let box = box.clamped
        guard box.columns > 0, box.rows > 0 else { return CellImage(size: box) }
        let place = place(of: image.size, in: box)
        let size = CellSize(columns: place.columns.count, rows: place.rowCount)
        return cells(from: image.scaled(to: pixelSize(of: place)), at: place, size: size)
    }

    /// Fills a box with the visible part of a picture.
    public func render(
        _ image: PixelImage, through viewport: PanoramaViewport, filling box: CellSize
    ) -> CellImage {
        let box = box.clamped
        guard box.columns > 0, box.rows > 0 else { return CellImage(size: box) }
        let region = viewport.region(of: image.size, in: box, cellAspect: cellAspect)
        let place = CellPlacement(
            of: region, in: image.size, wraps: viewport.wraps, box, partsPerRow: partsPerRow)
        let pixels = image.scaled(
            region.visible(in: image.size, wraps: viewport.wraps), to: pixelSize(of: place),
            wraps: viewport.wraps)
        return cells(from: pixels, at: place, size: box)
    }

    /// Fills a box with a region of a picture.
    func render(_ sample: PictureSample, filling box: CellSize) -> CellImage {
        let box = box.clamped
        guard box.columns > 0, box.rows > 0 else { return CellImage(size: box) }
        return cells(
            from: sample.image.scaled(sample.region, to: gridSize(of: box)), size: box)
    }

    /// The size of the result of `render(_:fitting:)`, known before decoding.
    public func size(of picture: PixelSize, fitting box: CellSize) -> CellSize {
        let box = box.clamped
        guard box.columns > 0, box.rows > 0 else { return box }
        let place = place(of: picture, in: box)
        return CellSize(columns: place.columns.count, rows: place.rowCount)
    }

    /// The pixels that a box of cells can show: decode to fit in this many.
    public func pixelSize(of box: CellSize) -> PixelSize {
        let box = box.clamped
        // Picture pixels are square, grid pixels may not be: use the finer resolution for both.
        let grid = grid
        let perColumn = max(Double(grid.across), Double(grid.down) * cellAspect)
        return PixelSize(
            width: max(1, Int((Double(box.columns) * perColumn).rounded(.up))),
            height: max(1, Int((Double(box.rows) * perColumn / cellAspect).rounded(.up))))
    }
}

extension CellRenderer {
    /// The pixels per cell, across and down.
    private var grid: (across: Int, down: Int) {
        switch style {
        case .halfBlocks: (1, 2)
        case .symbols: (ChafaCells.side, ChafaCells.side)
        case .characters: (1, 1)
        }
    }

    /// The number of parts of a row at which a picture can begin and end.
    private var partsPerRow: Int {
        if case .characters = style { 1 } else { 2 }
    }

    /// The position of a whole picture in a box.
    private func place(of picture: PixelSize, in box: CellSize) -> CellPlacement {
        CellPlacement(extent: extent(of: picture, in: box), in: box, partsPerRow: partsPerRow)
    }

    /// The number of pixels at a position.
    private func pixelSize(of place: CellPlacement) -> PixelSize {
        PixelSize(
            width: place.columns.count * grid.across,
            height: place.parts.count * grid.down / partsPerRow)
    }

    /// The number of grid pixels in a box of cells.
    func gridSize(of box: CellSize) -> PixelSize {
        PixelSize(
            width: max(1, box.columns * grid.across), height: max(1, box.rows * grid.down))
    }

    /// The maximum size in cells, with fractions, of a picture in a box.
    private func extent(of picture: PixelSize, in box: CellSize) -> (width: Double, height: Double)
    {
        let shape = Double(picture.width) / Double(picture.height)
        let width = min(Double(box.columns), Double(box.rows) * shape / cellAspect)
        return (width, width * cellAspect / shape)
    }

    /// The cells of a box with a picture at a position.
    private func cells(
        from pixels: PixelImage, at place: CellPlacement, size: CellSize
    ) -> CellImage {
        let origin = (
            x: place.columns.lowerBound * grid.across,
            y: place.parts.lowerBound * grid.down / partsPerRow
        )
        let pixels = pixels.onCanvas(gridSize(of: size), at: origin)
        var result = cells(from: pixels, size: size)
        guard style == .symbols else { return result }
        for (row, isLower) in [(place.lowerHalfRow, true), (place.upperHalfRow, false)] {
            guard let row, row < size.rows else { continue }
            for column in place.columns {
                result[column, row] = HalfBlockCells.half(
                    isLower: isLower, of: pixels, column, row, side: ChafaCells.side)
            }
        }
        return result
    }

    private func cells(from pixels: PixelImage, size: CellSize) -> CellImage {
        switch style {
        case .halfBlocks:
            HalfBlockCells.cells(from: pixels.dithered(to: colors), size: size)
        case .symbols: ChafaCells.cells(from: pixels, size: size)
        case .characters(let onDark):
            CharacterCells.cells(from: pixels, size: size, onDark: onDark)
        }
    }
}

extension CellSize {
    /// Limited to the size of real terminals, so that a wrong size costs little.
    fileprivate var clamped: CellSize {
        CellSize(columns: min(max(0, columns), 2000), rows: min(max(0, rows), 1000))
    }
}

extension PixelImage {
    fileprivate func dithered(to colors: CellColors) -> PixelImage {
        guard colors != .direct else { return self }
        var result = self
        OrderedDither.apply(colors, to: &result)
        return result
    }

    /// The picture on a larger transparent canvas.
    fileprivate func onCanvas(_ canvas: PixelSize, at origin: (x: Int, y: Int)) -> PixelImage {
        guard canvas != size else { return self }
        var result = PixelImage(size: canvas)
        let count = min(size.width, canvas.width - origin.x) * 4
        for y in 0..<min(size.height, canvas.height - origin.y) {
            let from = y * size.width * 4
            let to = ((y + origin.y) * canvas.width + origin.x) * 4
            result.bytes.replaceSubrange(to..<to + count, with: bytes[from..<from + count])
        }
        return result
    }
}
