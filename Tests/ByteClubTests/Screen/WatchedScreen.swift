import TerminalUI

/// A terminal in memory that reports each frame, so that a test waits for what is to be seen and never
/// looks too early.
@MainActor final class WatchedScreen: Screen {
    let memory: TestScreen
    var didPresent: (() -> Void)?

    init(size: Size) { memory = TestScreen(size: size) }

    var size: Size { memory.size }
    var colorDepth: ColorDepth { memory.colorDepth }
    var inputDescriptor: Int32? { nil }
    var keySequences: [[UInt8]: KeyPress] { [:] }
    func open() throws(TerminalError) { try memory.open() }
    func close() { memory.close() }
    func updateSize() -> SizeChange { memory.updateSize() }
    func invalidate() { memory.invalidate() }
    func send(_ sequence: [UInt8]) { memory.send(sequence) }

    func present(_ surface: Surface, cursor: Point?) {
        memory.present(surface, cursor: cursor)
        didPresent?()
    }
}

/// A clock that stands still until it is told to go on, but for what comes at the end of a turn and for the
/// few milliseconds between two frames.
@MainActor final class TurnScheduler: Scheduler {
    private struct Timer {
        let id: Int
        let due: ContinuousClock.Instant
        let action: @MainActor () -> Void
    }

    private(set) var now = ContinuousClock.Instant.now
    private var timers: [Timer] = []
    private var lastID = 0

    private static let frame: Duration = .milliseconds(50)

    func schedule(
        after delay: Duration, repeats: Bool, _ action: @escaping @MainActor () -> Void
    ) -> ScheduledAction {
        lastID += 1
        let id = lastID
        timers.append(Timer(id: id, due: now + delay, action: action))
        if delay <= Self.frame, !repeats {
            afterTurn { [weak self] in
                guard let self else { return }
                now = max(now, now + delay)
                fire(id)
            }
        }
        return ScheduledAction { [weak self] in self?.timers.removeAll { $0.id == id } }
    }

    func afterTurn(_ action: @escaping @MainActor () -> Void) {
        Task { action() }
    }

    /// Lets time pass and makes the calls that fall due, in order.
    func advance(by duration: Duration) {
        let end = now + duration
        while let next = timers.filter({ $0.due <= end }).min(by: { $0.due < $1.due }) {
            now = max(now, next.due)
            fire(next.id)
        }
        now = end
    }

    private func fire(_ id: Int) {
        guard let timer = timers.first(where: { $0.id == id }) else { return }
        timers.removeAll { $0.id == id }
        timer.action()
    }
}
