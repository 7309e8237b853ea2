internal import _RopeModule

/// A leaf of the rope: some two thousand bytes of text.
///
/// Chunks end anywhere, also inside a scalar; readers that care copy across the seam.
struct TextChunk: Sendable {
    /// Large enough that a hundred megabytes make few nodes, small enough to move half of it for
    /// each key.
    static let maximumCount = 2048
    static let minimumCount = 1000

    private(set) var bytes: [UInt8]
    private var lineFeeds: Int32
    private var scalars: Int32

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = Array(bytes)
        let summary = TextSummary(counting: bytes)
        lineFeeds = Int32(truncatingIfNeeded: summary.lineFeeds)
        scalars = Int32(truncatingIfNeeded: summary.scalars)
    }

    private init(bytes: [UInt8], summary: TextSummary) {
        self.bytes = bytes
        lineFeeds = Int32(truncatingIfNeeded: summary.lineFeeds)
        scalars = Int32(truncatingIfNeeded: summary.scalars)
    }

    @inline(__always) var count: Int { bytes.count }

    /// Replaces bytes in place; only what is removed and inserted is counted again.
    mutating func replace(_ range: Range<Int>, with new: UnsafeBufferPointer<UInt8>) {
        if !range.isEmpty {
            let old = bytes.withUnsafeBufferPointer {
                TextSummary(counting: UnsafeBufferPointer(rebasing: $0[range]))
            }
            lineFeeds &-= Int32(truncatingIfNeeded: old.lineFeeds)
            scalars &-= Int32(truncatingIfNeeded: old.scalars)
        }
        if !new.isEmpty {
            let added = TextSummary(counting: new)
            lineFeeds &+= Int32(truncatingIfNeeded: added.lineFeeds)
            scalars &+= Int32(truncatingIfNeeded: added.scalars)
        }
        bytes.replaceSubrange(range, with: new)
    }

    /// The offset after the line feed of this number, counted from 1; 0 gives 0.
    func offset(afterLineFeed number: Int) -> Int {
        guard number > 0 else { return 0 }
        return bytes.withUnsafeBufferPointer { bytes in
            var left = number
            for offset in 0..<bytes.count where bytes[offset] == 0x0A {
                left &-= 1
                if left == 0 { return offset &+ 1 }
            }
            return bytes.count
        }
    }

    /// The offset where the scalar of this number begins, counted from 0.
    func offset(ofScalar number: Int) -> Int {
        if scalars == bytes.count { return number }
        return bytes.withUnsafeBufferPointer { bytes in
            var left = number
            for offset in 0..<bytes.count where bytes[offset] & 0xC0 != 0x80 {
                if left == 0 { return offset }
                left &-= 1
            }
            return bytes.count
        }
    }

    /// Counts what lies before `offset`.
    func summary(before offset: Int) -> TextSummary {
        bytes.withUnsafeBufferPointer {
            TextSummary(counting: UnsafeBufferPointer(rebasing: $0[..<offset]))
        }
    }
}

extension TextChunk: RopeElement {
    var summary: TextSummary {
        TextSummary(bytes: bytes.count, lineFeeds: Int(lineFeeds), scalars: Int(scalars))
    }

    var isEmpty: Bool { bytes.isEmpty }

    var isUndersized: Bool { bytes.count < Self.minimumCount }

    func invariantCheck() {
        precondition(bytes.count <= Self.maximumCount, "A chunk has grown too large")
    }

    mutating func rebalance(nextNeighbor right: inout TextChunk) -> Bool {
        if isEmpty {
            swap(&self, &right)
            return true
        }
        guard !right.isEmpty else { return true }
        guard isUndersized || right.isUndersized else { return false }
        let total = count + right.count
        let target = total <= Self.maximumCount ? total : total / 2
        if target > count {
            let moved = right.removePrefix(target - count)
            append(moved)
        } else {
            let moved = split(at: target)
            right.prepend(moved)
        }
        return right.isEmpty
    }

    mutating func split(at offset: Int) -> TextChunk {
        guard offset > 0 else {
            defer { self = TextChunk(bytes: [], summary: .zero) }
            return self
        }
        guard offset < count else { return TextChunk(bytes: [], summary: .zero) }
        let tail = bytes.withUnsafeBufferPointer {
            TextChunk(UnsafeBufferPointer(rebasing: $0[offset...]))
        }
        let kept = summary.subtracting(tail.summary)
        self = TextChunk(bytes: Array(bytes[..<offset]), summary: kept)
        return tail
    }

    private mutating func removePrefix(_ length: Int) -> TextChunk {
        var tail = split(at: length)
        swap(&self, &tail)
        return tail
    }

    private mutating func append(_ other: TextChunk) {
        let total = summary.adding(other.summary)
        bytes.append(contentsOf: other.bytes)
        self = TextChunk(bytes: bytes, summary: total)
    }

    private mutating func prepend(_ other: TextChunk) {
        let total = summary.adding(other.summary)
        self = TextChunk(bytes: other.bytes + bytes, summary: total)
    }
}
