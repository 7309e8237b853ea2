import Dispatch

/// How often a status is worth writing: ten times a second.
struct ProgressInterval {
    private var last: DispatchTime?

    enum Turn {
        case due
        case tooSoon
    }

    /// Takes the next turn, if it is time again.
    mutating func take() -> Turn {
        let now = DispatchTime.now()
        if let last, now.uptimeNanoseconds - last.uptimeNanoseconds < 100_000_000 {
            return .tooSoon
        }
        last = now
        return .due
    }
}
