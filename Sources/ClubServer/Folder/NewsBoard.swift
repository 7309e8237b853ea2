import Synchronization

/// Those who wait for something to happen in a folder.
final class NewsBoard: Sendable {
    private let state = Mutex(State())

    private struct State {
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
    }

    private struct Waiter {
        let cursor: ListingCursor
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Returns when something is told that a cursor's listing shows, or the task is cancelled.
    ///
    /// The caller is the one who tells, or has its turn: nothing is told between its look at the
    /// index and this call.
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

    /// Wakes those whom one of the changed keys concerns.
    func tell(_ keys: Set<String>) {
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
