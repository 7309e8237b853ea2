/// The cells of a table that reach into later rows: what is in their way moves to the right.
///
/// Source: HTML standard, 4.9.12 (forming a table).
struct RowSpans {
    /// The columns that are taken in the next rows, with the number of these rows.
    private var taken: [Int: Int] = [:]

    /// More columns are not looked at.
    private static let columnLimit = 1000

    /// The cells of the next row, with empty ones where cells of earlier rows are.
    mutating func place(_ cells: [WebTableCell], spanning rowCounts: [Int]) -> [WebTableCell] {
        guard !taken.isEmpty || rowCounts.contains(where: { $0 > 1 }) else { return cells }
        var (row, next, column): ([WebTableCell], [Int: Int], Int) = ([], [:], 0)
        func skipTaken() {
            while let count = taken[column], column < Self.columnLimit {
                row.append(WebTableCell())
                if count > 1 { next[column] = count - 1 }
                column += 1
            }
        }
        for (cell, rowCount) in zip(cells, rowCounts) {
            skipTaken()
            row.append(cell)
            for place in column..<min(column + cell.columnSpan, Self.columnLimit) {
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
