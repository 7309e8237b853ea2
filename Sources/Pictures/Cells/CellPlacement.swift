/// Where a picture lies in a box of cells that it does not fill: over whole columns, and over whole rows or
/// halves of them.
///
/// A picture that ended anywhere inside a cell would have a ragged edge: each cell chooses the glyph that comes
/// nearest to its own colors.
struct CellPlacement: Equatable {
    /// Half-open, of the box.
    let columns: Range<Int>
    /// Half-open, in parts of a row.
    let parts: Range<Int>
    let partsPerRow: Int

    /// - Parameter window: What the box shows, in pixels of the picture; may go beyond it.
    init(
        of window: PixelRegion, in picture: PixelSize, wraps: Bool, _ box: CellSize,
        partsPerRow: Int
    ) {
        columns =
            wraps
            ? 0..<box.columns
            : Self.range(from: window.x, to: window.width, whole: picture.width, box.columns)
        parts = Self.range(
            from: window.y, to: window.height, whole: picture.height, box.rows * partsPerRow)
        self.partsPerRow = partsPerRow
    }

    /// At the top left of the box, as large as a picture of this size comes out.
    ///
    /// - Parameter extent: In cells, with fractions.
    init(extent: (width: Double, height: Double), in box: CellSize, partsPerRow: Int) {
        func count(_ length: Double, _ limit: Int) -> Int {
            min(limit, max(1, Int(length.rounded())))
        }
        columns = 0..<count(extent.width, box.columns)
        parts = 0..<count(extent.height * Double(partsPerRow), box.rows * partsPerRow)
        self.partsPerRow = partsPerRow
    }

    /// The box's units that the picture is on, to the nearest; one at least.
    private static func range(
        from start: Double, to length: Double, whole: Int, _ count: Int
    ) -> Range<Int> {
        guard length > 0, count > 0 else { return 0..<max(0, count) }
        let first = (-start / length * Double(count)).rounded()
        let last = ((Double(whole) - start) / length * Double(count)).rounded()
        let lower = Int(min(max(0, first), Double(count - 1)))
        return lower..<max(lower + 1, Int(min(max(0, last), Double(count))))
    }

    /// The rows that it covers, also those of which it covers a part.
    var rowCount: Int { (parts.upperBound + partsPerRow - 1) / partsPerRow }

    /// The row whose lower half alone it covers.
    var lowerHalfRow: Int? {
        partsPerRow == 2 && parts.lowerBound % 2 == 1 ? parts.lowerBound / 2 : nil
    }

    /// The row whose upper half alone it covers.
    var upperHalfRow: Int? {
        partsPerRow == 2 && parts.upperBound % 2 == 1 ? parts.upperBound / 2 : nil
    }
}

extension PixelRegion {
    /// The part of a window in which there is something of a picture.
    func visible(in picture: PixelSize, wraps: Bool) -> PixelRegion {
        var region = self
        if !wraps {
            region.x = max(0, x)
            region.width = min(Double(picture.width), x + width) - region.x
        }
        region.y = max(0, y)
        region.height = min(Double(picture.height), y + height) - region.y
        return region
    }
}
