/// Finds extended grapheme cluster boundaries in a stream of scalars (UAX #29).
///
/// Swift's `Character` follows the standard library's Unicode version and differs from the newest
/// rules for Indic conjuncts and some emoji; widths and boundaries here come from one table.
struct GraphemeBreaker {
    private var previous = BreakClass.control
    private var hasOddIndicators = false
    /// Inside pictograph, Extend*: a ZWJ now may join a pictograph.
    private var isEmojiOpen = false
    private var isEmojiJoined = false
    /// Inside consonant [extend linker]*, and whether a linker was among them.
    private var isConjunctOpen = false
    private var isConjunctLinked = false

    /// Where a scalar is.
    enum Place {
        case clusterStart
        case insideCluster
    }

    /// Says where this scalar is, and moves past it.
    ///
    /// The first scalar of a stream always begins a cluster.
    @inline(__always)
    mutating func advance(over traits: ScalarTraits) -> Place {
        let current = traits.breakClass
        let begins = isBoundary(before: current, traits.conjunctClass)
        advance(past: current, traits.conjunctClass)
        return begins ? .clusterStart : .insideCluster
    }

    @inline(__always)
    private func isBoundary(before current: BreakClass, _ conjunct: ConjunctClass) -> Bool {
        if previous == .other, current == .other { return !isConjoined(conjunct) }
        if previous.isControl || current.isControl {
            return !(previous == .carriageReturn && current == .lineFeed)
        }
        switch current {
        case .extend, .joiner, .spacingMark: return false
        case .hangulL where previous == .hangulL: return false
        case .hangulLV where previous == .hangulL: return false
        case .hangulLVT where previous == .hangulL: return false
        case .hangulV
        where previous == .hangulL || previous == .hangulV || previous == .hangulLV:
            return false
        case .hangulT
        where previous == .hangulV || previous == .hangulLV || previous == .hangulT
            || previous == .hangulLVT:
            return false
        case .pictograph where isEmojiJoined: return false
        case .regionalIndicator where hasOddIndicators: return false
        default: break
        }
        if previous == .prepend { return false }
        return !isConjoined(conjunct)
    }

    @inline(__always)
    private func isConjoined(_ conjunct: ConjunctClass) -> Bool {
        conjunct == .consonant && isConjunctLinked
    }

    @inline(__always)
    private mutating func advance(past current: BreakClass, _ conjunct: ConjunctClass) {
        isEmojiJoined = isEmojiOpen && current == .joiner
        isEmojiOpen = current == .pictograph || (isEmojiOpen && current == .extend)
        hasOddIndicators = current == .regionalIndicator && !hasOddIndicators
        switch conjunct {
        case .consonant: (isConjunctOpen, isConjunctLinked) = (true, false)
        case .linker: isConjunctLinked = isConjunctOpen
        case .extend: break
        default: (isConjunctOpen, isConjunctLinked) = (false, false)
        }
        previous = current
    }
}

extension GraphemeBreaker {
    /// The longest cluster there is, in bytes.
    ///
    /// Nothing in writing comes near; a megabyte of combining marks must not become one cluster.
    static let longestCluster = 256

    /// The end of the cluster that begins at `offset`, which must be inside `bytes`.
    ///
    /// `bytes` must go on for `longestCluster` bytes after `offset` or end with the text.
    @inline(__always)
    static func clusterEnd(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
        let next = offset &+ 1
        let first = bytes[offset]
        // ASCII before ASCII: only CR LF stay together.
        if first < 0x80 {
            if next == bytes.count { return next }
            let second = bytes[next]
            if second < 0x80 { return first == 0x0D && second == 0x0A ? next &+ 1 : next }
        }
        return slowClusterEnd(in: bytes, from: offset)
    }

    static func slowClusterEnd(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
        var end = offset
        let limit = Swift.min(bytes.count, offset + longestCluster)
        var breaker = GraphemeBreaker()
        while end < limit {
            let scalar = UTF8Decoding.scalar(in: bytes, at: end)
            guard scalar.isValid else { return end == offset ? end + 1 : end }
            let place = breaker.advance(over: ScalarTraits(scalar.value))
            if place == .clusterStart, end != offset { break }
            guard end + scalar.length <= limit else { break }
            end += scalar.length
        }
        return end
    }

    /// The start of the cluster that ends at `offset`, which must be above 0.
    ///
    /// Looks back to a boundary that is certain without context, then comes forward.
    ///
    /// - Parameter isWhole: Whether `bytes` begins where a cluster surely does.
    /// - Returns: Nil when `bytes` begins too late to tell.
    static func clusterStart(
        in bytes: UnsafeBufferPointer<UInt8>, before offset: Int, isWhole: Bool
    ) -> Int? {
        if bytes[offset - 1] < 0x80, bytes[offset - 1] != 0x0A, offset >= 2,
            bytes[offset - 2] < 0x80
        {
            return offset - 1
        }
        guard var start = certainBoundary(in: bytes, before: offset, isWhole: isWhole)
        else { return nil }
        while true {
            let end = clusterEnd(in: bytes, from: start)
            if end >= offset { return start }
            start = end
        }
    }

    /// The nearest cluster boundary at or before `offset`, which must be inside `bytes`.
    ///
    /// Parameters and result as for `clusterStart`.
    static func boundary(
        in bytes: UnsafeBufferPointer<UInt8>, atOrBefore offset: Int, isWhole: Bool
    ) -> Int? {
        if bytes[offset - 1] < 0x80, bytes[offset] < 0x80 {
            return bytes[offset - 1] == 0x0D && bytes[offset] == 0x0A ? offset - 1 : offset
        }
        let offset = UTF8Decoding.scalarStart(in: bytes, of: offset)
        guard offset > 0 else { return isWhole ? 0 : nil }
        guard var start = certainBoundary(in: bytes, before: offset, isWhole: isWhole)
        else { return nil }
        while true {
            let end = clusterEnd(in: bytes, from: start)
            if end == offset { return end }
            if end > offset { return start }
            start = end
        }
    }

    /// A boundary before `offset` that needs no context to be known as one.
    private static func certainBoundary(
        in bytes: UnsafeBufferPointer<UInt8>, before offset: Int, isWhole: Bool
    ) -> Int? {
        var start = offset
        var following: ScalarTraits?
        while start > 0 {
            let scalar = UTF8Decoding.scalar(in: bytes, endingAt: start)
            guard scalar.isValid else {
                // Perhaps it is only cut off.
                if start <= 4, !isWhole { return nil }
                return following != nil ? start : start - 1
            }
            let traits = ScalarTraits(scalar.value)
            if let following, isCertainBoundary(traits, following) { return start }
            following = traits
            start -= scalar.length
        }
        return isWhole ? 0 : nil
    }

    private static func isCertainBoundary(_ left: ScalarTraits, _ right: ScalarTraits) -> Bool {
        let (a, b) = (left.breakClass, right.breakClass)
        if a.isControl || b.isControl { return !(a == .carriageReturn && b == .lineFeed) }
        return (a == .other || a == .pictograph) && (b == .other || b == .pictograph)
            && left.conjunctClass == .none && right.conjunctClass == .none
            || a == .other && left.conjunctClass == .none && b == .regionalIndicator
    }
}
