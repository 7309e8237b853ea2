internal import _RopeModule

/// A place in a text as people count it, both parts from 0.
public struct TextPosition: Hashable, Sendable, Comparable {
    /// The number of the line.
    public var line: Int
    /// UTF-8 bytes from the beginning of the line.
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What ends a line.
public enum LineEnding: String, Sendable, CaseIterable {
    case lineFeed = "\n"
    case carriageReturnLineFeed = "\r\n"
}

extension TextBuffer {
    /// The text with all lines ended in one way.
    ///
    /// - Complexity: O(count).
    public func ending(linesWith ending: LineEnding) -> TextBuffer {
        let old = bytes(in: 0..<count)
        guard old.contains(0x0A) else { return self }
        var new: [UInt8] = []
        new.reserveCapacity(old.count)
        for byte in old {
            if byte == 0x0A {
                if new.last == 0x0D { new.removeLast() }
                new += ending.rawValue.utf8
            } else {
                new.append(byte)
            }
        }
        return TextBuffer(utf8: new)
    }

    /// The number of the line that `offset` lies on.
    ///
    /// - Complexity: O(log count), like all conversions here.
    public func line(at offset: Int) -> Int {
        summary(before: offset).lineFeeds
    }

    /// Where a line begins.
    public func start(ofLine line: Int) -> Int {
        precondition(line >= 0 && line < lineCount, "No such line")
        guard line > 0 else { return 0 }
        let (index, number) = chunks.find(at: line, in: LineMetric(), preferEnd: true)
        return chunks.offset(of: index, in: ByteMetric())
            + chunks[index].offset(afterLineFeed: number)
    }

    /// The range of a line, with the line feed or CR LF that ends it only if wanted.
    public func range(ofLine line: Int, includingBreak: Bool = false) -> Range<Int> {
        let start = start(ofLine: line)
        guard line + 1 < lineCount else { return start..<count }
        let next = self.start(ofLine: line + 1)
        if includingBreak { return start..<next }
        let isWindows = next - start >= 2 && self[next - 2] == 0x0D
        return start..<next - (isWindows ? 2 : 1)
    }

    /// The line that `offset` lies on and the bytes before it there; the offset must be in the
    /// text.
    public func position(at offset: Int) -> TextPosition {
        let line = line(at: offset)
        return TextPosition(line: line, column: offset - start(ofLine: line))
    }

    /// The offset of a position; one past the end of its line is moved to it.
    public func offset(of position: TextPosition) -> Int {
        let line = Swift.min(Swift.max(0, position.line), lineCount - 1)
        let range = range(ofLine: line)
        return Swift.min(range.lowerBound + Swift.max(0, position.column), range.upperBound)
    }

    /// The offset where the scalar of this number begins; `scalarCount` gives `count`.
    public func offset(ofScalar number: Int) -> Int {
        precondition(number >= 0 && number <= scalarCount, "No such scalar")
        if number == scalarCount { return count }
        let (index, rest) = chunks.find(at: number, in: ScalarMetric(), preferEnd: false)
        return chunks.offset(of: index, in: ByteMetric()) + chunks[index].offset(ofScalar: rest)
    }

    /// How many scalars begin before `offset`.
    public func scalarCount(before offset: Int) -> Int {
        summary(before: offset).scalars
    }

    /// What ends the first line, and so what a new line should end with.
    public var lineEnding: LineEnding {
        guard lineCount > 1 else { return .lineFeed }
        let next = start(ofLine: 1)
        return next >= 2 && self[next - 2] == 0x0D ? .carriageReturnLineFeed : .lineFeed
    }

    private func summary(before offset: Int) -> TextSummary {
        precondition(offset >= 0 && offset <= count, "Offset outside of the text")
        guard offset > 0 else { return .zero }
        let (index, start) = chunks.find(at: offset, in: ByteMetric(), preferEnd: true)
        let chunk = chunks[index]
        var result = chunk.summary(before: start)
        result.bytes = offset
        result.lineFeeds += chunks.offset(of: index, in: LineMetric())
        result.scalars += chunks.offset(of: index, in: ScalarMetric())
        return result
    }
}
