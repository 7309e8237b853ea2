/// The delay between two polls: a few seconds while there are changes, a minute after a long time
/// without.
struct PollingInterval: Hashable, Sendable {
    private(set) var current: Duration
    /// The last poll, if it found changes.
    private var find: Find?
    private let shortest: Duration

    private struct Find: Hashable {
        var cursor: Cursor
        var time: ContinuousClock.Instant
        /// How many polls in a row have found something.
        var count: Int
    }
    private let longest: Duration

    init(from shortest: Duration, upTo longest: Duration) {
        current = shortest
        self.shortest = shortest
        self.longest = longest
    }

    mutating func foundNothing() {
        current = min(current * 1.25, longest)
        find = nil
    }

    mutating func foundSomething(
        after cursor: Cursor, at time: ContinuousClock.Instant = .now
    ) {
        current = shortest
        find = Find(cursor: cursor, time: time, count: (find?.count ?? 0) + 1)
    }

    /// How long to wait before the first poll of a caller.
    ///
    /// None, since there may be changes since its cursor was issued; but what the last poll found has just been
    /// listed. Two listings for each find: at a server whose every listing differs from the last one, they come no
    /// faster than one in an interval.
    func delay(after cursor: Cursor, at time: ContinuousClock.Instant = .now) -> Duration {
        // Who asks about the same cursor again has not listed the changes.
        guard let find, find.cursor != cursor else { return .zero }
        return max(.zero, shortest * min(find.count, 2) - find.time.duration(to: time))
    }
}
