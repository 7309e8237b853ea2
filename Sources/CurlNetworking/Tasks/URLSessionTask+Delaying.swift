public import FoundationEssentials
import Synchronization

/// What a delegate said about a task that may begin.
struct DelayedRequest: Sendable {
    var disposition = URLSession.DelayedRequestDisposition.continueLoading
    var request: URLRequest?
}

extension URLSessionTask {
    /// Before when nothing of the task moves, though it was resumed. nil: at once. To be set before
    /// `resume()`.
    ///
    /// In Apple's suite only background sessions heed it. The delegate is asked when the time has come,
    /// by `urlSession(_:task:willBeginDelayedRequest:completionHandler:)`.
    public var earliestBeginDate: Date? {
        get { status.withLock { $0.delivery.earliestBeginDate } }
        set { status.withLock { $0.delivery.earliestBeginDate = newValue } }
    }

    func notifyDelayed(_ request: URLRequest, _ reply: Reply<DelayedRequest>) {
        guard let listener else { return reply(DelayedRequest()) }
        listener.urlSession(session, task: self, willBeginDelayedRequest: request) {
            reply(DelayedRequest(disposition: $0, request: $1))
        }
    }

    func notifyResumed(at offset: Int64, expected: Int64) {
        status.withLock { $0.reports.written = offset }
        guard case .fileDelegate = receiver, let task = self as? URLSessionDownloadTask,
            let listener = listener as? any URLSessionDownloadDelegate
        else { return }
        listener.urlSession(
            session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    }

    /// What the task has become.
    var successor: URLSessionDownloadTask? { status.withLock { $0.succession.successor } }

    /// The task is over without a completion: another one takes its place.
    func notifyBecameDownload(_ successor: URLSessionDownloadTask) {
        status.withLock { $0.life.complete() }
        if let task = self as? URLSessionDataTask,
            let listener = listener as? any URLSessionDataDelegate
        {
            listener.urlSession(session, dataTask: task, didBecome: successor)
        }
        session.unregister(self)
        status.withLock { $0.delegate = nil }
        successor.status.withLock { $0.reports.isHeldBack = false }
        successor.post()
    }
}
