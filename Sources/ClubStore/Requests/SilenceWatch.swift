import CurlNetworking
import Dispatch
import Synchronization

/// Tells the observer of a ``RetryNotice`` while a server takes a request and says nothing.
///
/// A request that is lost looks like a slow one until its time limit, a minute later: the caller
/// should hear earlier that nothing arrives.
final class SilenceWatch: Sendable {
    private let task: URLSessionTask
    private let limit: Duration
    private let interval: Duration
    private let observer: @Sendable (RetryNotice) -> Void
    private let state: Mutex<State>

    private struct State {
        var isEnded = false
        var byteCount: Int64 = 0
        var silence: Duration = .zero
    }

    private static let queue = DispatchQueue(label: "byteclub.silence")

    /// Starts watching; nil if nobody observes this task.
    ///
    /// - Parameters:
    ///   - limit: How long the request may be silent before it fails.
    ///   - interval: How often to tell.
    init?(_ task: URLSessionTask, limit: Duration, every interval: Duration) {
        guard let observer = RetryNotice.observer, interval < limit else { return nil }
        (self.task, self.limit, self.interval, self.observer) = (task, limit, interval, observer)
        state = Mutex(State())
        look(after: interval)
    }

    func end() { state.withLock { $0.isEnded = true } }

    private func look(after interval: Duration) {
        let nanoseconds = Int(interval / .nanoseconds(1))
        // Held weakly: most requests have ended long before.
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        let byteCount = task.countOfBytesSent + task.countOfBytesReceived
        let left: Duration? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.silence = byteCount == state.byteCount ? state.silence + interval : .zero
            state.byteCount = byteCount
            return limit - state.silence
        }
        guard let left, left > .zero else { return }
        if left < limit { observer(RetryNotice(reason: .silent, wait: left)) }
        look(after: interval)
    }
}
