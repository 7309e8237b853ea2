import TextEditing

extension TextView {
    /// The styles of the visible lines; valid until the text or the scroll position changes.
    struct MarkupCache {
        var state: UndoHistory.State
        var rows: [TextRow]
        var spans: [[TextDecoration]]
    }

    /// The styled parts of some rows.
    func decorations(of rows: [TextRow]) -> [[TextDecoration]] {
        var result =
            showsMarkup || markedWords != nil
            ? markup(of: rows) : Array(repeating: [], count: rows.count)
        decorate(rows, into: &result)
        guard let first = rows.first, let last = rows.last, !matches.isEmpty else { return result }
        var next = Self.index(ofFirst: matches, endingAfter: first.range.lowerBound)
        var found: [TextDecoration] = []
        while next < matches.count, matches[next].lowerBound <= last.range.upperBound {
            found.append(TextDecoration(range: matches[next], role: .match))
            next += 1
        }
        for index in rows.indices {
            result[index] += found.filter { $0.range.overlaps(rows[index].range) }
        }
        return result
    }

    /// The first of some ascending ranges that ends after an offset.
    static func index(ofFirst ranges: [Range<Int>], endingAfter offset: Int) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func markup(of rows: [TextRow]) -> [[TextDecoration]] {
        if let cache = markupCache, cache.state == editor.state, cache.rows == rows {
            return cache.spans
        }
        var result: [[TextDecoration]] = []
        var line = -1
        var spans: [TextDecoration] = []
        var fences = MarkdownFences(before: rows.first?.range.lowerBound ?? 0, in: editor.text)
        for row in rows {
            if row.line != line {
                line = row.line
                spans = markup(ofLine: line, &fences)
                spans += marks(ofLine: line, spans)
            }
            result.append(spans.filter { $0.range.overlaps(row.range) })
        }
        markupCache = MarkupCache(state: editor.state, rows: rows, spans: result)
        return result
    }

    private func markup(ofLine line: Int, _ fences: inout MarkdownFences) -> [TextDecoration] {
        let range = editor.text.range(ofLine: line)
        guard showsMarkup, range.count <= MarkdownLine.lengthLimit else { return [] }
        let bytes = editor.text.bytes(in: range)
        guard fences.accept(bytes) == .outside else {
            return [TextDecoration(range: range, role: .code)]
        }
        return MarkdownLine.spans(of: bytes, base: range.lowerBound).map {
            TextDecoration(range: $0.range, role: Self.role(of: $0.kind))
        }
    }

    private func marks(ofLine line: Int, _ spans: [TextDecoration]) -> [TextDecoration] {
        guard let markedWords else { return [] }
        return markedWords(words(ofLine: line, spans)).map {
            TextDecoration(range: $0, role: .misspelled)
        }
    }

    /// The words of a line, except in code and addresses.
    private func words(ofLine line: Int, _ spans: [TextDecoration]) -> [Range<Int>] {
        let range = editor.text.range(ofLine: line)
        guard range.count <= MarkdownLine.lengthLimit else { return [] }
        let others = spans.filter { $0.role == .code || $0.role == .link }.map(\.range)
        return SpellingWords.ranges(in: editor.text.bytes(in: range), base: range.lowerBound)
            .filter { word in !others.contains { $0.overlaps(word) } }
    }

    /// The words of some lines to look up in a dictionary, in ascending order; without code and addresses if
    /// ``showsMarkup`` is set.
    public func words(ofLines lines: Range<Int>) -> [Range<Int>] {
        let lines = lines.clamped(to: 0..<editor.text.lineCount)
        guard let first = lines.first else { return [] }
        var fences = MarkdownFences(
            before: editor.text.range(ofLine: first).lowerBound, in: editor.text)
        return lines.flatMap { words(ofLine: $0, markup(ofLine: $0, &fences)) }
    }

    /// Calls ``markedWords`` again.
    public func markedWordsDidChange() {
        markupCache = nil
        setNeedsDisplay()
    }

    private static func role(of kind: MarkupKind) -> Role {
        switch kind {
        case .heading: .heading
        case .emphasis: .emphasis
        case .strong: .strong
        case .code: .code
        case .link: .link
        case .sign: .sign
        }
    }
}
