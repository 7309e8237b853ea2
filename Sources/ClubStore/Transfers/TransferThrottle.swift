import CurlNetworking
import Dispatch
import Synchronization

/// Keeps a session's task to a rate: what is sent by the session itself, what is received by suspending and resuming
/// the task as its ``RateLimiter`` says.
///
/// A suspended task causes no traffic, its timeout does not run, and no thread waits.
final class TransferThrottle: Sendable {
    private struct State {
        var pace = RateLimiter(bytesPerSecond: nil)
        var task: URLSessionTask?
        var isDelayed = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.pace")

    /// Shorter delays are not worth a wake-up: they add up and are applied later.
    private static let minimumDelay = Duration.milliseconds(5)

    var bytesPerSecond: Int64? {
        get { state.withLock { $0.pace.bytesPerSecond } }
        set {
            let task = state.withLock { state in
                state.pace.bytesPerSecond = newValue
                return state.task
            }
            if let upload = task as? URLSessionUploadTask { upload.maximumSendingRate = newValue }
        }
    }

    /// Throttles this task from now on.
    func take(_ task: URLSessionTask) {
        let rate = state.withLock { state in
            state.task = task
            state.isDelayed = false
            return state.pace.bytesPerSecond
        }
        if let upload = task as? URLSessionUploadTask { upload.maximumSendingRate = rate }
    }

    /// Counts bytes that were received.
    func didReceive(_ byteCount: Int64) {
        let now = DispatchTime.now().uptimeNanoseconds
        let delayed: (task: URLSessionTask, delay: Duration)? = state.withLock { state in
            let delay = state.pace.delay(after: byteCount, now: .nanoseconds(now))
            guard delay >= Self.minimumDelay, !state.isDelayed, let task = state.task else {
                return nil
            }
            state.isDelayed = true
            return (task, delay)
        }
        guard let (task, delay) = delayed else { return }
        task.suspend()
        let nanoseconds = delay / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { @Sendable [self] in
            resumeTask(task)
        }
    }
}

extension TransferThrottle {
    private func resumeTask(_ task: URLSessionTask) {
        state.withLock { state in
            if state.task === task { state.isDelayed = false }
        }
        task.resume()
    }
}
