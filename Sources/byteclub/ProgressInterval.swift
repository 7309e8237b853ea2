import Dispatch

/// How often a status is worth writing: ten times a second.
struct ProgressInterval {
    private var last: DispatchTime?

    /// Whether it is time again; notes that it was used.
    mutating func isDue() -> Bool {
        let now = DispatchTime.now()
        if let last, now.uptimeNanoseconds - last.uptimeNanoseconds < 100_000_000 { return false }
        last = now
        return true
    }
}
