extension TextBuffer {
    /// The one replacement that makes `other` of this text: what is between their common beginning and
    /// their common end.
    ///
    /// - Returns: Nil when they are equal.
    /// - Complexity: O(count).
    public func replacement(toBecome other: TextBuffer) -> (range: Range<Int>, text: TextBuffer)? {
        let shorter = Swift.min(count, other.count)
        let start = commonCount(with: other, limit: shorter)
        if start == count, start == other.count { return nil }
        let end = commonCountAtEnd(with: other, limit: shorter - start)
        return (start..<count - end, other.extract(start..<other.count - end))
    }

    private static let windowCount = 4096

    private func commonCount(with other: TextBuffer, limit: Int) -> Int {
        var result = 0
        while result < limit {
            let window = result..<Swift.min(result + Self.windowCount, limit)
            let same = withBytes(in: window) { mine in
                other.withBytes(in: window) { theirs in
                    zip(mine, theirs).prefix { $0 == $1 }.count
                }
            }
            result += same
            if same < window.count { break }
        }
        return result
    }

    private func commonCountAtEnd(with other: TextBuffer, limit: Int) -> Int {
        var result = 0
        while result < limit {
            let length = Swift.min(Self.windowCount, limit - result)
            let (end, otherEnd) = (count - result, other.count - result)
            let same = withBytes(in: end - length..<end) { mine in
                other.withBytes(in: otherEnd - length..<otherEnd) { theirs in
                    zip(mine.reversed(), theirs.reversed()).prefix { $0 == $1 }.count
                }
            }
            result += same
            if same < length { break }
        }
        return result
    }
}
