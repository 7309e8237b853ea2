internal import TextEditing

/// A part of a text in a role's style.
public struct TextHighlight: Hashable, Sendable {
    /// In bytes of the text.
    public var range: Range<Int>
    public var role: Role

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
        guard let edit = old.replacement(toBecome: editor.text) else { return }
        let shift = edit.text.count - edit.range.count
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

    func decorate(_ rows: [TextRow], into result: inout [[TextDecoration]]) {
        guard !highlights.isEmpty else { return }
        for index in rows.indices {
            result[index] += highlights.filter { $0.range.overlaps(rows[index].range) }
                .map { TextDecoration(range: $0.range, role: $0.role) }
        }
    }
}
