/// Smooths the progress of an upload: an increase after a pause is spread over the length of that pause.
///
/// On a slow connection, the receiver's buffer takes some data at once and then none for a second or two,
/// while its program reads it. Smoothed, the progress is close to what was read. Frequent reports are not
/// smoothed. Times are offsets on any monotonic clock.
package struct SpreadProgress {
    private var start: (time: Duration, byteCount: Int64) = (.zero, 0)
    /// The last report, and when it is completely shown.
    private var goal: (time: Duration, byteCount: Int64) = (.zero, 0)
    private var lastIncrease: Duration?

    private static let leastGap = Duration.milliseconds(250)
    private static let longestGap = Duration.seconds(2)
    /// The time over which the first report is spread, unless another one follows soon.
    private static let firstGap = Duration.seconds(1)

    /// - Parameter byteCount: The initial count.
    package init(startingAt byteCount: Int64 = 0) {
        start.byteCount = byteCount
        goal.byteCount = byteCount
    }

    /// Adds a report. A smaller count restarts from there.
    package mutating func record(_ byteCount: Int64, at time: Duration) {
        guard byteCount != goal.byteCount else { return }
        guard byteCount > goal.byteCount else {
            (start, goal) = ((time, byteCount), (time, byteCount))
            return
        }
        let gap = lastIncrease.map { time - $0 } ?? Self.firstGap
        start = (time, shown(at: time))
        lastIncrease = time
        let spread = gap < Self.leastGap ? .zero : min(gap, Self.longestGap)
        goal = (time + spread, byteCount)
    }

    /// The bytes to show.
    package func shown(at time: Duration) -> Int64 {
        guard time < goal.time, goal.time > start.time else { return goal.byteCount }
        let fraction = max(.zero, time - start.time) / (goal.time - start.time)
        return start.byteCount + Int64(Double(goal.byteCount - start.byteCount) * fraction)
    }

    /// Whether the shown count will still grow without another report.
    package func isMoving(at time: Duration) -> Bool { time < goal.time }
}
