import FoundationEssentials
import Synchronization

extension URLSessionTask {
    /// Reports the metrics to the delegate, just before the completion.
    func notifyMetrics() {
        guard let listener else { return }
        let metrics = status.withLock { status in
            defer { status.metrics.transactions = [] }
            return URLSessionTaskMetrics(
                transactionMetrics: status.metrics.transactions.map(
                    URLSessionTaskTransactionMetrics.init),
                taskInterval: DateInterval(
                    start: status.created, end: max(Date(), status.created)),
                redirectCount: status.metrics.followedRedirects)
        }
        listener.urlSession(session, task: self, didFinishCollecting: metrics)
    }
}

extension TaskResult {
    /// Adds resume data to the error, as Apple's implementation does.
    mutating func add(_ resumeData: Data, of task: URLSessionTask) {
        error = error?.with(resumeData: resumeData, of: task)
    }
}

extension URLError {
    func with(resumeData: Data?, of task: URLSessionTask) -> URLError {
        guard let resumeData else { return self }
        let isDownload = task is URLSessionDownloadTask
        return URLError(
            code, failingURL: failingURL, underlyingText: underlyingText,
            downloadTaskResumeData: isDownload ? resumeData : nil,
            uploadTaskResumeData: isDownload ? nil : resumeData)
    }
}
