import TextEditing

/// Places cells side by side if there is room, else one below the other.
struct TableLayout {
    private static let separator = " │ "
    private static let columnLimit = 64
    /// The minimum readable width of a column.
    private static let leastWidth = 6

    let blocks: BlockLayout

    func lines(_ table: WebTable, width: Int) -> [WebLine] {
        let columnCount = table.rows.map { $0.reduce(0) { $0 + $1.columnSpan } }.max() ?? 0
        guard columnCount > 1, columnCount <= Self.columnLimit, !Self.isFrame(table),
            let widths = widths(table, count: columnCount, available: width)
        else { return stacked(table, width: width) }
        var lines: [WebLine] = []
        for (index, row) in table.rows.enumerated() where !row.isEmpty {
            lines += self.lines(row, widths: widths)
            let isHeading = row.allSatisfy(\.isHeading)
            if isHeading, index + 1 < table.rows.count,
                !table.rows[index + 1].allSatisfy(\.isHeading)
            {
                let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
                lines.append(WebLine([WebRun(rule, .border)]))
            }
        }
        return lines
    }

    /// Whether the table is only used for layout.
    private static func isFrame(_ table: WebTable) -> Bool {
        table.rows.contains { row in
            row.contains { cell in
                cell.blocks.contains { block in
                    switch block {
                    case .table, .heading, .rule: true
                    default: false
                    }
                }
            }
        }
    }

    private func stacked(_ table: WebTable, width: Int) -> [WebLine] {
        blocks.lines(
            table.rows.flatMap { row in
                row.flatMap { cell in cell.isHeading ? cell.blocks.map(\.strong) : cell.blocks }
            }, width: width)
    }

    // MARK: - Columns

    /// The columns' widths; nil if the table does not fit.
    private func widths(_ table: WebTable, count: Int, available: Int) -> [Int]? {
        let room = available - (count - 1) * Self.separator.count
        guard room >= count else { return nil }
        var wanted = Array(repeating: 1, count: count)
        var least = Array(repeating: 1, count: count)
        for row in table.rows {
            var column = 0
            for cell in row {
                if cell.columnSpan == 1 {
                    let measure = ContentWidth(cell.blocks, blocks.room, limit: room)
                    wanted[column] = max(wanted[column], measure.wanted)
                    least[column] = max(least[column], min(measure.least, max(20, room / count)))
                }
                column += cell.columnSpan
            }
        }
        let total = wanted.reduce(0, +)
        if total <= room { return wanted }
        if least.reduce(0, +) > room {
            guard room >= count * Self.leastWidth else { return nil }
            least = least.map { min($0, room / count) }
        }
        // The remaining width is distributed in proportion to the missing width.
        let free = room - least.reduce(0, +)
        let missing = zip(wanted, least).map { max(0, $0 - $1) }
        let missingTotal = max(1, missing.reduce(0, +))
        return zip(least, missing).map { $0 + free * $1 / missingTotal }
    }

    // MARK: - Rows

    private func lines(_ row: [WebTableCell], widths: [Int]) -> [WebLine] {
        var columns: [(width: Int, lines: [WebLine])] = []
        var next = 0
        for cell in row {
            let end = min(widths.count, next + cell.columnSpan)
            guard next < end else { break }
            let width = widths[next..<end].reduce(0, +) + (end - next - 1) * Self.separator.count
            let content = cell.isHeading ? cell.blocks.map(\.strong) : cell.blocks
            columns.append((width, blocks.lines(content, width: width)))
            next = end
        }
        let height = max(1, columns.map(\.lines.count).max() ?? 1)
        return (0..<height).map { index in
            var line = WebLine()
            var gap = ""
            for (number, column) in columns.enumerated() {
                if number > 0 {
                    line.spans.append(WebRun(gap + Self.separator, .border))
                    gap = ""
                }
                let part = index < column.lines.count ? column.lines[index] : WebLine()
                line.spans += part.spans
                line.anchors += part.anchors
                let used = part.spans.reduce(0) { $0 + CellWidth.of($1.text) }
                gap = String(repeating: " ", count: max(0, column.width - used))
            }
            return line
        }
    }
}

extension WebBlock {
    /// The same text in strong style.
    fileprivate var strong: WebBlock {
        if case .paragraph(let runs) = self { return .paragraph(runs.map { $0.adding(.strong) }) }
        return self
    }
}
