import FoundationEssentials

/// A timer that runs only between `start` and `stop`. Times and durations are nanoseconds of the monotonic
/// clock, which the caller passes in.
struct Countdown: Sendable {
    private let limit: UInt64?
    private var used: UInt64 = 0
    private var runningSince: UInt64?

    /// Creates a timer.
    ///
    /// - Parameter seconds: Zero, negative and infinite durations never expire.
    init(seconds: TimeInterval) {
        limit = seconds > 0 && seconds < 1e9 ? UInt64(seconds * 1e9) : nil
    }

    var isRunning: Bool { runningSince != nil }

    /// When it expires; nil while it is stopped.
    var deadline: UInt64? {
        guard let limit, let runningSince else { return nil }
        return runningSince + (limit > used ? limit - used : 0)
    }

    mutating func start(at now: UInt64) {
        if runningSince == nil { runningSince = now }
    }

    mutating func stop(at now: UInt64) {
        guard let since = runningSince else { return }
        used += now > since ? now - since : 0
        runningSince = nil
    }

    /// Resets it to its full duration.
    mutating func restart(at now: UInt64) {
        used = 0
        if runningSince != nil { runningSince = now }
    }
}
