/// Which lines two texts have in common, in the order of both.
package struct LineMatching: Sendable {
    /// The position in the second text of each line of the first, ascending; nil if it is not there.
    package let positions: [Int?]
    /// Whether all lines were compared. If not, only equal lines at the start and at the end are matched.
    package let isComplete: Bool

    /// With more pairs of lines than this, comparing the differing parts would take too long.
    private static let pairLimit = 4_000_000

    package init<Line: Hashable>(_ first: [Line], _ second: [Line]) {
        var positions = [Int?](repeating: nil, count: first.count)
        let start = zip(first, second).prefix { $0 == $1 }.count
        for index in 0..<start { positions[index] = index }
        let rest = min(first.count, second.count) - start
        let end = zip(first.reversed(), second.reversed()).prefix(rest).prefix { $0 == $1 }.count
        for index in 0..<end { positions[first.count - 1 - index] = second.count - 1 - index }

        let middle = Array(first[start..<(first.count - end)])
        let otherMiddle = Array(second[start..<(second.count - end)])
        isComplete = middle.count * otherMiddle.count <= Self.pairLimit
        if isComplete {
            for (index, position) in Self.common(middle, otherMiddle) {
                positions[start + index] = start + position
            }
        }
        self.positions = positions
    }

    private static func common<Line: Hashable>(
        _ first: [Line], _ second: [Line]
    ) -> [(Int, Int)] {
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in second.difference(from: first) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let others = (0..<second.count).filter { !inserted.contains($0) }
        return Array(zip((0..<first.count).filter { !removed.contains($0) }, others))
    }
}
