import FoundationEssentials
import Synchronization

/// A delegate's answer to a delayed request.
struct DelayedRequest: Sendable {
    var disposition = URLSession.DelayedRequestDisposition.continueLoading
    var request: URLRequest?
}

extension URLSessionTask {
    func notifyDelayed(_ request: URLRequest, _ reply: Reply<DelayedRequest>) {
        guard let listener else { return reply(DelayedRequest()) }
        listener.urlSession(session, task: self, willBeginDelayedRequest: request) {
            reply(DelayedRequest(disposition: $0, request: $1))
        }
    }

    func notifyResumed(at offset: Int64, expected: Int64) {
        status.withLock { $0.reports.written = offset }
        guard case .fileDelegate = receiver, let task = self as? URLSessionDownloadTask,
            let listener = downloadListener
        else { return }
        listener.urlSession(
            session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    }

    /// The download task that this task has become.
    var successor: URLSessionDownloadTask? { status.withLock { $0.succession.successor } }

    /// Reports that the task has become a download task. It does not complete.
    func notifyBecameDownload(_ successor: URLSessionDownloadTask) {
        status.withLock { $0.life.complete() }
        if let task = self as? URLSessionDataTask,
            let listener = dataListener
        {
            listener.urlSession(session, dataTask: task, didBecome: successor)
        }
        session.unregister(self)
        status.withLock { $0.delegate = nil }
        successor.status.withLock { $0.reports.isReportingSuspended = false }
        successor.post()
    }
}
