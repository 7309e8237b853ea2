internal import _RopeModule

/// What every node of the rope knows about the text below it.
struct TextSummary: Sendable, Equatable {
    var bytes = 0
    var lineFeeds = 0
    /// Bytes that begin a scalar, so that a lone continuation byte counts nothing.
    var scalars = 0
}

extension TextSummary: RopeSummary {
    static var maxNodeSize: Int { 15 }
    static var zero: TextSummary { TextSummary() }

    var isZero: Bool { bytes == 0 }

    mutating func add(_ other: TextSummary) {
        bytes &+= other.bytes
        lineFeeds &+= other.lineFeeds
        scalars &+= other.scalars
    }

    mutating func subtract(_ other: TextSummary) {
        bytes &-= other.bytes
        lineFeeds &-= other.lineFeeds
        scalars &-= other.scalars
    }
}

extension TextSummary {
    /// Counts eight bytes at a time.
    init(counting bytes: UnsafeBufferPointer<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let low = ones &* 0x7F
        var (lineFeeds, continuations) = (0, 0)
        var offset = 0
        if bytes.count >= 8, let base = UnsafeRawPointer(bytes.baseAddress) {
            while offset &+ 8 <= bytes.count {
                let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                // The high bit of a byte stays clear only where the byte is a line feed.
                let other = word ^ (ones &* 0x0A)
                lineFeeds &+= 8 &- (((other & low) &+ low | other) & ~low).nonzeroBitCount
                // 10xxxxxx: the highest bit set, the next one not.
                continuations &+= (word >> 7 & ~(word >> 6) & ones).nonzeroBitCount
                offset &+= 8
            }
        }
        while offset < bytes.count {
            lineFeeds &+= bytes[offset] == 0x0A ? 1 : 0
            continuations &+= bytes[offset] & 0xC0 == 0x80 ? 1 : 0
            offset &+= 1
        }
        self.init(
            bytes: bytes.count, lineFeeds: lineFeeds, scalars: bytes.count &- continuations)
    }
}

struct ByteMetric: RopeMetric {
    func size(of summary: TextSummary) -> Int { summary.bytes }
    func index(at offset: Int, in chunk: TextChunk) -> Int { offset }
}

struct LineMetric: RopeMetric {
    func size(of summary: TextSummary) -> Int { summary.lineFeeds }
    func index(at offset: Int, in chunk: TextChunk) -> Int { chunk.offset(afterLineFeed: offset) }
}

struct ScalarMetric: RopeMetric {
    func size(of summary: TextSummary) -> Int { summary.scalars }
    func index(at offset: Int, in chunk: TextChunk) -> Int { chunk.offset(ofScalar: offset) }
}
