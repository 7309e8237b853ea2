/// The cells of a table that reach into later rows: what is in their way moves to the right.
///
/// Source: HTML standard, 4.9.12 (forming a table).
struct RowSpans {
    /// The columns that are taken in the next rows, with the number of these rows.
    private var taken: [Int: Int] = [:]

    /// More columns are not placed: ``TableLayout`` shows them below each other.
    private static let columnLimit = 64

    /// The cells of the next row, with empty ones where cells of earlier rows are.
    mutating func place(_ cells: [WebTableCell], spanning rowCounts: [Int]) -> [WebTableCell] {
        guard !taken.isEmpty || rowCounts.contains(where: { $0 > 1 }) else { return cells }
        var (row, next, column): ([WebTableCell], [Int: Int], Int) = ([], [:], 0)
        func skipTaken() {
            let start = column
            while column < Self.columnLimit, let count = taken[column] {
                if count > 1 { next[column] = count - 1 }
                column += 1
            }
            if column > start { row.append(WebTableCell(columnSpan: column - start)) }
        }
        for (cell, rowCount) in zip(cells, rowCounts) {
            skipTaken()
            row.append(cell)
            let end = min(column + cell.columnSpan, Self.columnLimit)
            for place in min(column, end)..<end {
                // It may reach into one that comes from above.
                let above = taken[place].map { $0 - 1 } ?? 0
                if max(rowCount - 1, above) > 0 { next[place] = max(rowCount - 1, above) }
            }
            column += cell.columnSpan
        }
        skipTaken()
        for (place, count) in taken where place > column && count > 1 { next[place] = count - 1 }
        taken = next
        return row
    }
}
