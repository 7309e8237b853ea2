extension TextLayout {
    /// The cell, from the row's left edge, where a caret at `offset` stands.
    ///
    /// - Complexity: O(bytes of the row before `offset`).
    public mutating func column(
        of offset: Int, in row: TextRow, of text: TextBuffer
    ) -> Int {
        let end = min(max(offset, row.range.lowerBound), row.range.upperBound)
        var column = 0
        walk(row.range.lowerBound..<end, of: text, to: .offset(end)) { step, _ in
            column = step.column + step.width
            return true
        }
        return options.wraps ? min(column, options.columns) : column
    }

    /// The offset of the cluster that covers a cell, or the last place for a caret on the row when
    /// the cell is behind its end.
    ///
    /// On a row that continues in the next, that place is before its last cluster.
    public mutating func offset(
        atColumn target: Int, in row: TextRow, of text: TextBuffer
    ) -> Int {
        var result = row.range.lowerBound
        walk(row.range, of: text, to: .column(target)) { step, _ in
            let isInside = target < step.column + step.width
            if step.kind == .ascii {
                let last = step.width - (row.isLastOfLine ? 0 : 1)
                result = step.source.lowerBound + max(0, min(target - step.column, last))
            } else {
                result =
                    isInside || !row.isLastOfLine
                    ? step.source.lowerBound : step.source.upperBound
            }
            return !isInside
        }
        return result
    }

    /// Calls `body` with what fills a row's cells, from the left, and the cell each begins at.
    ///
    /// A tab comes as spaces that share its source; all sources are offsets in the text.
    public mutating func forEachGlyph(
        in row: TextRow, of text: TextBuffer, columns: Range<Int>? = nil,
        _ body: (_ column: Int, Glyph) -> Void
    ) {
        forEachRun(in: row, of: text, columns: columns) { column, offset, bytes in
            for index in 0..<bytes.count {
                let source = offset + index..<offset + index + 1
                body(
                    column + index,
                    Glyph(String(UnicodeScalar(bytes[index])), width: 1, source: source))
            }
        } glyph: { column, glyph in
            body(column, glyph)
        }
    }

    /// Calls `ascii` with runs of printable ASCII, a cell a byte, and `glyph` with everything else.
    ///
    /// For drawing fast; `forEachGlyph` brings the same one by one.
    ///
    /// - Parameter columns: The cells wanted. A run is cut to them; a glyph that reaches into them
    ///   comes whole.
    public mutating func forEachRun(
        in row: TextRow, of text: TextBuffer, columns: Range<Int>? = nil,
        ascii: (_ column: Int, _ offset: Int, UnsafeBufferPointer<UInt8>) -> Void,
        glyph body: (_ column: Int, Glyph) -> Void
    ) {
        let visible = columns ?? 0..<Int.max
        walk(row.range, of: text, to: .column(visible.lowerBound)) { step, bytes in
            guard step.column < visible.upperBound else { return false }
            guard step.column + step.width > visible.lowerBound else { return true }
            switch step.kind {
            case .ascii:
                let first = max(0, visible.lowerBound - step.column)
                let end = min(step.width, visible.upperBound - step.column)
                ascii(
                    step.column + first, step.source.lowerBound + first,
                    UnsafeBufferPointer(rebasing: bytes[first..<end]))
            case .tab:
                for cell in step.column..<step.column + step.width {
                    body(cell, Glyph(" ", width: 1, source: step.source))
                }
            case .cluster:
                var cell = step.column
                _ = VisibleText.emit(0..<bytes.count, of: bytes) { glyph in
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
    /// A part of a row on the way along it.
    struct Step {
        enum Kind {
            /// A run of printable ASCII characters, each a cell.
            case ascii
            case tab
            case cluster
        }

        var kind: Kind
        /// Where it is in the text.
        var source: Range<Int>
        var column: Int
        var width: Int
    }

    /// Walks a row, or its beginning, in windows: one of a megabyte is not copied whole.
    ///
    /// On a long row that does not wrap it begins at a place known from before, near `goal`.
    /// `body` gets the bytes of the step and returns whether to go on.
    mutating func walk(
        _ range: Range<Int>, of text: TextBuffer, to goal: ColumnStops.Goal,
        _ body: (Step, UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        guard !options.wraps, range.count > Self.longLineCount else {
            return walk(range, of: text, column: 0, body) { _, _ in }
        }
        var stops = takeStops(ofLineAt: range.lowerBound)
        let stop = stops.stop(before: goal)
        let rest = range.lowerBound + stop.offset..<range.upperBound
        walk(rest, of: text, column: stop.column, body) { stops.note($0, column: $1) }
        columnStops.append(stops)
    }

    private func walk(
        _ range: Range<Int>, of text: TextBuffer, column: Int,
        _ body: (Step, UnsafeBufferPointer<UInt8>) -> Bool,
        note: (_ offset: Int, _ column: Int) -> Void
    ) {
        let limit = options.wraps ? options.columns : Int.max
        var column = column
        var base = range.lowerBound
        var shouldContinue = true
        while shouldContinue, base < range.upperBound {
            note(base, column)
            let end = min(range.upperBound, base + 4096)
            // A cluster near the window's edge may be cut: it waits for the next window.
            let margin = end == range.upperBound ? 0 : GraphemeBreaker.longestCluster
            text.withBytes(in: base..<end) { bytes in
                var offset = 0
                while shouldContinue, offset + margin < bytes.count {
                    let (kind, stop) = Self.step(in: bytes, from: offset, isLast: margin == 0)
                    let width =
                        switch kind {
                        case .ascii: stop - offset
                        case .tab: RowBreaker.tabCells(at: column, options.tabWidth, columns: limit)
                        case .cluster: ClusterShape.width(in: bytes, offset..<stop)
                        }
                    let step = Step(
                        kind: kind, source: base + offset..<base + stop, column: column,
                        width: width)
                    shouldContinue = body(step, UnsafeBufferPointer(rebasing: bytes[offset..<stop]))
                    column += width
                    offset = stop
                }
                base += offset
            }
        }
    }

    @inline(__always)
    static func step(
        in bytes: UnsafeBufferPointer<UInt8>, from offset: Int, isLast: Bool
    ) -> (kind: Step.Kind, end: Int) {
        var end = offset
        while end < bytes.count, bytes[end] &- 0x20 < 0x5F { end &+= 1 }
        // The last one may carry marks.
        let mayCarry = end < bytes.count ? bytes[end] >= 0x80 : !isLast
        if mayCarry, end > offset { end &-= 1 }
        if end > offset { return (.ascii, end) }
        end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
        return (bytes[offset] == 0x09 && end == offset + 1 ? .tab : .cluster, end)
    }
}
