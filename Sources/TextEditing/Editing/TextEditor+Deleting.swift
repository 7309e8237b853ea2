extension TextEditor {
    /// Deletes the selection, or without one the text between the caret and where a motion leads.
    ///
    /// By words it never takes more than one line's end.
    public mutating func delete(_ motion: TextMotion) {
        guard selection.isEmpty else {
            replace(selection.range, with: TextBuffer())
            return
        }
        let target = target(of: motion, crossingLines: false)
        let range = min(target, caret)..<max(target, caret)
        let grouping: EditGrouping =
            switch motion {
            case .left: .deletingBackward
            case .right: .deletingForward
            default: .alone
            }
        replace(range, with: TextBuffer(), grouping: grouping)
    }

    /// Takes the selection out, or without one the line with the caret.
    ///
    /// - Returns: What was taken out, for a clipboard.
    public mutating func cut() -> TextBuffer {
        guard selection.isEmpty else {
            let taken = selectedText
            replace(selection.range, with: TextBuffer())
            return taken
        }
        return cutLine()
    }

    /// Takes the line with the caret out, with what ends it.
    public mutating func cutLine() -> TextBuffer {
        let range = text.range(ofLine: text.line(at: caret), includingBreak: true)
        let taken = text.extract(range)
        replace(range, with: TextBuffer())
        return taken
    }
}
