import TextEditing

extension TextView {
    /// The looks of the lines on the screen; they hold until the text or the place changes.
    struct MarkupCache {
        var state: UndoHistory.State
        var rows: [TextRow]
        var spans: [[TextDecoration]]
    }

    /// What each of some rows shows in another look than the text.
    func decorations(of rows: [TextRow]) -> [[TextDecoration]] {
        var result = showsMarkup ? markup(of: rows) : Array(repeating: [], count: rows.count)
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

    /// Of ascending ranges, the first that ends behind an offset.
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
            }
            result.append(spans.filter { $0.range.overlaps(row.range) })
        }
        markupCache = MarkupCache(state: editor.state, rows: rows, spans: result)
        return result
    }

    private func markup(ofLine line: Int, _ fences: inout MarkdownFences) -> [TextDecoration] {
        let range = editor.text.range(ofLine: line)
        guard range.count <= MarkdownLine.lengthLimit else { return [] }
        let bytes = editor.text.bytes(in: range)
        guard fences.accept(bytes) == .outside else {
            return [TextDecoration(range: range, role: .code)]
        }
        return MarkdownLine.spans(of: bytes, base: range.lowerBound).map {
            TextDecoration(range: $0.range, role: Self.role(of: $0.kind))
        }
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
