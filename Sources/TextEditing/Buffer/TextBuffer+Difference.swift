/// The part of a text that another has in its place.
public struct TextReplacement: Sendable {
    /// In UTF-8 offsets of the old text.
    public let range: Range<Int>
    /// What the new text has there.
    public let text: TextBuffer

    public init(_ range: Range<Int>, with text: TextBuffer) {
        (self.range, self.text) = (range, text)
    }

    /// The same in a text without its first bytes; nil if it is about those.
    public func moved(back count: Int) -> TextReplacement? {
        guard range.lowerBound >= count else { return nil }
        return TextReplacement(range.lowerBound - count..<range.upperBound - count, with: text)
    }

    /// Where an offset of the old text is in the new one: before the part it stays, after it it moves along.
    public func place(_ offset: Int) -> Int {
        if offset <= range.lowerBound { return offset }
        if offset >= range.upperBound { return offset + text.count - range.count }
        return Swift.min(offset, range.lowerBound + text.count)
    }
}

extension TextBuffer {
    /// The one replacement that makes `other` of this text: what is between their common beginning and
    /// their common end.
    ///
    /// - Returns: Nil when they are equal.
    /// - Complexity: O(count).
    public func replacement(toBecome other: TextBuffer) -> TextReplacement? {
        let shorter = Swift.min(count, other.count)
        let start = commonCount(with: other, limit: shorter)
        if start == count, start == other.count { return nil }
        let end = commonCountAtEnd(with: other, limit: shorter - start)
        return TextReplacement(
            start..<count - end, with: other.extract(start..<other.count - end))
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
