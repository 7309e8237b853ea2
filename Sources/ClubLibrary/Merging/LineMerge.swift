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
        let (ownMatching, otherMatching) = (LineMatching(base, own), LineMatching(base, other))
        guard ownMatching.isComplete, otherMatching.isComplete else { return nil }
        let (ownMatch, otherMatch) = (ownMatching.positions, otherMatching.positions)

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
