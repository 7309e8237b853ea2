internal import _RopeModule

extension TextBuffer {
    /// Calls `body` with the bytes in `range` in one piece.
    ///
    /// Meant for windows of a few kilobytes: nothing is copied inside a chunk, but across a seam
    /// the range is put together first.
    public func withBytes<Result>(
        in range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        if range.isEmpty { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "Range outside of the text")
        let (index, start) = chunks.find(
            at: range.lowerBound, in: ByteMetric(), preferEnd: false)
        let chunk = chunks[index]
        if start + range.count <= chunk.count {
            return try chunk.bytes.withUnsafeBufferPointer {
                try body(UnsafeBufferPointer(rebasing: $0[start..<start + range.count]))
            }
        }
        return try bytes(in: range).withUnsafeBufferPointer(body)
    }

    /// Calls `body` with the bytes in `range`, piece by piece, without copying, in order.
    ///
    /// Pieces end anywhere, also inside a scalar. Returning false ends the walk.
    public func forEachSpan(
        in range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Bool
    ) rethrows {
        guard !range.isEmpty else { return }
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "Range outside of the text")
        var (index, start) = chunks.find(at: range.lowerBound, in: ByteMetric(), preferEnd: false)
        var left = range.count
        while left > 0 {
            let chunk = chunks[index]
            let length = Swift.min(left, chunk.count - start)
            let shouldContinue = try chunk.bytes.withUnsafeBufferPointer {
                try body(UnsafeBufferPointer(rebasing: $0[start..<start + length]))
            }
            left -= length
            start = 0
            guard shouldContinue, left > 0 else { return }
            chunks.formIndex(after: &index)
        }
    }

    /// Copies the bytes in `range`.
    public func bytes(in range: Range<Int>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { target, count in
            forEachSpan(in: range) { span in
                (target.baseAddress.unsafelyUnwrapped + count)
                    .initialize(from: span.baseAddress.unsafelyUnwrapped, count: span.count)
                count += span.count
                return true
            }
        }
    }

    /// The text in `range`; invalid UTF-8 reads as U+FFFD.
    public func string(in range: Range<Int>) -> String {
        withBytes(in: range) { String(decoding: $0, as: UTF8.self) }
    }

    /// The whole text; invalid UTF-8 reads as U+FFFD.
    public var string: String { string(in: 0..<count) }

    /// The byte at `offset`, which must be below `count`.
    public subscript(offset: Int) -> UInt8 {
        let (index, start) = chunks.find(at: offset, in: ByteMetric(), preferEnd: false)
        return chunks[index].bytes[start]
    }

    /// The three bytes that some programs write at the beginning of a text in UTF-8.
    public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether the text begins with ``byteOrderMark``.
    public var hasByteOrderMark: Bool {
        count >= 3 && withBytes(in: 0..<3) { $0.elementsEqual(Self.byteOrderMark) }
    }

    /// The text as it is to be shown and edited.
    public var withoutByteOrderMark: TextBuffer { hasByteOrderMark ? extract(3..<count) : self }

    /// Whether all bytes are well-formed UTF-8.
    ///
    /// - Complexity: O(count).
    public var isValidUTF8: Bool {
        var validator = UTF8Validator()
        forEachSpan(in: 0..<count) { span in
            validator.take(span)
            return validator.isValid
        }
        return validator.isValid && validator.isComplete
    }
}

extension TextBuffer: Equatable {
    /// Compares byte by byte.
    public static func == (left: TextBuffer, right: TextBuffer) -> Bool {
        if left.chunks.isIdentical(to: right.chunks) { return true }
        guard left.count == right.count else { return false }
        var offset = 0
        var isEqual = true
        left.forEachSpan(in: 0..<left.count) { span in
            right.withBytes(in: offset..<offset + span.count) { other in
                isEqual = span.elementsEqual(other)
            }
            offset += span.count
            return isEqual
        }
        return isEqual
    }
}

extension TextBuffer: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

/// Checks UTF-8 that arrives in pieces.
private struct UTF8Validator {
    private var carried: [UInt8] = []
    private(set) var isValid = true

    /// Whether no scalar is cut by the end.
    var isComplete: Bool { carried.isEmpty }

    mutating func take(_ span: UnsafeBufferPointer<UInt8>) {
        if carried.isEmpty {
            check(span)
        } else {
            (carried + Array(span)).withUnsafeBufferPointer {
                carried = []
                check($0)
            }
        }
    }

    private mutating func check(_ bytes: UnsafeBufferPointer<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            let scalar = UTF8Decoding.scalar(in: bytes, at: offset)
            if !scalar.isValid {
                // A scalar cut by the end of the piece gets its chance with the next.
                if bytes.count - offset < 4, bytes[offset] >= 0xC2 {
                    carried = Array(bytes[offset...])
                } else {
                    isValid = false
                }
                return
            }
            offset += scalar.length
        }
    }
}
