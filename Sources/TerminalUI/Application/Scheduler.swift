import Dispatch

/// The clock of the user interface.
@MainActor
public protocol Scheduler: AnyObject {
    /// The time by this clock: real for ``DispatchScheduler``, set by tests for
    /// ``ManualScheduler``.
    var now: ContinuousClock.Instant { get }

    /// Calls `action` once after a delay, or repeatedly.
    ///
    /// A repeating action wakes the program each time: use it only during animations.
    func schedule(
        after delay: Duration, repeats: Bool, _ action: @escaping @MainActor () -> Void
    ) -> ScheduledAction

    /// Calls `action` after everything that is queued now.
    func afterTurn(_ action: @escaping @MainActor () -> Void)
}

extension Scheduler {
    /// Calls `action` once after a delay.
    public func schedule(
        after delay: Duration, _ action: @escaping @MainActor () -> Void
    ) -> ScheduledAction {
        schedule(after: delay, repeats: false, action)
    }
}

/// A scheduled call that can be cancelled.
@MainActor
public final class ScheduledAction {
    private var cancellation: (@MainActor () -> Void)?

    /// - Parameter cancellation: Called by the first ``cancel()``; prevents the call.
    public init(cancellation: @escaping @MainActor () -> Void) {
        self.cancellation = cancellation
    }

    /// Cancels the call. Has no effect if it was made already.
    public func cancel() {
        cancellation?()
        cancellation = nil
    }
}

/// Timers on the main queue.
@MainActor
public final class DispatchScheduler: Scheduler {
    /// A clock that is always running; several may exist side by side.
    public init() {}

    public var now: ContinuousClock.Instant { .now }

    public func schedule(
        after delay: Duration, repeats: Bool, _ action: @escaping @MainActor () -> Void
    ) -> ScheduledAction {
        let timer = DispatchTimer(after: delay, repeats: repeats, action)
        return ScheduledAction { timer.cancel() }
    }

    public func afterTurn(_ action: @escaping @MainActor () -> Void) {
        DispatchQueue.main.async { action() }
    }
}

/// A timer source; retained until it is cancelled or has fired for the last time.
@MainActor
private final class DispatchTimer {
    private let source = DispatchSource.makeTimerSource(queue: .main)
    private let repeats: Bool
    private let action: @MainActor () -> Void

    init(after delay: Duration, repeats: Bool, _ action: @escaping @MainActor () -> Void) {
        self.repeats = repeats
        self.action = action
        let interval = DispatchTimeInterval.nanoseconds(Int(clamping: delay.nanoseconds))
        source.schedule(
            deadline: .now() + interval, repeating: repeats ? interval : .never,
            leeway: .milliseconds(1))
        source.setEventHandler { @Sendable in
            MainActor.assumeIsolated { self.fire() }
        }
        source.activate()
    }

    func cancel() { source.cancel() }

    private func fire() {
        guard !source.isCancelled else { return }
        if !repeats { source.cancel() }
        action()
    }
}

/// A manual clock, for tests without waiting.
@MainActor
public final class ManualScheduler: Scheduler {
    private struct Entry {
        let id: Int
        var due: ContinuousClock.Instant
        let interval: Duration?
        let action: @MainActor () -> Void
    }

    /// The time set by the last ``advance(by:)``.
    public private(set) var now = ContinuousClock.Instant.now
    private var entries: [Entry] = []
    private var turns: [@MainActor () -> Void] = []
    private var lastID = 0

    /// A clock that begins at the real time, with nothing scheduled.
    public init() {}

    /// Whether a timer is armed: at rest there is none.
    public var isArmed: Bool { !entries.isEmpty }

    public func schedule(
        after delay: Duration, repeats: Bool, _ action: @escaping @MainActor () -> Void
    ) -> ScheduledAction {
        lastID += 1
        let id = lastID
        entries.append(
            Entry(id: id, due: now + delay, interval: repeats ? delay : nil, action: action))
        return ScheduledAction { [weak self] in self?.entries.removeAll { $0.id == id } }
    }

    public func afterTurn(_ action: @escaping @MainActor () -> Void) {
        turns.append(action)
    }

    /// Runs the actions queued for the end of the turn, and those that they add.
    public func runTurns() {
        while !turns.isEmpty {
            let waiting = turns
            turns = []
            for action in waiting { action() }
        }
    }

    /// Advances the time and makes the calls that fall due, in order.
    public func advance(by duration: Duration) {
        let end = now + duration
        runTurns()
        while let next = entries.filter({ $0.due <= end }).min(by: { $0.due < $1.due }) {
            now = max(now, next.due)
            if let interval = next.interval,
                let index = entries.firstIndex(where: { $0.id == next.id })
            {
                entries[index].due = next.due + interval
            } else {
                entries.removeAll { $0.id == next.id }
            }
            next.action()
            runTurns()
        }
        now = end
    }
}

extension Duration {
    /// Whole nanoseconds, at most what fits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product + attoseconds / 1_000_000_000
    }
}
