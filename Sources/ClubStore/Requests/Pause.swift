import Dispatch
import Synchronization

/// Waiting without a thread, and without `Task.sleep`.
///
/// Swift's own sleep goes to Dispatch's global queues directly, whatever the program's executor, and
/// libdispatch on Linux, once such a queue has been used, wakes the program up every second for as long
/// as it lives. A timer source on a serial queue does not.
package enum Pause {
    private static let queue = DispatchQueue(label: "byteclub.pauses")

    /// Returns after a while, or at once when the task is cancelled.
    ///
    /// - Throws: `CancellationError` in the latter case.
    package static func sleep(for duration: Duration) async throws {
        let wait = Wait()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wait.begin($0, duration, on: queue) }
        } onCancel: {
            wait.end()
        }
        try Task.checkCancellation()
    }

    /// One wait: its end comes once, from the timer or from whoever cancels.
    private final class Wait: Sendable {
        private struct State {
            var isOver = false
            var continuation: CheckedContinuation<Void, Never>?
            /// Dispatch sources may be used from any thread; the library only does not say so.
            nonisolated(unsafe) var timer: (any DispatchSourceTimer)?
        }

        private let state = Mutex(State())

        func begin(
            _ continuation: CheckedContinuation<Void, Never>, _ duration: Duration,
            on queue: DispatchQueue
        ) {
            let isOver = state.withLock { state in
                guard !state.isOver else { return true }
                let timer = DispatchSource.makeTimerSource(queue: queue)
                let (seconds, attoseconds) = duration.components
                let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
                timer.schedule(
                    deadline: .now() + .nanoseconds(Int(min(max(0, nanoseconds), 1e18))),
                    leeway: .milliseconds(1))
                timer.setEventHandler { @Sendable [self] in end() }
                state.continuation = continuation
                state.timer = timer
                timer.activate()
                return false
            }
            if isOver { continuation.resume() }
        }

        func end() {
            let continuation = state.withLock { state in
                state.isOver = true
                state.timer?.cancel()
                state.timer = nil
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume()
        }
    }
}
