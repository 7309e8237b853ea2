/// Limits the rate of a request body, in portions of a twentieth of a second, as a value that the time is
/// passed to.
///
/// At most a quarter of a second of unused rate accumulates, so that there are no long bursts. A body begins with
/// nothing saved: many short ones, one after the other, would exceed the rate otherwise.
struct SendRateLimiter {
    /// When all sent bytes are due at the rate; nanoseconds of the caller's clock. Nil before the first question.
    private var due: UInt64?
    /// When more may be sent; nil if sending is not paused.
    var resumption: UInt64?

    /// Returns how many bytes may be sent now; 0 until ``resumption``.
    ///
    /// - Parameters:
    ///   - wanted: How many bytes there is room for.
    ///   - rate: In bytes per second.
    mutating func allowance(of wanted: Int, rate: Int64, at now: UInt64) -> Int {
        let rate = Double(max(1, rate))
        if due == nil { due = now }
        let start = start(rate, at: now)
        let saved = Double(now - start) / 1e9 * rate
        let portion = min(Double(wanted), max(1, rate / 20))
        guard saved >= portion else {
            resumption = start + UInt64((portion / rate * 1e9).rounded(.up))
            return 0
        }
        resumption = nil
        return min(wanted, Int(saved))
    }

    /// Counts sent bytes.
    mutating func note(_ byteCount: Int, rate: Int64, at now: UInt64) {
        let rate = Double(max(1, rate))
        due = start(rate, at: now) + UInt64(Double(byteCount) / rate * 1e9)
    }

    /// The time from which unused rate accumulates; at least one byte's time ago.
    private func start(_ rate: Double, at now: UInt64) -> UInt64 {
        min(
            now,
            max(due ?? now, now - min(now, max(250_000_000, UInt64((1e9 / rate).rounded(.up))))))
    }
}
