import Dispatch

/// Limits a status to ten updates per second.
struct ProgressInterval {
    private var last: DispatchTime?

    enum Turn {
        case due
        case tooSoon
    }

    /// Takes a turn if the interval has passed.
    mutating func take() -> Turn {
        let now = DispatchTime.now()
        if let last, now.uptimeNanoseconds - last.uptimeNanoseconds < 100_000_000 {
            return .tooSoon
        }
        last = now
        return .due
    }
}
