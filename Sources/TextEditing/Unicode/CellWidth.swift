/// How many terminal cells text takes.
///
/// Widths are those of the text as `VisibleText` shows it, by a table of our own (East Asian Wide
/// and Fullwidth 2, combining marks 0, emoji and flags 2): glibc, libraries and terminals disagree
/// among themselves, so what is disputed among them is followed by an absolute cursor move
/// (`Glyph.isDisputed`) instead of being trusted.
public enum CellWidth {
    /// Cells of one character, as it is shown: `e` 1, `漢` 2, `👨‍👩‍👧` 2, ESC 2 (`^[`).
    public static func of(_ character: Character) -> Int {
        of(String(character))
    }

    /// Cells of a text without line breaks and tabs, as it is shown.
    ///
    /// - Complexity: O(bytes), about a nanosecond each for ASCII.
    public static func of(_ text: some StringProtocol) -> Int {
        let fast = text.utf8.withContiguousStorageIfAvailable { of(utf8: $0) }
        if let fast { return fast }
        return Array(text.utf8).withUnsafeBufferPointer { of(utf8: $0) }
    }

    /// Cells of a run of UTF-8, as it is shown; bytes that are no UTF-8 count as `<E9>`.
    public static func of(utf8 bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var total = 0
        var offset = 0
        while offset < bytes.count {
            let end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
            total &+= ClusterShape.width(in: bytes, offset..<end)
            offset = end
        }
        return total
    }

    /// Cells of a single scalar on its own: 0 for a combining mark, 1 or 2.
    ///
    /// Text is measured by clusters, not by adding this up.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        ScalarTraits(scalar.value).width
    }

    /// The longest beginning of `text` that fits in `columns` cells, and the cells it takes.
    ///
    /// Never cuts a cluster; the width is one less than `columns` where a wide one did not fit.
    public static func prefix(
        of text: some StringProtocol, fitting columns: Int
    ) -> (text: String, width: Int) {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            var (offset, width) = (0, 0)
            while offset < bytes.count {
                let end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
                let cells = ClusterShape.width(in: bytes, offset..<end)
                if width + cells > columns { break }
                width += cells
                offset = end
            }
            return (String(decoding: bytes[..<offset], as: UTF8.self), width)
        }
    }
}

/// Grapheme clusters of text, by the newest Unicode rules.
public enum GraphemeClusters {
    /// The clusters of `text`, each a string.
    public static func of(_ text: some StringProtocol) -> [String] {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            var result: [String] = []
            var offset = 0
            while offset < bytes.count {
                let end = GraphemeBreaker.clusterEnd(in: bytes, from: offset)
                result.append(String(decoding: bytes[offset..<end], as: UTF8.self))
                offset = end
            }
            return result
        }
    }
}
