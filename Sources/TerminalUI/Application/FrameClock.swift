/// Decides when a frame is due: many changes, one frame.
struct FrameClock {
    /// Whether something has changed since the last frame.
    private(set) var isDirty = false

    /// Whether a draw waits in the queue.
    var isScheduled = false

    /// Whether there is a terminal to draw on.
    var isOpen = false

    private var lastFrame: ContinuousClock.Instant?

    /// Frames that no key asked for are at least this far apart.
    static let interval = Duration.milliseconds(10)

    /// What follows from a change.
    enum Consequence {
        /// A draw has to be put into the queue.
        case schedule
        case nothing
    }

    mutating func noteChange() -> Consequence {
        isDirty = true
        guard isOpen, !isScheduled else { return .nothing }
        isScheduled = true
        return .schedule
    }

    /// How long the next frame has to wait; nil when it is due.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let lastFrame else { return nil }
        let elapsed = lastFrame.duration(to: now)
        return elapsed < Self.interval ? Self.interval - elapsed : nil
    }

    /// Notes that the terminal could not take the frame: it comes when it can.
    mutating func noteBusy() { isDirty = true }

    mutating func begin(at now: ContinuousClock.Instant) {
        isDirty = false
        lastFrame = now
    }
}
