/// A position in a page that is independent of its layout.
public struct WebPlace: Sendable {
    /// The number of bytes of text before it.
    fileprivate var offset: Int
    /// The row of a picture, if it is one.
    fileprivate var picture: (index: Int, row: Int)?
    /// The number of empty lines before it.
    fileprivate var distance = 0
}

extension WebLayout {
    /// The position of a line.
    public func place(atLine line: Int) -> WebPlace {
        var landmarkLine = max(0, line)
        while landmarkLine < lines.count, !lines[landmarkLine].isLandmark { landmarkLine += 1 }
        var place = WebPlace(offset: textCount(before: landmarkLine))
        guard landmarkLine < lines.count else { return place }
        place.distance = landmarkLine - max(0, line)
        if let picture = lines[landmarkLine].spans.lazy.compactMap(\.picture).first,
            let range = pictureLines[picture]
        {
            place.picture = (picture, landmarkLine - range.lowerBound)
        }
        return place
    }

    /// The line of a position from this or another layout of the same document.
    public func line(of place: WebPlace) -> Int {
        guard let (index, row) = place.picture, let range = pictureLines[index] else {
            return max(0, line(withByte: place.offset) - place.distance)
        }
        return max(0, range.lowerBound + min(row, range.count - 1) - place.distance)
    }

    private func textCount(before line: Int) -> Int {
        lines.prefix(line).reduce(0) { $0 + $1.textCount }
    }

    private func line(withByte offset: Int) -> Int {
        var rest = offset
        for (index, line) in lines.enumerated() {
            let count = line.textCount
            if count > rest { return index }
            rest -= count
        }
        return max(0, lines.count - 1)
    }
}

extension WebLine {
    /// The length of the page's own text, without what depends on the width: spaces, frames, pictures and
    /// their replacements.
    fileprivate var textCount: Int {
        var count = 0
        for span in spans where span.picture == nil && !span.look.contains(.border) {
            for byte in span.text.utf8 where byte != 0x20 { count += 1 }
        }
        return count
    }

    fileprivate var isLandmark: Bool { spans.contains { $0.picture != nil } || textCount > 0 }
}
