import CByteClubNcurses
import Glibc

/// Differences between frames: which cells are passed to ncurses, and which are written after it.
extension CursesScreen {
    /// Passes changed cells to ncurses. Returns the rows with cells that must be written after the frame; nil
    /// if there were not enough color pairs.
    func draw(_ surface: Surface, isLastTry: Bool = false) -> [Int]? {
        let cells = surface.cells
        let shown = shown
        let isWhole = shown.count != cells.count
        if isWhole { byteclub_erase() }
        var special: [Int] = []
        frameState.repaintedRows = []
        var pen = Pen(style: nil, pair: 0, mayLackColor: isLastTry)
        for row in 0..<size.height {
            let start = row * size.width
            if !isWhole, isSame(cells, shown, start..<(start + size.width)) { continue }
            var hasChanged = false
            var hasResidue = false
            for index in start..<(start + size.width) {
                let cell = cells[index]
                if !isWhole {
                    let old = shown[index]
                    if old == cell { continue }
                    hasResidue = hasResidue || leavesResidue(old, under: cell)
                }
                hasChanged = true
                guard cell.columnCount > 0 else { continue }
                guard put(cell, row: row, column: index - start, pen: &pen) == .put else {
                    return nil
                }
            }
            guard hasChanged else { continue }
            if hasResidue {
                byteclub_repaint_row(Int32(row))
                frameState.repaintedRows.append(row)
            }
            if cells[start..<(start + size.width)].contains(where: isSpecial) {
                special.append(row)
            }
        }
        return special
    }

    /// Whether cells are identical byte by byte, as in nearly all rows of a frame.
    private func isSame(
        _ cells: UnsafeBufferPointer<Cell>, _ shown: ContiguousArray<Cell>, _ range: Range<Int>
    ) -> Bool {
        shown.withUnsafeBufferPointer { shown in
            guard let new = cells.baseAddress, let old = shown.baseAddress else { return false }
            let count = range.count * MemoryLayout<Cell>.stride
            return memcmp(new + range.lowerBound, old + range.lowerBound, count) == 0
        }
    }

    /// Stores the frame for comparison with the next one.
    func remember(_ surface: Surface) {
        guard shown.count == surface.cells.count else {
            shown = ContiguousArray(surface.cells)
            return
        }
        shown.withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: surface.cells) }
    }

    /// The last pair used, because adjacent cells mostly share it.
    private struct Pen {
        var style: Style?
        var pair: Int32
        /// Whether to draw without colors if no pair is left.
        let mayLackColor: Bool
    }

    private func pair(for style: Style) -> Int32? {
        guard colorDepth != .monochrome else { return 0 }
        return pairs.pair(
            PaletteColors.number(of: style.foreground, depth: colorDepth),
            PaletteColors.number(of: style.background, depth: colorDepth))
    }

    private enum PutResult {
        case put
        /// No pair is left for the cell's colors.
        case noPair
    }

    private func put(_ cell: Cell, row: Int, column: Int, pen: inout Pen) -> PutResult {
        let (row, column) = (Int32(row), Int32(column))
        if isDirect(cell) || cell.grapheme.isOfPicture {
            var value = TerminalCharset.blankPlaceholder
            // In both halves of a wide character.
            for column in column..<column + Int32(max(1, cell.columnCount)) {
                _ = byteclub_put(row, column, &value, 1, 0, 0)
            }
            return .put
        }
        if pen.style != cell.style {
            guard let pair = pair(for: cell.style) ?? (pen.mayLackColor ? 0 : nil) else {
                return .noPair
            }
            pen.style = cell.style
            pen.pair = pair
        }
        let bits = Int32(cell.style.attributes.rawValue)
        if charset == .utf8, isAwkward(cell) {
            var value = TerminalCharset.placeholder(for: cell)
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
        } else if let scalar = cell.grapheme.scalar, charset == .utf8 || scalar.isASCII {
            var value = scalar.value
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
        } else if charset == .utf8 {
            let values = cell.grapheme.text.unicodeScalars.map(\.value)
            _ = byteclub_put(row, column, values, Int32(values.count), bits, pen.pair)
        } else {
            var value = charset.representation(of: cell.grapheme.text).value
            _ = byteclub_put(row, column, &value, 1, bits, pen.pair)
            if cell.columnCount == 2 {
                value = Unicode.Scalar(" ").value
                _ = byteclub_put(row, column + 1, &value, 1, bits, pen.pair)
            }
        }
        return .put
    }

    /// Whether a cell is written after the frame.
    private func isSpecial(_ cell: Cell) -> Bool { isDirect(cell) || isAwkward(cell) }

    /// Whether a cell has a color that ncurses does not support.
    private func isDirect(_ cell: Cell) -> Bool {
        (cell.style.foreground.isRGB || cell.style.background.isRGB) && colorDepth == .direct
            && charset == .utf8
    }

    /// Whether ncurses cannot draw a cell: its text has more than a base and a few marks, or the C library
    /// assumes another width.
    private func isAwkward(_ cell: Cell) -> Bool {
        guard cell.columnCount > 0, charset == .utf8, !cell.grapheme.isOfPicture else {
            return false
        }
        if let scalar = cell.grapheme.scalar {
            if scalar.value < 0x300 { return false }
            return cell.isDisputed || byteclub_wcwidth(scalar.value) != cell.columnCount
        }
        guard !cell.isDisputed else { return true }
        let scalars = cell.grapheme.text.unicodeScalars
        guard scalars.count <= byteclub_marks_limit(), let base = scalars.first else { return true }
        return byteclub_wcwidth(base.value) != cell.columnCount
            || scalars.dropFirst().contains { byteclub_wcwidth($0.value) != 0 }
    }

    /// Whether ncurses, which only knows the placeholder, could assume that nothing has changed.
    private func leavesResidue(_ old: Cell, under new: Cell) -> Bool {
        guard !isSpecial(new) else { return false }
        return isAwkward(old)
            || (isDirect(old) || old.grapheme.isOfPicture)
                && new.grapheme.scalar?.value == TerminalCharset.blankPlaceholder
    }

    /// The bytes for cells that ncurses cannot draw, and for those behind them, which terminals may overwrite
    /// by drawing too wide.
    func specialBytes(_ surface: Surface, rows: [Int]) -> [UInt8] {
        guard charset == .utf8, let description, let save = description["sc"],
            let restore = description["rc"], !rows.isEmpty
        else { return [] }
        var writer = CellWriter(description: description, depth: colorDepth)
        for row in rows {
            for column in 0..<size.width {
                let cell = surface[column: column, row: row]
                // The right half of a wide character is drawn with it.
                guard cell.columnCount > 0, isSpecial(cell) else { continue }
                let spill = min(10, cell.widestRendering - Int(cell.columnCount))
                let end = column + Int(cell.columnCount)
                // At the right edge, excess columns would wrap to the next row.
                guard end + spill <= size.width else { continue }
                writer.write(cell, at: Point(x: column, y: row))
                guard isAwkward(cell) else { continue }
                writer.losePlace()
                var next = end
                while next < min(size.width, end + spill) {
                    let follower = surface[column: next, row: row]
                    if isSpecial(follower) { break }
                    if follower.columnCount > 0 {
                        writer.write(follower, at: Point(x: next, y: row))
                    }
                    next += max(1, Int(follower.columnCount))
                }
            }
        }
        return writer.bytes.isEmpty ? [] : save + writer.bytes + restore
    }
}
