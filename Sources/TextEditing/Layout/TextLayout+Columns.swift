extension TextLayout {
    /// The cell, from the row's left edge, where a caret at `offset` stands.
    ///
    /// - Complexity: O(bytes of the row before `offset`).
    public func column(of offset: Int, in row: TextRow, of text: TextBuffer) -> Int {
        let end = min(max(offset, row.range.lowerBound), row.range.upperBound)
        var column = 0
        walk(row.range.lowerBound..<end, of: text) { step, _ in
            column = step.column + step.width
            return true
        }
        return options.wraps ? min(column, options.columns) : column
    }

    /// The offset of the cluster that covers a cell, or the last place for a caret on the row when
    /// the cell is behind its end.
    ///
    /// On a row that goes on in the next, that place is before its last cluster.
    public func offset(atColumn target: Int, in row: TextRow, of text: TextBuffer) -> Int {
        var result = row.range.lowerBound
        walk(row.range, of: text) { step, _ in
            result = step.source.lowerBound
            if target < step.column + step.width { return false }
            if row.isLastOfLine { result = step.source.upperBound }
            return true
        }
        return result
    }

    /// Calls `body` with what fills a row's cells, from the left, and the cell each begins at.
    ///
    /// A tab comes as spaces that share its source; all sources are offsets in the text.
    public func forEachGlyph(
        in row: TextRow, of text: TextBuffer, columns: Range<Int>? = nil,
        _ body: (_ column: Int, Glyph) -> Void
    ) {
        let visible = columns ?? 0..<Int.max
        walk(row.range, of: text) { step, bytes in
            guard step.column < visible.upperBound else { return false }
            guard step.column + step.width > visible.lowerBound else { return true }
            if step.isTab {
                for cell in step.column..<step.column + step.width {
                    body(cell, Glyph(" ", width: 1, source: step.source))
                }
            } else {
                var cell = step.column
                VisibleText.forEachGlyph(in: bytes) { glyph in
                    var glyph = glyph
                    glyph.source = step.source
                    body(cell, glyph)
                    cell += glyph.width
                    return true
                }
            }
            return true
        }
    }
}

private extension TextLayout {
    /// A cluster on its way along a row.
    struct Step {
        /// Where it is in the text.
        var source: Range<Int>
        var column: Int
        var width: Int
        var isTab: Bool
    }

    /// Walks the clusters of a range in windows, so that a row of a megabyte is not copied whole.
    ///
    /// `body` gets the bytes of the cluster and returns whether to go on.
    func walk(
        _ range: Range<Int>, of text: TextBuffer,
        _ body: (Step, UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        let limit = options.wraps ? options.columns : Int.max
        var column = 0
        var base = range.lowerBound
        var goesOn = true
        while goesOn, base < range.upperBound {
            let end = min(range.upperBound, base + 4096)
            // A cluster near the window's edge may be cut: it waits for the next window.
            let margin = end == range.upperBound ? 0 : GraphemeBreaker.longestCluster
            text.withBytes(in: base..<end) { bytes in
                var offset = 0
                while goesOn, offset + margin < bytes.count {
                    let stop = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
                    let isTab = bytes[offset] == 0x09 && stop == offset + 1
                    let width =
                        isTab
                        ? RowBreaker.tabCells(at: column, options.tabWidth, columns: limit)
                        : ClusterShape.width(in: bytes, offset..<stop)
                    let step = Step(
                        source: base + offset..<base + stop, column: column, width: width,
                        isTab: isTab)
                    goesOn = body(step, UnsafeBufferPointer(rebasing: bytes[offset..<stop]))
                    column += width
                    offset = stop
                }
                base += offset
            }
        }
    }
}
