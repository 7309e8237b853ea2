/// A snapshot of the screen.
public struct TerminalScreen: Sendable, Equatable {
    public let size: TerminalSize
    /// Row after row.
    public private(set) var cells: [TerminalCell]
    public let cursor: TerminalPosition
    public let modes: TerminalModes
    public let bellCount: Int

    init(
        size: TerminalSize, cells: [TerminalCell], cursor: TerminalPosition, modes: TerminalModes,
        bellCount: Int
    ) {
        self.size = size
        self.cells = cells
        self.cursor = cursor
        self.modes = modes
        self.bellCount = bellCount
    }

    public subscript(row: Int, column: Int) -> TerminalCell { cells[row * size.columns + column] }

    public func cells(inRow row: Int) -> ArraySlice<TerminalCell> {
        cells[row * size.columns..<(row + 1) * size.columns]
    }

    /// A row as text, without trailing spaces.
    public func text(ofRow row: Int) -> String {
        var line = cells(inRow: row).map(\.text).joined()
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    public var rows: [String] { (0..<size.rows).map(text(ofRow:)) }

    /// The rows, each with a newline.
    public var text: String { rows.map { $0 + "\n" }.joined() }

    /// Whether a row contains the text.
    public func contains(_ text: String) -> Bool { firstPosition(of: text) != nil }

    /// The first position of the text, from the top.
    public func firstPosition(of text: String) -> TerminalPosition? { positions(of: text).first }

    /// Every position where the text begins; it never continues on the next row.
    public func positions(of text: String) -> [TerminalPosition] {
        let wanted = Array(text)
        guard !wanted.isEmpty else { return [] }
        return (0..<size.rows).flatMap { row in
            // One entry for each character, with its starting column.
            var characters: [(Character, Int)] = []
            for (column, cell) in cells(inRow: row).enumerated() {
                for character in cell.text { characters.append((character, column)) }
            }
            guard characters.count >= wanted.count else { return [TerminalPosition]() }
            return (0...characters.count - wanted.count).filter { start in
                wanted.indices.allSatisfy { characters[start + $0].0 == wanted[$0] }
            }.map { TerminalPosition(row: row, column: characters[$0].1) }
        }
    }

    /// The rows, from the top, that contain the text.
    public func rows(containing text: String) -> [Int] {
        var rows: [Int] = []
        for position in positions(of: text) where rows.last != position.row {
            rows.append(position.row)
        }
        return rows
    }

    /// The style at the text's first character.
    public func style(of text: String) -> TerminalStyle? {
        firstPosition(of: text).map { self[$0.row, $0.column].style }
    }

    /// Every color requested by a cell.
    public var colors: Set<TerminalColor> {
        Set(cells.flatMap { [$0.style.foreground, $0.style.background] }).subtracting([.standard])
    }

    /// The same screen with every match replaced by `▒`, cell for cell.
    ///
    /// For parts that differ between runs (a time, a speed), before a comparison.
    public func masking(_ pattern: some RegexComponent) -> TerminalScreen {
        var masked = self
        for row in 0..<size.rows {
            var line = ""
            var columns: [Int] = []
            for (column, cell) in cells(inRow: row).enumerated() {
                line += cell.text
                columns += Array(repeating: column, count: cell.text.unicodeScalars.count)
            }
            for match in line.matches(of: pattern.regex) {
                let scalars = line.unicodeScalars
                let start = scalars.distance(from: scalars.startIndex, to: match.range.lowerBound)
                let end = scalars.distance(from: scalars.startIndex, to: match.range.upperBound)
                for column in Set(columns[start..<end]) {
                    masked.cells[row * size.columns + column].text = "▒"
                }
            }
        }
        return masked
    }
}

extension TerminalScreen: CustomStringConvertible {
    /// The screen in a frame, for failure messages.
    public var description: String {
        let edge = String(repeating: "─", count: size.columns)
        let lines = (0..<size.rows).map { row in
            "│" + cells(inRow: row).map(\.text).joined() + "│"
        }
        let place = modes.showsCursor ? "\(cursor)" : "hidden"
        return "┌\(edge)┐\n" + lines.joined(separator: "\n")
            + "\n└\(edge)┘\n\(size), cursor \(place)"
    }
}
