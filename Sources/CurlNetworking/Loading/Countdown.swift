import FoundationEssentials

/// A timer that only runs between `start` and `stop`. Instants and spans are nanoseconds of the monotonic
/// clock; the value never looks at a clock itself.
struct Countdown: Sendable {
    private let limit: UInt64?
    private var used: UInt64 = 0
    private var runningSince: UInt64?

    /// - Parameter seconds: Zero, negative and infinite spans never run out.
    init(seconds: TimeInterval) {
        limit = seconds > 0 && seconds < 1e9 ? UInt64(seconds * 1e9) : nil
    }

    var isRunning: Bool { runningSince != nil }

    /// When it will have run out; nil while it does not run.
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

    /// Gives it its whole span again.
    mutating func restart(at now: UInt64) {
        used = 0
        if runningSince != nil { runningSince = now }
    }
}
