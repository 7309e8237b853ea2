/// Decides when a frame is due, combining changes.
struct FrameClock {
    /// Whether something has changed since the last frame.
    private(set) var isDirty = false

    /// Whether a draw waits in the queue.
    var isScheduled = false

    /// Whether there is a terminal to draw on.
    var isOpen = false

    private var lastFrame: ContinuousClock.Instant?

    /// The minimum interval of frames that were not caused by a key.
    static let interval = Duration.milliseconds(10)

    /// The consequence of a change.
    enum Consequence {
        /// A draw must be queued.
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

    /// Notes that the terminal could not accept the frame: it is drawn later.
    mutating func noteBusy() { isDirty = true }

    mutating func begin(at now: ContinuousClock.Instant) {
        isDirty = false
        lastFrame = now
    }
}
