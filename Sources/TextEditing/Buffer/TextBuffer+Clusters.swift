extension TextBuffer {
    /// The end of the grapheme cluster that begins at `offset`; at the end of the text, the end.
    public func clusterEnd(after offset: Int) -> Int {
        guard offset < count else { return count }
        let window = offset..<Swift.min(count, offset + GraphemeBreaker.longestCluster + 4)
        return withBytes(in: window) {
            offset + GraphemeBreaker.clusterEnd(in: $0, from: 0)
        }
    }

    /// The start of the grapheme cluster that ends at `offset`; at the start of the text, the start.
    public func clusterStart(before offset: Int) -> Int {
        guard offset > 0 else { return 0 }
        return lookingBack(from: offset) {
            GraphemeBreaker.clusterStart(in: $0, before: $1, isWhole: $2)
        }
    }

    /// The nearest cluster boundary at or before `offset`.
    public func clusterBoundary(atOrBefore offset: Int) -> Int {
        guard offset > 0, offset < count else { return Swift.min(Swift.max(offset, 0), count) }
        return lookingBack(from: offset) {
            GraphemeBreaker.boundary(in: $0, atOrBefore: $1, isWhole: $2)
        }
    }

    /// Tries a short look back first; only a strange text needs the long one.
    private func lookingBack(
        from offset: Int, _ find: (UnsafeBufferPointer<UInt8>, Int, Bool) -> Int?
    ) -> Int {
        let end = Swift.min(count, offset + GraphemeBreaker.longestCluster)
        for distance in [48, 20 * GraphemeBreaker.longestCluster] {
            let start = Swift.max(0, offset - distance)
            // A line feed before the window, or the text's beginning, makes the window whole.
            let isWhole = start == 0 || self[start - 1] == 0x0A
            if let found = withBytes(in: start..<end, { find($0, offset - start, isWhole) }) {
                return start + found
            }
        }
        // Thousands of marks or flags in a row: any scalar will do.
        return withBytes(in: Swift.max(0, offset - 4)..<end) { bytes in
            let here = offset - Swift.max(0, offset - 4)
            return offset - UTF8Decoding.scalar(in: bytes, endingAt: here).length
        }
    }
}
