/// Keeps a transfer to so many bytes a second, on average, by telling how long to rest.
///
/// A value that is given the time. Resting a little often or longer now and then comes to
/// the same: what was missed is not caught up by a burst of more than a second's worth.
struct RateLimiter: Hashable, Sendable {
    /// Nil for as fast as it goes.
    var bytesPerSecond: Int64?

    /// When everything moved so far should have been moved, at the pace.
    private var due: Duration?

    init(bytesPerSecond: Int64?) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// Counts bytes that have just moved.
    ///
    /// - Parameter now: Since any fixed moment.
    /// - Returns: How long to rest before moving more; zero when in time.
    mutating func rest(after byteCount: Int64, now: Duration) -> Duration {
        guard let bytesPerSecond, bytesPerSecond > 0 else {
            due = nil
            return .zero
        }
        let start = max(due ?? now, now - .seconds(1))
        let due = start + .seconds(1) * (Double(byteCount) / Double(bytesPerSecond))
        self.due = due
        return max(.zero, due - now)
    }
}
