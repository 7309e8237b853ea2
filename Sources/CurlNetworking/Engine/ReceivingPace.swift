/// Lets the bytes of an answer in at a rate. A value that is given the time.
///
/// What has come is counted, and more is read when that was due: what libcurl reads at once comes at once. What was not
/// used is saved for a quarter of a second.
struct ReceivingPace {
    /// When all that has come is due at the rate; nanoseconds of the clock that is handed in.
    private var due: UInt64 = 0
    /// When more may be read; nil while nothing waits for that.
    private(set) var resumption: UInt64?

    /// Counts bytes that have come.
    ///
    /// - Parameter rate: In bytes per second.
    mutating func note(_ byteCount: Int, rate: Int64, at now: UInt64) {
        let nanoseconds = min(Double(byteCount) / Double(max(1, rate)) * 1e9, 1e18)
        due = max(due, now - min(now, 250_000_000)) + UInt64(nanoseconds)
        resumption = due > now ? due : nil
    }

    /// More may be read.
    mutating func resume() { resumption = nil }

    /// The rate is another one: what has come by the old one counts no more.
    mutating func begin() { (due, resumption) = (0, nil) }

    /// How much is to be read at once, so that it comes about twenty times a second.
    static func portion(rate: Int64, atMost limit: Int) -> Int {
        Int(min(Int64(limit), max(1 << 10, rate / 20)))
    }
}
