/// A document as lines of cells for one width.
public struct WebLayout: Hashable, Sendable {
    public let width: Int
    public private(set) var lines: [WebLine] = []
    /// The lines that each link is on, by its index; empty for one that is nowhere to be seen.
    public private(set) var linkLines: [Range<Int>]
    /// The line of each place that a `#fragment` can name.
    public private(set) var anchors: [String: Int] = [:]

    /// - Parameter width: In cells, at least 1.
    public init(_ document: WebDocument, width: Int) {
        self.width = max(1, width)
        linkLines = Array(repeating: 0..<0, count: document.links.count)
        lines = BlockLayout().lines(document.blocks, width: self.width)
        while let last = lines.last, last.spans.isEmpty, last.anchors.isEmpty { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            for name in line.anchors where anchors[name] == nil { anchors[name] = index }
            for span in line.spans {
                guard let link = span.link, linkLines.indices.contains(link) else { continue }
                let old = linkLines[link]
                linkLines[link] = (old.isEmpty ? index : old.lowerBound)..<(index + 1)
            }
        }
    }
}

/// One line of a page.
public struct WebLine: Hashable, Sendable {
    public var spans: [WebRun]
    /// Whether the next line goes on with the same sentence: a line break stands for a space.
    public var isWrapped: Bool
    /// Names of places that are here.
    public var anchors: [String] = []

    public init(_ spans: [WebRun] = [], isWrapped: Bool = false) {
        self.spans = spans
        self.isWrapped = isWrapped
    }

    public var text: String { spans.map(\.text).joined() }

    /// The same line behind others, e.g. a bullet.
    func prefixed(by prefix: [WebRun]) -> WebLine {
        var line = self
        line.spans.insert(contentsOf: prefix, at: 0)
        return line
    }
}
