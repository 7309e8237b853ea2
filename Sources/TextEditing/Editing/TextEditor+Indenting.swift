/// Lines that move a step to the right or back: those of a selection over several lines, or the item of a list at whose
/// beginning the caret is.
extension TextEditor {
    /// Whether indenting applies to whole lines; otherwise a tab is an ordinary character.
    public var indentsLines: Bool {
        let range = selection.range
        let line = text.line(at: range.lowerBound)
        guard range.isEmpty else { return text.line(at: range.upperBound) > line }
        let marker = marker(ofLine: line)
        return !marker.next.isEmpty
            && range.lowerBound <= text.range(ofLine: line).lowerBound + marker.count
    }

    /// Whether ``outdentLines()`` changes something.
    public var canOutdent: Bool {
        chosenLines.prefix(100).contains { !marker(ofLine: $0).indent.isEmpty }
    }

    /// Types a tab, or within the spaces at the beginning of a line as many spaces as the text is indented by.
    public mutating func typeTab() {
        let start = text.range(ofLine: text.line(at: selection.range.lowerBound)).lowerBound
        let before = text.bytes(
            in: start..<min(selection.range.lowerBound, start + ListMarker.readLimit))
        let isAfterSpaces = !before.isEmpty && before.allSatisfy { $0 == 0x20 }
        type(isAfterSpaces ? String(repeating: " ", count: smallestIndent) : "\t")
    }

    /// Makes an item with nothing in it the next one of the list around it.
    mutating func moveItemOut() {
        let line = text.line(at: selection.head)
        let own = marker(ofLine: line)
        let start = text.range(ofLine: line).lowerBound
        var beginning = text.bytes(in: start + own.indent.count..<start + own.count)
        for line in (max(0, line - 500)..<line).reversed() {
            let outer = marker(ofLine: line)
            guard !outer.next.isEmpty, outer.indentColumn < own.indentColumn else { continue }
            beginning = outer.indent + outer.next
            break
        }
        replaceAll(
            [(start..<start + own.count, TextBuffer(utf8: beginning))],
            selecting: Selection(caret: start + beginning.count))
    }

    /// Moves the lines a step to the right, as one change; empty ones stay.
    public mutating func indentLines() {
        let step = indentStep
        let edits = chosenLines.compactMap { line -> (range: Range<Int>, text: TextBuffer)? in
            let range = text.range(ofLine: line)
            guard !range.isEmpty else { return nil }
            return (range.lowerBound..<range.lowerBound, TextBuffer(step))
        }
        move(edits)
    }

    /// Moves the lines a step back, as one change; those at the first column stay.
    public mutating func outdentLines() {
        let width = indentStep == "\t" ? 4 : indentStep.utf8.count
        let edits = chosenLines.compactMap { line -> (range: Range<Int>, text: TextBuffer)? in
            let start = text.range(ofLine: line).lowerBound
            let indent = marker(ofLine: line).indent
            let count = indent.first == 0x09 ? 1 : indent.prefix(width).prefix { $0 == 0x20 }.count
            return count == 0 ? nil : (start..<start + count, TextBuffer())
        }
        move(edits)
    }

    /// What the caret alone stands on, or the selection has something of.
    private var chosenLines: ClosedRange<Int> {
        let range = selection.range
        let first = text.line(at: range.lowerBound)
        let last = text.line(at: range.upperBound)
        // A line of which nothing but its beginning is reached is not meant.
        let isBarelyReached =
            last > first && text.range(ofLine: last).lowerBound == range.upperBound
        return first...(isBarelyReached ? last - 1 : last)
    }

    /// As the text does it already, else under the words of a list's item, else a tab.
    private var indentStep: String {
        let chosen = chosenLines
        let lines = [chosen, 0...min(text.lineCount - 1, 500)].joined()
        for line in lines {
            let indent = marker(ofLine: line).indent
            if indent.first == 0x09 { return "\t" }
            if (2...8).contains(indent.count) { return String(repeating: " ", count: indent.count) }
        }
        let item = marker(ofLine: chosen.lowerBound)
        return item.next.isEmpty ? "\t" : "  "
    }

    /// The fewest spaces at the beginning of a line of the text, from two on; four without any.
    private var smallestIndent: Int {
        let indents = (0...min(text.lineCount - 1, 500)).map { marker(ofLine: $0).indent }
        return indents.filter { $0.first == 0x20 && (2...8).contains($0.count) }.map(\.count).min()
            ?? 4
    }

    private func marker(ofLine line: Int) -> ListMarker {
        let range = text.range(ofLine: line)
        let end = min(range.upperBound, range.lowerBound + ListMarker.readLimit)
        return ListMarker(text.bytes(in: range.lowerBound..<end))
    }

    /// - Parameter edits: At the beginnings of lines.
    private mutating func move(_ edits: [(range: Range<Int>, text: TextBuffer)]) {
        func place(_ offset: Int) -> Int {
            var place = offset
            for edit in edits where edit.range.lowerBound < offset {
                place += edit.text.count - min(edit.range.count, offset - edit.range.lowerBound)
            }
            return place
        }
        var after = Selection(anchor: place(selection.anchor), head: place(selection.head))
        // At the very beginning of an item the caret goes along.
        if selection.isEmpty, let edit = edits.first, edit.range.lowerBound == selection.head {
            after = Selection(caret: selection.head + edit.text.count)
        }
        replaceAll(edits, selecting: after)
    }
}
