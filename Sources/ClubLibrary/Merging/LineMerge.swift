public import FoundationEssentials

/// A line-based three-way merge of two texts with a common base, if their changes do not conflict, as in
/// diff3.
public struct LineMerge: Sendable, Hashable {
    /// The text with both members' changes, byte for byte.
    public let text: Data
    /// The lines of ``text`` that come from the other text: zero-based, half-open, ascending.
    public let incoming: [Range<Int>]
    /// The number of base lines that the other text has removed.
    public let removedLineCount: Int

    /// Nil if both have changed the same lines, or if the texts are too large to compare in time.
    ///
    /// - Parameters:
    ///   - base: The common base.
    ///   - own: The text whose order of lines is kept.
    ///   - other: The text whose changes are merged.
    public init?(base: Data, own: Data, other: Data) {
        var names = LineNames()
        let (base, own, other) = (names.name(base), names.name(own), names.name(other))
        guard let ownMatch = Self.matches(base, own), let otherMatch = Self.matches(base, other)
        else { return nil }

        var lines: [Int] = []
        var incoming: [Range<Int>] = []
        var removed = 0
        var (b, o, t) = (0, 0, 0)
        while b < base.count || o < own.count || t < other.count {
            if b < base.count, ownMatch[b] == o, otherMatch[b] == t {
                lines.append(base[b])
                (b, o, t) = (b + 1, o + 1, t + 1)
                continue
            }
            // Up to the next line that all three share.
            var next = b
            while next < base.count, ownMatch[next] == nil || otherMatch[next] == nil { next += 1 }
            let ownEnd = next < base.count ? ownMatch[next] ?? own.count : own.count
            let otherEnd = next < base.count ? otherMatch[next] ?? other.count : other.count
            guard ownEnd >= o, otherEnd >= t else { return nil }
            let (was, ours, theirs) = (base[b..<next], own[o..<ownEnd], other[t..<otherEnd])
            if ours.elementsEqual(was), !theirs.elementsEqual(was) {
                if !theirs.isEmpty { incoming.append(lines.count..<(lines.count + theirs.count)) }
                removed += was.count
                lines += theirs
            } else if theirs.elementsEqual(was) || ours.elementsEqual(theirs) {
                lines += ours
            } else {
                return nil
            }
            (b, o, t) = (next, ownEnd, otherEnd)
        }
        text = names.text(of: lines)
        self.incoming = incoming
        removedLineCount = removed
    }

    /// With more pairs of lines than this, comparing the differing parts would take too long.
    private static let pairLimit = 4_000_000

    /// The position in the other text for each line of the base; nil if it is missing. Ascending.
    private static func matches(_ base: [Int], _ other: [Int]) -> [Int?]? {
        var matches = [Int?](repeating: nil, count: base.count)
        let start = zip(base, other).prefix { $0 == $1 }.count
        for index in 0..<start { matches[index] = index }
        let rest = min(base.count, other.count) - start
        let end = zip(base.reversed(), other.reversed()).prefix(rest).prefix { $0 == $1 }.count
        for index in 0..<end { matches[base.count - 1 - index] = other.count - 1 - index }

        let (middle, otherMiddle) = (
            base[start..<(base.count - end)], other[start..<(other.count - end)]
        )
        guard middle.count * otherMiddle.count <= pairLimit else { return nil }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in Array(otherMiddle).difference(from: Array(middle)) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var place = 0
        for index in 0..<middle.count where !removed.contains(index) {
            while inserted.contains(place) { place += 1 }
            matches[start + index] = start + place
            place += 1
        }
        return matches
    }
}

/// Numbers for lines: each line is compared once, not at each step.
private struct LineNames {
    private var numbers: [Data: Int] = [:]
    private var lines: [Data] = []

    /// The numbers of a text's lines in order, each including its line feed.
    mutating func name(_ text: Data) -> [Int] {
        var names: [Int] = []
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            let line = Data(rest[..<end])
            rest = rest[end...]
            if let number = numbers[line] {
                names.append(number)
            } else {
                numbers[line] = lines.count
                names.append(lines.count)
                lines.append(line)
            }
        }
        return names
    }

    func text(of names: [Int]) -> Data {
        names.reduce(into: Data()) { $0.append(lines[$1]) }
    }
}
