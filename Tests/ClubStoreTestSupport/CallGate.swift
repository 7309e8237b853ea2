import ClubStore
import Synchronization

/// Where an ``InMemoryStore``'s calls are counted, failed and kept waiting.
final class CallGate: Sendable {
    private struct State {
        var calls: [InMemoryStore.Call] = []
        var failures: [StoreError.Operation: [StoreError.Code]] = [:]
        var held: Set<StoreError.Operation> = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private struct Waiter {
        /// Whether it need not wait any longer, asked each time that something has happened.
        var isReady: @Sendable () -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state = Mutex(State())

    var calls: [InMemoryStore.Call] { state.withLock { $0.calls } }

    func failNext(_ operation: StoreError.Operation, with code: StoreError.Code) {
        state.withLock { $0.failures[operation, default: []].append(code) }
    }

    func hold(_ operation: StoreError.Operation) {
        state.withLock { _ = $0.held.insert(operation) }
    }

    func release(_ operation: StoreError.Operation) {
        state.withLock { _ = $0.held.remove(operation) }
        wakeAll()
    }

    /// Notes a call, keeps it while its kind is held, and fails it when that was asked for.
    func pass(_ operation: StoreError.Operation, at path: RemotePath?) async throws(StoreError) {
        state.withLock { $0.calls.append(InMemoryStore.Call(operation, path)) }
        try await waitUntilReleased(operation, at: path)
        try failIfAsked(operation, at: path)
    }

    /// Notes a call and fails it when that was asked for, held or not.
    func admit(_ operation: StoreError.Operation, at path: RemotePath?) async throws(StoreError) {
        state.withLock { $0.calls.append(InMemoryStore.Call(operation, path)) }
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

    func waitForWakeUp(
        atMost longest: Duration, isReady: @escaping @Sendable () -> Bool
    ) async -> Bool {
        await wait(atMost: longest, isReady: isReady)
    }

    /// Lets those go on who wait for nothing any more.
    func wakeAll() {
        let waiters = state.withLock { $0.waiters }
        for (number, waiter) in waiters where waiter.isReady() { end(number, with: true) }
    }
}

extension CallGate {
    private func failIfAsked(
        _ operation: StoreError.Operation, at path: RemotePath?
    ) throws(StoreError) {
        let code = state.withLock { state -> StoreError.Code? in
            guard state.failures[operation]?.isEmpty == false else { return nil }
            return state.failures[operation]?.removeFirst()
        }
        if let code { throw StoreError(code, during: operation, at: path) }
        if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
    }

    /// True once `isReady`; false when the time is up or the task cancelled.
    private func wait(
        atMost longest: Duration?, isReady: @escaping @Sendable () -> Bool
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
                    $0.waiters[number] = Waiter(isReady: isReady, continuation: continuation)
                }
                // Either may have come before there was anyone to wake.
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
