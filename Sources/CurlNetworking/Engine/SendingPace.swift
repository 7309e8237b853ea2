/// Lets the bytes of a body out at a rate, in portions of a twentieth of a second. A value that is given the time.
///
/// What was not used is saved for a quarter of a second: nothing leaves in long bursts, however fast the line is.
struct SendingPace {
    /// When all that has left is due at the rate; nanoseconds of the clock that is handed in.
    private var due: UInt64 = 0
    /// When more may leave; nil while nothing waits for that.
    var resumption: UInt64?

    /// How many bytes may leave now; 0 when ``resumption`` has to be waited for.
    ///
    /// - Parameters:
    ///   - wanted: How many there would be room for.
    ///   - rate: In bytes per second.
    mutating func allowance(of wanted: Int, rate: Int64, at now: UInt64) -> Int {
        let rate = Double(max(1, rate))
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

    /// Counts bytes that have left.
    mutating func note(_ byteCount: Int, rate: Int64, at now: UInt64) {
        let rate = Double(max(1, rate))
        due = start(rate, at: now) + UInt64(Double(byteCount) / rate * 1e9)
    }

    /// From when on what was not used is saved; a byte's time at least.
    private func start(_ rate: Double, at now: UInt64) -> UInt64 {
        min(now, max(due, now - min(now, max(250_000_000, UInt64((1e9 / rate).rounded(.up))))))
    }
}
