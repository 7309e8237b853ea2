import CByteClubLinux
import Glibc
import Synchronization

/// Resumes tasks when sockets are ready and when timers fire: one thread, which sleeps in the
/// kernel in between.
///
/// Each wait is armed once, and the kernel's table is the only one: with a table of its own beside it, a
/// connection closed in between could leave an entry behind, and the next one with that number would wait forever.
final class EventLoop: Sendable {
    private let epoll: Descriptor
    /// Written to when the thread must check its timers again.
    private let alarm: Descriptor
    private let state = Mutex(State())

    private struct State {
        var waits: [Int32: Wait] = [:]
        var handlers: [Int32: @Sendable () -> Void] = [:]
        /// In descending order, so that the next one due is last.
        var timers: [Timer] = []
        var lastNumber: UInt64 = 0
        var isStopped = false

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private struct Wait {
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Timer {
        let number: UInt64
        let deadline: ContinuousClock.Instant
        let action: @Sendable () -> Void
    }

    init() throws(SystemError) {
        epoll = try .opened("epoll", byteclub_epoll_create())
        alarm = try .opened("eventfd", byteclub_eventfd())
        let code = byteclub_epoll_watch(epoll.number, alarm.number)
        if code != 0 { throw SystemError("epoll", code: code) }
    }

    /// - Throws: ``SystemError`` when the system has no thread left.
    func start() throws(SystemError) {
        guard ServerThread.start("club events", { self.loop() }) == .started else {
            throw SystemError("thread", code: EAGAIN)
        }
    }

    /// Ends every wait and the thread.
    func stop() {
        let waits = state.withLock { state in
            state.isStopped = true
            state.handlers = [:]
            defer { state.waits = [:] }
            return state.waits.values.map(\.continuation)
        }
        for wait in waits { wait.resume(throwing: CancellationError()) }
        byteclub_eventfd_ring(alarm.number)
    }

    // MARK: - Readiness

    /// Returns when a descriptor is readable (or its peer has closed), or writable.
    ///
    /// It may return early; the caller tries and waits again. One wait per descriptor at a time.
    ///
    /// - Parameter isEnded: Called before the wait begins; ``interrupt(_:)`` ends one that has
    ///   begun.
    func wait(
        for descriptor: Int32, toWrite: Bool, unless isEnded: () -> Bool = { false }
    ) async throws {
        let number = state.withLock { $0.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal = state.withLock { state -> Result<Void, any Error>? in
                    if state.isStopped || Task.isCancelled { return .failure(CancellationError()) }
                    if isEnded() { return .success(()) }
                    precondition(
                        state.waits[descriptor] == nil, "two tasks wait for one descriptor")
                    state.waits[descriptor] = Wait(number: number, continuation: continuation)
                    return nil
                }
                if let refusal {
                    continuation.resume(with: refusal)
                    return
                }
                let events = toWrite ? byteclub_writable : byteclub_readable
                let code = byteclub_epoll_arm(epoll.number, descriptor, events)
                if code != 0 {
                    end(descriptor, number, .failure(SystemError("epoll", code: code)))
                }
            }
        } onCancel: {
            end(descriptor, number, .failure(CancellationError()))
        }
    }

    /// Lets tasks that wait for a descriptor check their state again.
    func interrupt(_ descriptor: Int32) {
        state.withLock { $0.waits.removeValue(forKey: descriptor) }?.continuation.resume()
    }

    /// Calls `handler` on the loop's thread whenever a descriptor is readable, from now on.
    func watch(
        _ descriptor: Int32, _ handler: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        state.withLock { $0.handlers[descriptor] = handler }
        let code = byteclub_epoll_watch(epoll.number, descriptor)
        if code != 0 { throw SystemError("epoll", code: code) }
    }

    private func end(_ descriptor: Int32, _ number: UInt64, _ result: Result<Void, any Error>) {
        let wait = state.withLock { state in
            state.waits[descriptor]?.number == number
                ? state.waits.removeValue(forKey: descriptor) : nil
        }
        wait?.continuation.resume(with: result)
    }

    // MARK: - Time

    /// Calls `action` on the loop's thread after a delay, unless the loop is stopped before.
    @discardableResult
    func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let deadline = ContinuousClock.now + delay
        let (number, isNext) = state.withLock { state in
            let timer = Timer(number: state.nextNumber(), deadline: deadline, action: action)
            let place = state.timers.firstIndex { $0.deadline <= deadline } ?? state.timers.count
            state.timers.insert(timer, at: place)
            return (timer.number, place == state.timers.count - 1)
        }
        if isNext { byteclub_eventfd_ring(alarm.number) }
        return number
    }

    /// Removes a timer that has not fired.
    func cancel(_ number: UInt64) {
        // The thread may wake up once unnecessarily, which is cheaper than waking it now.
        state.withLock { state in state.timers.removeAll { $0.number == number } }
    }

    /// Returns after the duration, or throws when the task is cancelled.
    func sleep(for duration: Duration) async throws {
        let nap = Nap()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard nap.begin(continuation) == .asleep else { return }
                nap.timer.withLock { $0 = after(duration) { nap.end(.success(())) } }
            }
        } onCancel: {
            nap.end(.failure(CancellationError()))
            if let timer = nap.timer.withLock({ $0 }) { cancel(timer) }
        }
    }

    /// One call of ``sleep(for:)``, resumed once: by its timer or by cancellation.
    private final class Nap: Sendable {
        private enum State {
            case new
            case asleep(CheckedContinuation<Void, any Error>)
            case over
        }

        private let state = Mutex(State.new)
        let timer = Mutex<UInt64?>(nil)

        enum Beginning {
            case asleep
            /// It was cancelled before.
            case cancelled
        }

        func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Beginning {
            let isNew = state.withLock { state in
                guard case .new = state else { return false }
                state = .asleep(continuation)
                return true
            }
            guard isNew else {
                continuation.resume(throwing: CancellationError())
                return .cancelled
            }
            return .asleep
        }

        func end(_ result: Result<Void, any Error>) {
            let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                defer { state = .over }
                if case .asleep(let continuation) = state { return continuation }
                return nil
            }
            continuation?.resume(with: result)
        }
    }

    // MARK: - The thread

    private func loop() {
        let capacity: Int32 = 64
        let ready = UnsafeMutablePointer<Int32>.allocate(capacity: Int(capacity))
        defer { ready.deallocate() }
        while !state.withLock({ $0.isStopped }) {
            let count = byteclub_epoll_collect(
                epoll.number, ready, capacity, millisecondsToNextTimer())
            for index in 0..<Int(max(0, count)) { handleEvent(of: ready[index]) }
            fireTimers()
        }
    }

    private func handleEvent(of descriptor: Int32) {
        if descriptor == alarm.number {
            byteclub_eventfd_hush(alarm.number)
            return
        }
        let (wait, handler) = state.withLock { state in
            (state.waits.removeValue(forKey: descriptor), state.handlers[descriptor])
        }
        wait?.continuation.resume()
        handler?()
    }

    /// -1 without a timer.
    private func millisecondsToNextTimer() -> Int32 {
        guard let next = state.withLock({ $0.timers.last?.deadline }) else { return -1 }
        let rest = (next - .now).components
        let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: max(0, milliseconds))
    }

    private func fireTimers() {
        let now = ContinuousClock.now
        let due = state.withLock { state in
            let count = state.timers.reversed().prefix { $0.deadline <= now }.count
            defer { state.timers.removeLast(count) }
            return Array(state.timers.suffix(count).reversed())
        }
        for timer in due { timer.action() }
    }
}
