import TextEditing

/// A document as lines of cells for one width.
public struct WebLayout: Hashable, Sendable {
    public let width: Int
    /// The layout of pictures; nil if all are replaced by words.
    public let pictureMetrics: WebPictureMetrics?
    /// Whether only the beginning was laid out.
    public let isPartial: Bool
    public private(set) var lines: [WebLine] = []
    /// The lines of each link by index; empty for an invisible one.
    public private(set) var linkLines: [Range<Int>]
    /// The line of each `#fragment` target.
    public private(set) var anchors: [String: Int] = [:]
    /// The lines of each picture or its replacement text, by index.
    public private(set) var pictureLines: [Int: Range<Int>] = [:]
    /// The pictures with reserved room, from top to bottom.
    public private(set) var pictures: [PlacedPicture] = []

    /// The room reserved for a picture, in cells.
    public struct PlacedPicture: Hashable, Sendable {
        /// Its index in the document.
        public var index: Int
        public var line: Int
        public var column: Int
        public var columnCount: Int
        public var rowCount: Int

        public var lines: Range<Int> { line..<(line + rowCount) }
    }

    /// - Parameters:
    ///   - width: In cells, at least 1.
    ///   - pictures: The layout of pictures; nil for replacement words.
    ///   - limit: The maximum number of blocks, to show the first ones quickly.
    public init(
        _ document: WebDocument, width: Int, pictures metrics: WebPictureMetrics? = nil,
        blockLimit limit: Int? = nil
    ) {
        self.width = max(1, width)
        let blocks = document.blocks.prefix(limit ?? .max)
        isPartial = blocks.count < document.blocks.count
        pictureMetrics = metrics
        linkLines = Array(repeating: 0..<0, count: document.links.count)
        let room = PictureRoom(pictures: document.pictures, metrics: metrics)
        lines = BlockLayout(room: room).lines(Array(blocks), width: self.width)
        while let last = lines.last, last.spans.isEmpty, last.anchors.isEmpty { lines.removeLast() }
        var placed: [Int: Int] = [:]
        for (index, line) in lines.enumerated() {
            for name in line.anchors where anchors[name] == nil { anchors[name] = index }
            for (number, span) in line.spans.enumerated() {
                if let picture = span.picture {
                    let old = pictureLines[picture]?.lowerBound ?? index
                    pictureLines[picture] = old..<(index + 1)
                    if span.look.contains(.picture) { place(picture, number, index, &placed) }
                }
                guard let link = span.link, linkLines.indices.contains(link) else { continue }
                let old = linkLines[link]
                linkLines[link] = (old.isEmpty ? index : old.lowerBound)..<(index + 1)
            }
        }
    }

    /// Records a row of a picture.
    private mutating func place(
        _ picture: Int, _ span: Int, _ line: Int, _ placed: inout [Int: Int]
    ) {
        if let known = placed[picture] {
            pictures[known].rowCount += 1
            return
        }
        placed[picture] = pictures.count
        let spans = lines[line].spans
        pictures.append(
            PlacedPicture(
                index: picture, line: line,
                column: spans[..<span].reduce(0) { $0 + CellWidth.of($1.text) },
                columnCount: spans[span].text.utf8.count, rowCount: 1))
    }
}

/// One line of a page.
public struct WebLine: Hashable, Sendable {
    public var spans: [WebRun]
    /// Whether the next line continues the paragraph: the line break represents a space.
    public var isWrapped: Bool
    /// The names of targets in this line.
    public var anchors: [String] = []

    public init(_ spans: [WebRun] = [], isWrapped: Bool = false) {
        self.spans = spans
        self.isWrapped = isWrapped
    }

    public var text: String { spans.map(\.text).joined() }

    /// The same line after a prefix, e.g. a bullet.
    func prefixed(by prefix: [WebRun]) -> WebLine {
        var line = self
        line.spans.insert(contentsOf: prefix, at: 0)
        return line
    }
}
