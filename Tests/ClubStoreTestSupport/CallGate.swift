import ClubStore
import Synchronization

/// Records, fails and holds the calls of an ``InMemoryStore``.
final class CallGate: Sendable {
    private struct State {
        var calls: [InMemoryStore.Call] = []
        var failures: [StoreError.Operation: [Failure]] = [:]
        var isUnreachable = false
        var held: Set<StoreError.Operation> = []
        /// Those of the calls being held.
        var observers: [@Sendable (RetryNotice) -> Void] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private typealias Failure = (code: StoreError.Code, wasAccepted: Bool)

    private struct Waiter {
        /// Whether it waits for calls, and not for what ends them.
        var countsCalls: Bool
        /// Whether to stop waiting, evaluated after each event.
        var isReady: @Sendable () -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state = Mutex(State())

    var calls: [InMemoryStore.Call] { state.withLock { $0.calls } }

    func failNext(
        _ operation: StoreError.Operation, with code: StoreError.Code, wasAccepted: Bool = false
    ) {
        state.withLock { $0.failures[operation, default: []].append((code, wasAccepted)) }
    }

    /// Whether every call fails as offline; what is asked to fail otherwise does so later.
    var isUnreachable: Bool {
        get { state.withLock { $0.isUnreachable } }
        set { state.withLock { $0.isUnreachable = newValue } }
    }

    func hold(_ operation: StoreError.Operation) {
        state.withLock { _ = $0.held.insert(operation) }
    }

    func isHeld(_ operation: StoreError.Operation) -> Bool {
        state.withLock { $0.held.contains(operation) }
    }

    func release(_ operation: StoreError.Operation) {
        state.withLock { _ = $0.held.remove(operation) }
        wakeAll()
    }

    /// Tells the callers of what is held that the server is silent, as a request without an answer does.
    func reportSilence(of duration: Duration) {
        let observers = state.withLock { $0.observers }
        let notice = RetryNotice(reason: .silent(duration), wait: .seconds(60) - duration)
        for observer in observers { observer(notice) }
    }

    /// Records a call, holds it while its kind is held, and fails it on request.
    func pass(_ operation: StoreError.Operation, at path: RemotePath?) async throws(StoreError) {
        if let observer = RetryNotice.observer {
            state.withLock { if $0.held.contains(operation) { $0.observers.append(observer) } }
        }
        record(operation, at: path)
        try await waitUntilReleased(operation, at: path)
        try failIfAsked(operation, at: path)
    }

    /// Records a call and fails it on request, held or not.
    func admit(_ operation: StoreError.Operation, at path: RemotePath?) async throws(StoreError) {
        record(operation, at: path)
        try failIfAsked(operation, at: path)
    }

    func waitUntilReleased(
        _ operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) {
        _ = await wait(atMost: nil) { [self] in
            state.withLock { !$0.held.contains(operation) }
        }
        if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
    }

    /// Returns once there were so many calls of a kind, or when the task is cancelled.
    func waitForCalls(of operation: StoreError.Operation, count: Int) async {
        _ = await wait(atMost: nil, countsCalls: true) { [self] in
            state.withLock { $0.calls.count { $0.operation == operation } >= count }
        }
    }

    func waitForWakeUp(
        atMost longest: Duration, isReady: @escaping @Sendable () -> Bool
    ) async -> Bool {
        await wait(atMost: longest, isReady: isReady)
    }

    /// Resumes those whose condition is met.
    func wakeAll() {
        let waiters = state.withLock { $0.waiters }
        for (number, waiter) in waiters where waiter.isReady() { end(number, with: true) }
    }
}

extension CallGate {
    private func record(_ operation: StoreError.Operation, at path: RemotePath?) {
        let waiters = state.withLock { state in
            state.calls.append(InMemoryStore.Call(operation, path))
            return state.waiters.filter(\.value.countsCalls)
        }
        for (number, waiter) in waiters where waiter.isReady() { end(number, with: true) }
    }

    private func failIfAsked(
        _ operation: StoreError.Operation, at path: RemotePath?
    ) throws(StoreError) {
        let failure = state.withLock { state -> Failure? in
            if state.isUnreachable { return (code: .offline, wasAccepted: false) }
            guard state.failures[operation]?.isEmpty == false else { return nil }
            return state.failures[operation]?.removeFirst()
        }
        if let failure {
            var error = StoreError(failure.code, during: operation, at: path)
            error.wasAccepted = failure.wasAccepted
            throw error
        }
        if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
    }

    /// True once `isReady`; false on timeout or cancellation.
    private func wait(
        atMost longest: Duration?, countsCalls: Bool = false,
        isReady: @escaping @Sendable () -> Bool
    ) async -> Bool {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let clock = longest.map { longest in
            Task { [self] in
                try? await Task.sleep(for: longest)
                if !Task.isCancelled { end(number, with: false) }
            }
        }
        defer { clock?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.waiters[number] = Waiter(
                        countsCalls: countsCalls, isReady: isReady, continuation: continuation)
                }
                // Either may have happened before the continuation existed.
                if isReady() { end(number, with: true) }
                if Task.isCancelled { end(number, with: false) }
            }
        } onCancel: {
            end(number, with: false)
        }
    }

    private func end(_ number: Int, with isReady: Bool) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: isReady)
    }
}
