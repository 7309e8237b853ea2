public import TextEditing

extension TextView {
    /// The width of the line numbers and the space after them.
    var gutterWidth: Int {
        guard showsLineNumbers else { return 0 }
        let digits = "\(editor.text.lineCount)".utf8.count
        return bounds.width > digits + 10 ? max(3, digits) + 1 : 0
    }

    /// The width of the text and the caret behind it.
    var textWidth: Int { max(1, bounds.width - gutterWidth) }

    func updateLayout() {
        editor.layout.options = TextLayoutOptions(
            columns: textWidth - 1, tabWidth: tabWidth, wraps: wrapsLines)
        visibleRows = []
    }

    /// The visible rows, from the scroll position on.
    func rowsOnScreen() -> [TextRow] {
        if visibleRows.isEmpty {
            if editor.layout.options.columns != max(1, textWidth - 1) { updateLayout() }
            visibleRows = editor.layout.rows(
                from: firstRow(), count: max(1, bounds.height), in: editor.text)
        }
        return visibleRows
    }

    private func firstRow() -> TextRow {
        let anchor = min(editor.scrollAnchor, editor.text.count)
        let row = editor.layout.row(at: anchor, in: editor.text)
        editor.scrollAnchor = row.range.lowerBound
        return row
    }

    private func show(from row: TextRow) {
        editor.scrollAnchor = row.range.lowerBound
        visibleRows = []
        setNeedsDisplay()
        didScroll?()
    }

    /// Scrolls to the caret: by as little as possible, or to the middle if it is far away.
    func scrollToCaret() {
        // Before layout, no row is visible.
        guard bounds.height > 0 else { return }
        scrollSidewaysToCaret()
        let height = max(1, bounds.height)
        let caretRow = editor.caretRow
        let rows = rowsOnScreen()
        if rows.contains(where: { $0.range == caretRow.range }) { return }
        if let first = rows.first, caretRow.range.lowerBound < first.range.lowerBound {
            let near = row(before: first, by: height)
            let isNear = caretRow.range.lowerBound >= near.range.lowerBound
            return show(from: isNear ? caretRow : row(before: caretRow, by: height / 2))
        }
        guard let last = rows.last else { return }
        let next = editor.layout.rows(from: last, count: height + 1, in: editor.text)
        let isNear = next.contains { $0.range == caretRow.range }
        show(from: row(before: caretRow, by: isNear ? height - 1 : height / 2))
    }

    private func scrollSidewaysToCaret() {
        guard !wrapsLines else {
            firstVisibleColumn = 0
            return
        }
        let column = editor.caretColumn
        let margin = min(8, textWidth / 4)
        if column < firstVisibleColumn + margin {
            firstVisibleColumn = max(0, column - margin)
        } else if column >= firstVisibleColumn + textWidth {
            firstVisibleColumn = column - textWidth + 1 + margin
        }
    }

    private func row(before row: TextRow, by count: Int) -> TextRow {
        var row = row
        for _ in 0..<count {
            guard let before = editor.layout.row(before: row, in: editor.text) else { break }
            row = before
        }
        return row
    }

    /// Scrolls by rows without moving the caret; the last row stays on the screen.
    public func scroll(by count: Int) {
        guard let first = rowsOnScreen().first else { return }
        if count < 0 {
            if first.range.lowerBound == 0 { didScrollBeyond?(-1) }
            return show(from: row(before: first, by: -count))
        }
        let height = max(1, bounds.height)
        let ahead = editor.layout.rows(from: first, count: height + count, in: editor.text)
        let step = min(count, ahead.count - min(height, ahead.count))
        if step > 0 { show(from: ahead[step]) } else { didScrollBeyond?(1) }
    }

    /// The offsets of the first and the last visible row; nil before it is shown.
    public var visibleRange: (firstRow: Int, lastRow: Int)? {
        guard bounds.height > 0, let first = rowsOnScreen().first, let last = rowsOnScreen().last
        else { return nil }
        return (first.range.lowerBound, last.range.lowerBound)
    }

    /// Whether the text's last row is visible.
    public var showsEnd: Bool {
        rowsOnScreen().last.map { $0.range.upperBound >= editor.text.count } ?? true
    }

    /// Shows a read-only text from the row of an offset on.
    public func show(offset: Int) { scroll(to: max(0, min(offset, editor.text.count))) }

    /// Shows the end of a read-only text.
    public func showEnd() { scroll(to: editor.text.count) }

    /// Marks a part of a read-only text, and shows it with some rows above it.
    public func reveal(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<editor.text.count)
        matches = [range]
        let match = editor.layout.row(at: range.lowerBound, in: editor.text)
        show(from: row(before: match, by: bounds.height / 3))
        fillFromBelow()
    }

    /// Restores a selection and a scroll position.
    func show(_ selection: Selection, from anchor: Int) {
        perform {
            $0.select(selection)
            $0.scrollAnchor = min(anchor, $0.text.count)
        }
    }

    /// Moves the caret to a place as ``caretPosition`` reports it, or to the nearest one that there is, and shows it.
    public func go(to place: TextPosition) {
        let text = editor.text
        let line = text.range(ofLine: max(0, min(place.line, text.lineCount - 1)))
        let column = max(0, min(place.column, line.count))
        let scalar = text.scalarCount(before: line.lowerBound) + column
        let offset = text.offset(ofScalar: min(scalar, text.scalarCount))
        moveCaret(toOffset: min(offset, line.upperBound))
        // A view that is only read does not follow its caret on its own.
        if !isEditable { scrollToCaret() }
    }

    func scroll(to offset: Int) {
        show(from: editor.layout.row(at: offset, in: editor.text))
        fillFromBelow()
    }

    /// Scrolls back if there are empty rows below the text's end.
    func fillFromBelow() {
        guard let first = rowsOnScreen().first else { return }
        let free = bounds.height - visibleRows.count
        if free > 0, first.range.lowerBound > 0 { show(from: row(before: first, by: free)) }
    }
}
