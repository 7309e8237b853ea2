/// Limits the average transfer rate by computing delays.
///
/// A value that is given the time. Many short delays and a few long ones have the same
/// effect: lost time is made up by a burst of at most one second's worth.
struct RateLimiter: Hashable, Sendable {
    /// Nil for unlimited.
    var bytesPerSecond: Int64?

    /// When all bytes so far are due at this rate.
    private var due: Duration?

    init(bytesPerSecond: Int64?) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// Counts bytes that have just moved.
    ///
    /// - Parameter now: Time since any fixed moment.
    /// - Returns: The delay before moving more; zero if none is needed.
    mutating func delay(after byteCount: Int64, now: Duration) -> Duration {
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
