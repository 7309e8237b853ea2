/// How lines become rows on a screen.
public struct TextLayoutOptions: Hashable, Sendable {
    /// Cells for text in a row, at least 1. The caret needs one more, at the end of a full row.
    public var columns: Int
    /// Cells between tab stops.
    public var tabWidth: Int
    /// Whether long lines wrap into further rows; otherwise a line is one row of any width.
    public var wraps: Bool

    /// Counts below 1 become 1.
    public init(columns: Int, tabWidth: Int = 4, wraps: Bool = true) {
        self.columns = max(1, columns)
        self.tabWidth = max(1, tabWidth)
        self.wraps = wraps
    }
}

/// One row of laid out text: a line or a part of it.
public struct TextRow: Hashable, Sendable {
    /// The number of its line, from 0.
    public var line: Int
    /// Its bytes, without what ends the line.
    public var range: Range<Int>
    /// Whether its line begins here, so that a line number stands before it.
    public var isFirstOfLine: Bool
    /// Whether its line ends here; if not, the line continues in the next row.
    public var isLastOfLine: Bool
}

/// On which of two rows a caret at a soft wrap stands.
public enum CaretAffinity: Sendable, Hashable {
    /// At the beginning of the lower row.
    case downstream
    /// At the end of the upper row.
    case upstream
}

/// Lays out just the rows that are asked for.
///
/// Rows break after spaces and hyphens and around wide characters, never inside a cluster; a word
/// longer than a row is broken where the row ends. One space may stand past the last column (in the
/// caret's cell), further ones begin the next row, so that every position can be seen.
///
/// Rows of ordinary lines are computed each time. Those of long lines are cached and kept through
/// edits: only what an edit moved is laid out again, and only on request.
///
/// A layout belongs to one text: report each edit with `didReplace`.
public struct TextLayout: Sendable {
    /// How lines become rows; a change drops all that was laid out.
    public var options: TextLayoutOptions {
        didSet { if options != oldValue { reset() } }
    }

    private var longLines: [LongLine] = []
    /// Of long lines that do not wrap; the one used last is the last.
    var columnStops: [ColumnStops] = []
    private var useCount = 0

    /// Lines longer than this are remembered.
    static let longLineCount = 2048
    private static let rememberedLineCount = 8

    /// A layout with nothing laid out yet.
    public init(options: TextLayoutOptions) {
        self.options = options
    }

    // MARK: - Rows

    /// The row on which a caret at `offset` stands.
    public mutating func row(
        at offset: Int, _ affinity: CaretAffinity = .downstream, in text: TextBuffer
    ) -> TextRow {
        let line = text.line(at: offset)
        return row(at: offset, affinity, ofLine: line, text.range(ofLine: line), in: text)
    }

    /// The first row of a line.
    public mutating func firstRow(ofLine line: Int, in text: TextBuffer) -> TextRow {
        let range = text.range(ofLine: line)
        return row(at: range.lowerBound, .downstream, ofLine: line, range, in: text)
    }

    /// The row below, or nil at the end of the text.
    public mutating func row(after row: TextRow, in text: TextBuffer) -> TextRow? {
        if row.isLastOfLine {
            return row.line + 1 < text.lineCount ? firstRow(ofLine: row.line + 1, in: text) : nil
        }
        let range = text.range(ofLine: row.line)
        return self.row(at: row.range.upperBound, .downstream, ofLine: row.line, range, in: text)
    }

    /// The row above, or nil at the beginning of the text.
    ///
    /// - Complexity: O(length of the line above) the first time it is asked for its last row.
    public mutating func row(before row: TextRow, in text: TextBuffer) -> TextRow? {
        if row.isFirstOfLine {
            guard row.line > 0 else { return nil }
            let range = text.range(ofLine: row.line - 1)
            return self.row(
                at: range.upperBound, .downstream, ofLine: row.line - 1, range, in: text)
        }
        let range = text.range(ofLine: row.line)
        return self.row(at: row.range.lowerBound, .upstream, ofLine: row.line, range, in: text)
    }

    /// Up to `count` rows from `row` on.
    public mutating func rows(from row: TextRow, count: Int, in text: TextBuffer) -> [TextRow] {
        var result: [TextRow] = []
        result.reserveCapacity(min(count, 256))
        var next: TextRow? = row
        while let row = next, result.count < count {
            result.append(row)
            next = result.count < count ? self.row(after: row, in: text) : nil
        }
        return result
    }

    // MARK: - Edits

    /// Learns that the bytes of `range` were replaced by `count` others.
    public mutating func didReplace(_ range: Range<Int>, withCount count: Int) {
        for index in longLines.indices.reversed()
        where longLines[index].follow(replacing: range, withCount: count) == .lost {
            longLines.remove(at: index)
        }
        for index in columnStops.indices.reversed()
        where columnStops[index].follow(replacing: range, withCount: count) == .lost {
            columnStops.remove(at: index)
        }
    }

    /// Forgets everything, after the text was exchanged.
    public mutating func reset() {
        longLines = []
        columnStops = []
    }

    /// Takes what is known of a line out, to be put back as the one used last.
    mutating func takeStops(ofLineAt start: Int) -> ColumnStops {
        if let index = columnStops.firstIndex(where: { $0.start == start }) {
            return columnStops.remove(at: index)
        }
        if columnStops.count >= Self.rememberedLineCount { columnStops.removeFirst() }
        return ColumnStops(start: start)
    }
}

private extension TextLayout {
    mutating func row(
        at offset: Int, _ affinity: CaretAffinity, ofLine line: Int, _ range: Range<Int>,
        in text: TextBuffer
    ) -> TextRow {
        // Four cells a byte is the most there is, but for tabs.
        let isShort = range.count * max(4, options.tabWidth) <= options.columns
        guard options.wraps, !isShort else {
            return TextRow(line: line, range: range, isFirstOfLine: true, isLastOfLine: true)
        }
        let isUpstream = affinity == .upstream && offset > range.lowerBound
        // An offset inside CR LF belongs to the row before it.
        let target = min(offset, range.upperBound) - range.lowerBound
        let found =
            range.count <= Self.longLineCount
            ? shortRow(at: target, isUpstream, in: text, range)
            : longRow(at: target, isUpstream, in: text, range)
        let start = range.lowerBound + found.range.lowerBound
        return TextRow(
            line: line, range: start..<range.lowerBound + found.range.upperBound,
            isFirstOfLine: start == range.lowerBound, isLastOfLine: found.isLast)
    }

    /// Walks the rows of a line from its beginning.
    func shortRow(
        at target: Int, _ isUpstream: Bool, in text: TextBuffer, _ line: Range<Int>
    ) -> (range: Range<Int>, isLast: Bool) {
        let breaker = RowBreaker(options)
        return text.withBytes(in: line) { bytes in
            var start = 0
            while let row = breaker.breakRow(in: bytes, from: start, isLineEnd: true) {
                let isLast = row.end == bytes.count && !row.hangs
                let isReached = isUpstream ? target <= row.end : target < row.end
                if isLast || isReached { return (start..<row.end, isLast) }
                start = row.end
            }
            return (start..<bytes.count, true)
        }
    }

    mutating func longRow(
        at target: Int, _ isUpstream: Bool, in text: TextBuffer, _ line: Range<Int>
    ) -> (range: Range<Int>, isLast: Bool) {
        useCount += 1
        let index: Int
        if let found = longLines.firstIndex(where: { $0.start == line.lowerBound }) {
            index = found
        } else {
            if longLines.count >= Self.rememberedLineCount,
                let oldest = longLines.indices.min(by: {
                    longLines[$0].lastUse < longLines[$1].lastUse
                })
            {
                longLines.remove(at: oldest)
            }
            longLines.append(LongLine(line))
            index = longLines.count - 1
        }
        longLines[index].lastUse = useCount
        longLines[index].adopt(length: line.count)
        return longLines[index].row(at: target, isUpstream, in: text, RowBreaker(options))
    }
}
