import Glibc
import Synchronization

/// What is known of a connection outside of the task that serves it: enough to end it when it
/// dawdles, or when there are too many.
final class ConnectionActivity: Sendable {
    enum Phase: Sendable {
        case betweenRequests
        case readingHead
        case answering
    }

    private struct State {
        /// nil once the descriptor is closed: its number may belong to another connection by then.
        var descriptor: Int32?
        var phase = Phase.betweenRequests
        var phaseNumber = 0
    }

    private let loop: EventLoop
    private let state: Mutex<State>
    private let lastProgress = Atomic<Int>(ConnectionActivity.now)

    /// How long a client may take over a request's head.
    static let headTimeout = Duration.seconds(30)

    init(descriptor: Int32, loop: EventLoop) {
        self.loop = loop
        state = Mutex(State(descriptor: descriptor))
    }

    /// Nanoseconds on a clock that never jumps; fine enough that of many connections made in one
    /// second the newest is not taken for the one longest at rest.
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// When bytes last moved, by ``now``.
    var restingSince: Int { lastProgress.load(ordering: .relaxed) }

    /// Seconds since bytes last moved.
    var secondsAtRest: Int { (Self.now - restingSince) / 1_000_000_000 }

    /// Whether ending it would interrupt nothing.
    var isIdle: Bool { state.withLock { $0.phase != .answering } }

    func noteProgress() { lastProgress.store(Self.now, ordering: .relaxed) }

    func enter(_ phase: Phase) {
        let number: Int? = state.withLock { state in
            guard state.phase != phase else { return nil }
            state.phase = phase
            state.phaseNumber += 1
            return phase == .readingHead ? state.phaseNumber : nil
        }
        // A timer only for heads that do not come in one piece, which hardly any does.
        guard let number else { return }
        loop.after(Self.headTimeout) { [weak self] in self?.abort(ifStillIn: number) }
    }

    /// Ends the connection; its task finds it closed.
    func abort() { abort(ifStillIn: nil) }

    private func abort(ifStillIn number: Int?) {
        state.withLock { state in
            guard let descriptor = state.descriptor, number == nil || number == state.phaseNumber
            else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Called just before the descriptor is closed.
    func forgetDescriptor() { state.withLock { $0.descriptor = nil } }
}

/// The connections that are open, so that there are never too many.
final class ConnectionRegistry: Sendable {
    private let open = Mutex<[ObjectIdentifier: ConnectionActivity]>([:])
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { open.withLock { $0.count } }

    func add(_ activity: ConnectionActivity) {
        open.withLock { $0[ObjectIdentifier(activity)] = activity }
    }

    func remove(_ activity: ConnectionActivity) {
        _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(activity)) }
    }

    /// Ends the idle connection that has been at rest longest, or one that has not moved for a
    /// minute whatever it is at.
    ///
    /// - Returns: false when all are at work.
    func makeRoom() -> Bool {
        let all = open.withLock { Array($0.values) }.sorted { $0.restingSince < $1.restingSince }
        guard let victim = all.first(where: \.isIdle) ?? all.first(where: { $0.secondsAtRest > 60 })
        else { return false }
        victim.abort()
        return true
    }
}
