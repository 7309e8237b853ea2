/// The position of a picture in a larger box of cells: whole columns, and whole or half rows.
///
/// A picture that ended inside a cell would have a ragged edge, since each cell chooses the glyph closest to
/// its own colors.
struct CellPlacement: Equatable {
    /// Columns of the box, half-open.
    let columns: Range<Int>
    /// Parts of rows, half-open.
    let parts: Range<Int>
    let partsPerRow: Int

    /// - Parameter window: The visible region in pixels of the picture; may exceed it.
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

    /// At the top left of the box, in the size of the rendered picture.
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

    /// The box's units covered by the picture, rounded; at least one.
    private static func range(
        from start: Double, to length: Double, whole: Int, _ count: Int
    ) -> Range<Int> {
        guard length > 0, count > 0 else { return 0..<max(0, count) }
        let first = (-start / length * Double(count)).rounded()
        let last = ((Double(whole) - start) / length * Double(count)).rounded()
        let lower = Int(min(max(0, first), Double(count - 1)))
        return lower..<max(lower + 1, Int(min(max(0, last), Double(count))))
    }

    /// The number of rows covered completely or partly.
    var rowCount: Int { (parts.upperBound + partsPerRow - 1) / partsPerRow }

    /// The row of which only the lower half is covered.
    var lowerHalfRow: Int? {
        partsPerRow == 2 && parts.lowerBound % 2 == 1 ? parts.lowerBound / 2 : nil
    }

    /// The row of which only the upper half is covered.
    var upperHalfRow: Int? {
        partsPerRow == 2 && parts.upperBound % 2 == 1 ? parts.upperBound / 2 : nil
    }
}

extension PixelRegion {
    /// The part of a window that contains a part of the picture.
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
