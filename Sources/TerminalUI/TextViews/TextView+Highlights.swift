internal import TextEditing

/// A part of a text in a role's style.
public struct TextHighlight: Hashable, Sendable {
    /// In bytes of the text.
    public var range: Range<Int>
    /// Whose look it has.
    public var role: Role

    /// Bytes of a text in the look of a role.
    public init(_ range: Range<Int>, _ role: Role) {
        self.range = range
        self.role = role
    }
}

extension TextView {
    /// Moves the highlights with their text.
    ///
    /// - Parameter old: The text that they refer to.
    func shiftHighlights(from old: TextBuffer) {
        guard let edit = lastEdit(of: old) else { return }
        let shift = edit.count - edit.range.count
        highlights = highlights.compactMap { highlight in
            var range = highlight.range
            if range.lowerBound >= edit.range.upperBound {
                range = range.lowerBound + shift..<range.upperBound + shift
            } else if range.upperBound > edit.range.lowerBound {
                // Includes text typed inside, and excludes deleted text.
                let lower = min(range.lowerBound, edit.range.lowerBound)
                let upper = max(range.upperBound, edit.range.upperBound) + shift
                range = lower..<max(lower, upper)
            }
            return range.isEmpty ? nil : TextHighlight(range, highlight.role)
        }
    }

    /// What was replaced in the old text, and how many bytes stand there now.
    ///
    /// Of `two` before `three`, taken away with its line end, the bytes alone could be `wo` and the next `t`: the caret
    /// tells which they were.
    private func lastEdit(of old: TextBuffer) -> (range: Range<Int>, count: Int)? {
        guard let edit = old.replacement(toBecome: editor.text) else { return nil }
        let (start, caret) = (edit.range.lowerBound, editor.selection.range.lowerBound)
        func isMoved(_ count: Int, in text: TextBuffer, to place: Int) -> Bool {
            place >= 0 && place < start
                && text.bytes(in: place..<start) == text.bytes(in: place + count..<start + count)
        }
        if edit.text.isEmpty {
            let count = edit.range.count
            if isMoved(count, in: old, to: caret) { return (caret..<caret + count, 0) }
        } else if edit.range.isEmpty {
            let (count, place) = (edit.text.count, caret - edit.text.count)
            if isMoved(count, in: editor.text, to: place) { return (place..<place, count) }
        }
        return (edit.range, edit.text.count)
    }

    func decorate(_ rows: [TextRow], into result: inout [[TextDecoration]]) {
        guard !highlights.isEmpty else { return }
        for index in rows.indices {
            result[index] += highlights.filter { $0.range.overlaps(rows[index].range) }
                .map { TextDecoration(range: $0.range, role: $0.role) }
        }
    }
}
