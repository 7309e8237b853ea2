import CurlNetworking
import Dispatch
import Synchronization

/// Suspends and resumes a session's task to enforce its ``RateLimiter``.
///
/// A suspended task causes no traffic, its timeout does not run, and no thread waits.
final class TransferThrottle: Sendable {
    private struct State {
        var pace = RateLimiter(bytesPerSecond: nil)
        var task: URLSessionTask?
        var isResting = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.pace")

    /// Shorter delays are not worth a wake-up: they add up and are applied later.
    private static let shortestRest = Duration.milliseconds(5)

    var bytesPerSecond: Int64? {
        get { state.withLock { $0.pace.bytesPerSecond } }
        set { state.withLock { $0.pace.bytesPerSecond = newValue } }
    }

    /// Throttles this task from now on.
    func take(_ task: URLSessionTask) {
        state.withLock {
            $0.task = task
            $0.isResting = false
        }
    }

    func didMove(_ byteCount: Int64) {
        let now = DispatchTime.now().uptimeNanoseconds
        let resting: (task: URLSessionTask, rest: Duration)? = state.withLock { state in
            let rest = state.pace.rest(after: byteCount, now: .nanoseconds(now))
            guard rest >= Self.shortestRest, !state.isResting, let task = state.task else {
                return nil
            }
            state.isResting = true
            return (task, rest)
        }
        guard let (task, rest) = resting else { return }
        task.suspend()
        let nanoseconds = rest / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { @Sendable [self] in
            goOn(task)
        }
    }
}

extension TransferThrottle {
    private func goOn(_ task: URLSessionTask) {
        state.withLock { state in
            if state.task === task { state.isResting = false }
        }
        task.resume()
    }
}
