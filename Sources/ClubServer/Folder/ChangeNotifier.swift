import Synchronization

/// Notifies clients that wait for changes in a folder.
final class ChangeNotifier: Sendable {
    private let state = Mutex(State())

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
    }

    private struct Waiter {
        let cursor: ListingCursor
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Returns on the first change that a cursor's listing includes, or when the task is cancelled.
    ///
    /// The caller is the notifier, or holds its actor: no change is reported between its look at
    /// the index and this call.
    func wait(for cursor: ListingCursor) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiters[number] = Waiter(cursor: cursor, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    /// Notifies those that the changed keys concern.
    func notify(_ keys: Set<String>) {
        let woken = state.withLock { state in
            let concerned = state.waiters.filter { waiter in
                keys.contains { ClubIndex.covers(waiter.value.cursor, $0) }
            }
            for number in concerned.keys { state.waiters[number] = nil }
            return concerned.values.map(\.continuation)
        }
        for waiter in woken { waiter.resume() }
    }
}
