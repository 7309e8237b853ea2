/// How far an upload is, without jumps: an increase that comes after a silence is spread over as long as the
/// silence was.
///
/// On a slow line the other machine takes what fits into its receive buffer at once, then nothing for a second
/// or two, and its program reads it meanwhile. Spread, the progress is close to what that has read. Where
/// reports come in quick succession nothing is spread. Times are offsets on any monotonic clock.
package struct SpreadProgress {
    private var start: (time: Duration, byteCount: Int64) = (.zero, 0)
    /// What was reported last, and when all of it is shown.
    private var goal: (time: Duration, byteCount: Int64) = (.zero, 0)
    private var lastIncrease: Duration?

    private static let leastGap = Duration.milliseconds(250)
    private static let longestGap = Duration.seconds(2)
    /// What the first report is spread over, unless another one follows soon.
    private static let firstGap = Duration.seconds(1)

    /// - Parameter byteCount: What was there before.
    package init(startingAt byteCount: Int64 = 0) {
        start.byteCount = byteCount
        goal.byteCount = byteCount
    }

    /// Takes a report. A count below the last one begins again there.
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

    /// Whether more will be shown later without another report.
    package func isMoving(at time: Duration) -> Bool { time < goal.time }
}
