import CurlNetworking
import Synchronization

/// Keeps a transfer to a rate, through all the tasks that it takes: the session sends and receives no faster.
final class TransferThrottle: Sendable {
    private struct State {
        var bytesPerSecond: Int64?
        var task: URLSessionTask?
    }

    private let state = Mutex(State())

    /// Nil for unlimited.
    var bytesPerSecond: Int64? {
        get { state.withLock { $0.bytesPerSecond } }
        set {
            let task = state.withLock { state in
                state.bytesPerSecond = newValue
                return state.task
            }
            if let task { Self.limit(task, to: newValue) }
        }
    }

    /// Throttles this task from now on.
    func take(_ task: URLSessionTask) {
        let rate = state.withLock { state in
            state.task = task
            return state.bytesPerSecond
        }
        Self.limit(task, to: rate)
    }

    private static func limit(_ task: URLSessionTask, to rate: Int64?) {
        if task is URLSessionUploadTask {
            task.maximumSendingRate = rate
        } else {
            task.maximumReceivingRate = rate
        }
    }
}
