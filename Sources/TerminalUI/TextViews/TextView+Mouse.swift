internal import TextEditing

extension TextView {
    enum MouseUse {
        case used, notUsed
    }

    /// Handles the mouse: a click places the caret, a double click selects the word, a triple click the line,
    /// dragging selects, the wheel scrolls.
    func handle(_ event: MouseEvent) -> MouseUse {
        switch event.action {
        case .scrollUp: scroll(by: -3)
        case .scrollDown: scroll(by: 3)
        case .press where event.button == .left && isEditable: press(event)
        case .drag where isEditable: drag(to: event.location)
        case .release: return isEditable ? .used : .notUsed
        default: return .notUsed
        }
        return .used
    }

    private func press(_ event: MouseEvent) {
        let offset = offset(at: event.location)
        let now = application?.scheduler.now ?? .now
        var count = 1
        if let last = lastClick, last.point == event.location,
            now - last.time < .milliseconds(400)
        {
            count = last.count % 3 + 1
        }
        lastClick = (event.location, now, count)
        if count == 2 { return select(editor.text.wordRange(at: offset)) }
        if count == 3 {
            let line = editor.text.line(at: offset)
            return select(editor.text.range(ofLine: line, includingBreak: true))
        }
        let isExtending = event.modifiers.contains(.shift)
        perform { $0.placeCaret(at: offset, extending: isExtending) }
    }

    /// Dragging past an edge scrolls by a row.
    private func drag(to point: Point) {
        lastClick = nil
        if point.y < 0 { scroll(by: -1) }
        if point.y >= bounds.height { scroll(by: 1) }
        let y = max(0, min(point.y, bounds.height - 1))
        let offset = offset(at: Point(x: point.x, y: y))
        perform { $0.placeCaret(at: offset, extending: true) }
    }

    private func offset(at point: Point) -> Int {
        let rows = rowsOnScreen()
        guard point.y < rows.count else { return editor.text.count }
        let column = max(0, point.x - gutterWidth + firstVisibleColumn)
        return editor.layout.offset(
            atColumn: column, in: rows[max(0, point.y)], of: editor.text)
    }
}
