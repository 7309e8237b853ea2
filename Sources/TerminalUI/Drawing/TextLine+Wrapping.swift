import TextEditing

extension TextLine {
    /// The text in lines of a maximum width, broken after spaces and at `\n`; longer words are split.
    public func wrapped(columns: Int) -> [TextLine] {
        guard columns > 0 else { return [] }
        var lines: [TextLine] = []
        var line = LineBeingWrapped()
        for span in spans {
            let paragraphs = span.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, paragraph) in paragraphs.enumerated() {
                if index > 0 { lines.append(line.finish()) }
                for word in Self.words(of: paragraph) {
                    line.append(word, role: span.role, columns: columns, into: &lines)
                }
            }
        }
        lines.append(line.finish())
        return lines
    }

    /// Words with the spaces after them.
    private static func words(of text: Substring) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        var index = start
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == " ", next == text.endIndex || text[next] != " " {
                words.append(text[start..<next])
                start = next
            }
            index = next
        }
        if start < text.endIndex { words.append(text[start...]) }
        return words
    }
}

private struct LineBeingWrapped {
    private var spans: [TextLine.Span] = []
    private var width = 0

    mutating func append(
        _ word: Substring, role: Role, columns: Int, into lines: inout [TextLine]
    ) {
        // Spaces at the end of a line may exceed its width.
        let bare = word.trailingSpacesRemoved
        if width + CellWidth.of(bare) > columns, width > 0 { lines.append(finish()) }
        var rest = word
        while CellWidth.of(rest.trailingSpacesRemoved) > columns {
            let prefix = CellWidth.prefix(of: rest, fitting: columns).text
            guard !prefix.isEmpty else { break }
            add(prefix, role)
            lines.append(finish())
            rest = rest.dropFirst(prefix.count)
        }
        add(String(rest), role)
    }

    mutating func finish() -> TextLine {
        defer { self = LineBeingWrapped() }
        if let last = spans.indices.last {
            spans[last].text = String(Substring(spans[last].text).trailingSpacesRemoved)
        }
        return TextLine(spans)
    }

    private mutating func add(_ text: String, _ role: Role) {
        guard !text.isEmpty else { return }
        width += CellWidth.of(text)
        if let last = spans.indices.last, spans[last].role == role {
            spans[last].text += text
        } else {
            spans.append(TextLine.Span(text, role))
        }
    }
}

extension Substring {
    fileprivate var trailingSpacesRemoved: Substring {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
