/// Limits the rate of a response body, as a value that the time is passed to.
///
/// Received bytes are counted, and reading continues when they were due: what libcurl reads at once arrives
/// at once. Up to a quarter of a second of unused rate accumulates.
struct ReceiveRateLimiter {
    /// When all received bytes are due at the rate; nanoseconds of the caller's clock.
    private var due: UInt64 = 0
    /// When more may be read; nil if reading is not paused.
    private(set) var resumption: UInt64?

    /// Counts received bytes.
    ///
    /// - Parameter rate: In bytes per second.
    mutating func note(_ byteCount: Int, rate: Int64, at now: UInt64) {
        let nanoseconds = min(Double(byteCount) / Double(max(1, rate)) * 1e9, 1e18)
        due = max(due, now - min(now, 250_000_000)) + UInt64(nanoseconds)
        resumption = due > now ? due : nil
    }

    /// Allows reading again.
    mutating func resume() { resumption = nil }

    /// Resets the limiter when the rate changes.
    mutating func begin() { (due, resumption) = (0, nil) }

    /// How many bytes to read at once, so that bytes arrive about twenty times a second.
    static func portion(rate: Int64, atMost limit: Int) -> Int {
        Int(min(Int64(limit), max(1 << 10, rate / 20)))
    }
}
