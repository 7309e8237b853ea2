import ByteClubMessages
import TerminalUI
import WebText

/// The state of a search in a page.
struct FindState {
    var query = ""
    /// The query that the matches are of.
    var foundQuery = ""
    var matches: [WebTextSearch.Match] = []
    var current = 0
    /// The parts of matches by line, with the index of the match.
    var parts: [Int: [(range: Range<Int>, match: Int)]] = [:]
    /// The position before the search.
    var origin = 0
    var text: WebTextSearch?
    var search: Task<Void, Never>?

    var isShown: Bool { !query.isEmpty }

    /// - Parameter keepsPlace: The same text was laid out again: its matches are the same, in the same order.
    mutating func take(_ found: [WebTextSearch.Match], keepsPlace: Bool = false) {
        matches = found
        parts = [:]
        for (index, match) in found.enumerated() {
            for part in match.parts { parts[part.line, default: []].append((part.range, index)) }
        }
        guard !keepsPlace || current >= found.count else { return }
        current = found.firstIndex { $0.firstLine >= origin } ?? 0
    }

    /// A span split at the ends of matches; with a role inside a match.
    func parts(
        of text: String, from offset: Int, inLine line: Int
    ) -> [(text: Substring, role: Role?)] {
        guard let found = parts[line] else { return [(text[...], nil)] }
        var pieces: [(text: Substring, role: Role?)] = []
        var place = 0
        let count = text.utf8.count
        func piece(_ start: Int, _ end: Int) -> Substring {
            let utf8 = text.utf8
            return text[
                utf8.index(
                    utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)]
        }
        for (range, match) in found {
            let start = max(place, min(count, range.lowerBound - offset))
            let end = max(start, min(count, range.upperBound - offset))
            guard start < end else { continue }
            if place < start { pieces.append((piece(place, start), nil)) }
            pieces.append((piece(start, end), match == current ? .selectedText : .match))
            place = end
        }
        if place < count { pieces.append((piece(place, count), nil)) }
        return pieces
    }
}

extension WebView {
    func beginFinding() {
        finding.origin = firstLine
        findField.isHidden = false
        setNeedsLayout()
        findField.becomeFirstResponder()
        findField.selectAll()
    }

    /// Enter: closes the field and keeps the matches.
    func keepFinding() {
        becomeFirstResponder()
        findField.isHidden = true
        if finding.query.isEmpty { endFinding() }
        setNeedsLayout()
    }

    func endFinding() {
        if findField.isFirstResponder { becomeFirstResponder() }
        finding.search?.cancel()
        finding = FindState()
        findField.text = ""
        findField.isHidden = true
        setNeedsLayout()
    }

    func moveFound(by step: Int) {
        let count = finding.matches.count
        guard count > 0 else { return }
        finding.current = (finding.current + step + count) % count
        showFound()
    }

    func queryDidChange() {
        finding.query = findField.text
        find()
    }

    /// The lines have changed: searches again, without moving.
    func findAgain() {
        guard finding.isShown else { return }
        finding.text = nil
        // The first search of a query may be under way.
        find(keepsPlace: finding.foundQuery == finding.query)
    }

    private func find(keepsPlace: Bool = false) {
        finding.search?.cancel()
        guard let layout, !finding.query.isEmpty else {
            finding.take([])
            setNeedsDisplay()
            return
        }
        let (query, text) = (finding.query, finding.text)
        finding.search = startPending { [weak self] in
            let (text, matches) = await Self.find(query, in: text, layout)
            guard let self, !Task.isCancelled, finding.query == query else { return }
            finding.text = text
            finding.take(matches, keepsPlace: keepsPlace)
            finding.foundQuery = query
            setNeedsDisplay()
            guard !keepsPlace else { return }
            if matches.isEmpty { scroll(toLine: finding.origin) } else { showFound() }
        }
    }

    @concurrent
    private nonisolated static func find(
        _ query: String, in text: WebTextSearch?, _ layout: WebLayout
    ) async -> (WebTextSearch, [WebTextSearch.Match]) {
        let text = text ?? WebTextSearch(layout)
        return (text, text.matches(of: query))
    }

    private func showFound() {
        guard finding.matches.indices.contains(finding.current) else { return }
        reveal(line: finding.matches[finding.current].firstLine)
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    /// The state of the search: `3 of 17`.
    private var status: TextLine {
        if finding.query.isEmpty { return "" }
        if finding.matches.isEmpty { return TextLine(localized("no match"), .warning) }
        return TextLine(localized("\(finding.current + 1) of \(finding.matches.count)"), .secondary)
    }

    func drawFinding(on surface: Surface) {
        let y = bounds.height - 1
        if findField.isHidden {
            let text = status
            let x = max(0, bounds.width - text.columnCount - 1)
            surface.fill(Rect(x: x, y: y, width: bounds.width - x, height: 1))
            surface.draw(text, at: Point(x: x + 1, y: y))
        } else {
            surface.draw("/", at: Point(x: 0, y: y), role: .accent)
            let row = Rect(x: bounds.width - 12, y: y, width: 12, height: 1)
            surface.draw(status, in: row, alignment: .trailing)
        }
    }
}
