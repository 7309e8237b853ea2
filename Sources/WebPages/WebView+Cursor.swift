import TerminalUI
import WebText

extension WebView {
    /// Where the chosen link begins, else the current match; nil for none that is in sight. A screen reader reads from
    /// there.
    var placeOfChoice: Point? {
        guard let layout else { return nil }
        let seen = firstLine..<min(firstLine + pageHeight, layout.lines.count)
        if let chosenLink, layout.linkLines.indices.contains(chosenLink) {
            for line in layout.linkLines[chosenLink] where seen.contains(line) {
                let spans = layout.lines[line].spans
                guard let index = spans.firstIndex(where: { $0.link == chosenLink }) else {
                    continue
                }
                let x = spans[..<index].reduce(0) { $0 + Surface.columnCount(of: $1.text) }
                return Point(x: x, y: line - firstLine)
            }
        }
        guard finding.isShown, finding.matches.indices.contains(finding.current),
            let part = finding.matches[finding.current].parts.first, seen.contains(part.line)
        else { return nil }
        let text = layout.lines[part.line].spans.map(\.text).joined()
        let before = String(decoding: text.utf8.prefix(part.range.lowerBound), as: UTF8.self)
        return Point(x: Surface.columnCount(of: before), y: part.line - firstLine)
    }
}
