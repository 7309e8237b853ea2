import Dispatch
import Synchronization

/// Sleeps without a thread, and without `Task.sleep`.
///
/// Swift's own sleep uses Dispatch's global queues directly, whatever the program's executor; once
/// such a queue has been used, libdispatch on Linux wakes the process every second from then on. A
/// timer source on a serial queue does not.
package enum Pause {
    private static let queue = DispatchQueue(label: "byteclub.pauses")

    /// Returns after the duration, or immediately when the task is cancelled.
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

    /// One wait, resumed once: by the timer or by cancellation.
    private final class Wait: Sendable {
        private struct State {
            var isOver = false
            var continuation: CheckedContinuation<Void, Never>?
            /// Dispatch sources are thread-safe; they are just not declared `Sendable`.
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
