import Synchronization

/// A one-shot signal that any number of tasks can wait for.
final class StopSignal: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isSent = false
        var lastNumber = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    func send() {
        let waiters = state.withLock { state in
            state.isSent = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the signal was sent or the task is cancelled.
    func wait() async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isSent || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
