/// Cells known along one long line that does not wrap, so that nobody counts from its beginning.
///
/// Stops lie some kilobytes apart and are found on the way; an edit forgets those behind it.
struct ColumnStops: Sendable {
    struct Stop: Sendable {
        /// Bytes from the line's start.
        var offset: Int
        var column: Int
    }

    /// Where to begin counting.
    enum Goal {
        case offset(Int)
        case column(Int)
    }

    private static let distance = 4096

    private(set) var start: Int
    private var stops = [Stop(offset: 0, column: 0)]

    init(start: Int) {
        self.start = start
    }

    /// The last stop that is surely not behind what is looked for.
    func stop(before goal: Goal) -> Stop {
        let index =
            switch goal {
            case .offset(let offset): stops.lastIndex { $0.offset <= offset - start }
            // A wide character may begin before its column.
            case .column(let column): stops.lastIndex { $0.column <= column }
            }
        return stops[index ?? 0]
    }

    /// Remembers a cluster boundary met on the way.
    mutating func note(_ offset: Int, column: Int) {
        if offset - start >= stops[stops.count - 1].offset + Self.distance {
            stops.append(Stop(offset: offset - start, column: column))
        }
    }

    /// Follows an edit; lost when the line is not the same any more.
    mutating func follow(replacing range: Range<Int>, withCount count: Int) -> EditSurvival {
        if range.upperBound < start {
            start += count - range.count
            return .kept
        }
        guard range.lowerBound >= start else { return .lost }
        // What is inserted may join the cluster before it.
        let safe = range.lowerBound - start - GraphemeBreaker.longestCluster
        while stops.count > 1, stops[stops.count - 1].offset > safe { stops.removeLast() }
        return .kept
    }
}
