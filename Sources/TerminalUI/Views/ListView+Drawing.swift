extension ListView {
    func drawRows(on surface: Surface) {
        guard let dataSource else { return }
        guard rowCount > 0 else {
            drawEmpty(on: surface)
            return
        }
        let hasScrollBar = rowCount > visibleRowCount && bounds.width > 12
        let width = bounds.width - (hasScrollBar ? 1 : 0)
        let page = (bounds.height + rowPitch - 1) / rowPitch
        let visible = firstVisibleIndex..<min(rowCount, firstVisibleIndex + page)
        let rows = visible.map { dataSource.listView(self, rowAt: $0) }
        // Titles are aligned, with or without a symbol.
        let symbolWidth = rows.reduce(0) { max($0, $1.symbol?.columnCount ?? 0) }
        // Columns are aligned, too: all rows leave out the same ones.
        let titleWidth = rows.reduce(0) {
            max($0, $1.title.columnCount + ($1.mark?.columnCount ?? 0))
        }
        let leastTitleWidth = min(titleWidth, Self.leastTitleWidth)
        for (index, row) in zip(visible, rows) {
            let y = (index - firstVisibleIndex) * rowPitch
            surface.inside(Rect(x: 0, y: y, width: width, height: rowHeight)) {
                draw(
                    row, at: index, symbolWidth: symbolWidth, leastTitleWidth: leastTitleWidth,
                    on: surface)
            }
        }
        if hasScrollBar { drawScrollBar(on: surface) }
    }

    private func drawEmpty(on surface: Surface) {
        let lines = emptyText.wrapped(columns: max(1, bounds.width - 2))
        let top = max(0, (bounds.height - lines.count) / 2)
        for (offset, line) in lines.enumerated() {
            surface.draw(
                line, in: Rect(x: 1, y: top + offset, width: bounds.width - 2, height: 1),
                alignment: .center)
        }
    }

    /// The scroll bar in the last column.
    private func drawScrollBar(on surface: Surface) {
        let height = bounds.height
        let length = max(1, height * visibleRowCount / rowCount)
        let travel = rowCount - visibleRowCount
        let top = travel > 0 ? (height - length) * firstVisibleIndex / travel : 0
        let style = surface.theme[.border]
        for y in top..<min(height, top + length) {
            surface.put(Cell(Grapheme("▐"), style: style), at: Point(x: bounds.width - 1, y: y))
        }
    }

    private func draw(
        _ row: ListRow, at index: Int, symbolWidth: Int, leastTitleWidth: Int,
        on surface: Surface
    ) {
        let theme = surface.theme
        let area = surface.bounds
        let isSelected = index == selectedIndex
        let base: Style =
            isSelected
            ? theme[isFirstResponder || looksFocused ? .selection : .inactiveSelection] : .plain
        if isSelected {
            surface.fill(area, style: base)
            if theme.isPlain { surface.draw(TextLine(">"), at: .zero, on: base) }
        }

        var x = 1
        if allowsMarking || !marks.isEmpty {
            let isMarked = identity(at: index).map(marks.contains) ?? false
            if isMarked {
                surface.draw(TextLine(theme.isPlain ? "*" : "▌", .marked), at: .zero, on: base)
            }
        }
        if let imageSize, !theme.isPlain {
            if let image = row.image {
                surface.draw(image, at: Point(x: x, y: 0))
                if let graphic = row.graphic { surface.place(graphic, at: Point(x: x, y: 0)) }
            }
            x += imageSize.width + 2
        }
        if symbolWidth > 0 {
            if let symbol = row.symbol { surface.draw(symbol, at: Point(x: x, y: 0), on: base) }
            x += symbolWidth + 1
        }
        let end = drawColumns(
            row, from: x, leastTitleWidth: leastTitleWidth, on: surface, base: base)
        drawTitle(row, at: x, columns: end - x, on: surface, base: base)
        guard rowHeight > 1 else { return }
        let columns = area.width - x - 1
        let lines = row.linesBelowTitle(columns: columns)
        for (offset, line) in lines.prefix(rowHeight - 1).enumerated() {
            surface.draw(line, at: Point(x: x, y: offset + 1), columns: columns, on: base)
        }
    }

    /// Draws the columns that fit, from the right, and returns the maximum end of the title.
    private func drawColumns(
        _ row: ListRow, from start: Int, leastTitleWidth: Int, on surface: Surface, base: Style
    ) -> Int {
        var end = surface.bounds.width - 1
        var shown = row.columns
        while !shown.isEmpty,
            end - start - shown.reduce(0, { $0 + $1.width + 2 }) < leastTitleWidth
        {
            shown.removeLast()
        }
        for column in shown.reversed() {
            end -= column.width
            surface.draw(
                TextLine(column.text, column.role),
                in: Rect(x: end, y: 0, width: column.width, height: 1),
                alignment: column.alignment, on: base)
            end -= 2
        }
        return end
    }

    /// What titles get before columns, unless all that are shown are shorter.
    private static let leastTitleWidth = 24

    private func drawTitle(
        _ row: ListRow, at x: Int, columns: Int, on surface: Surface, base: Style
    ) {
        let markWidth = row.mark?.columnCount ?? 0
        let columns = max(min(columns, Self.leastTitleWidth / 2), columns - markWidth)
        let used = surface.draw(row.title, at: Point(x: x, y: 0), columns: columns, on: base)
        if let mark = row.mark {
            surface.draw(mark, at: Point(x: x + used, y: 0), columns: markWidth, on: base)
        }
        guard !row.matches.isEmpty else { return }
        let title = row.title.text
        let match = surface.theme[.match]
        for range in row.matches where range.lowerBound >= 0 {
            let before = Surface.columnCount(of: title.prefix(range.lowerBound))
            let part = title.dropFirst(range.lowerBound).prefix(range.count)
            let width = min(Surface.columnCount(of: part), columns - before)
            surface.restyle(Rect(x: x + before, y: 0, width: width, height: 1)) { style in
                base == .plain ? match : style.adding([.bold, .underline])
            }
        }
    }
}
