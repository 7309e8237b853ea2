import CurlNetworking
import Foundation
import Synchronization

/// Writes down every call of every task, in words, and lets a test do something in each.
final class OrderDelegate: URLSessionDataDelegate, URLSessionDownloadDelegate {
    private struct Record {
        /// Calls of the same kind in a row are written once.
        var calls: [String] = []
        var byTask: [Int: [String]] = [:]
        var metrics: [URLSessionTaskMetrics] = []
        var wrongStates = 0
    }

    private let record = Mutex(Record())
    private let during: @Sendable (String, URLSessionTask) -> Void
    private let answer:
        @Sendable (@escaping @Sendable (URLSession.ResponseDisposition) -> Void)
            -> Void
    let completed = Signal()

    /// - Parameters:
    ///   - during: Called within each call, with its name.
    ///   - answer: Gets what `didReceive response` has to be answered by.
    init(
        during: @escaping @Sendable (String, URLSessionTask) -> Void = { _, _ in },
        answer:
            @escaping @Sendable (@escaping @Sendable (URLSession.ResponseDisposition) -> Void)
            -> Void = { $0(.allow) }
    ) {
        self.during = during
        self.answer = answer
    }

    var calls: [String] { record.withLock { $0.calls } }
    var callsByTask: [Int: [String]] { record.withLock { $0.byTask } }
    var metrics: [URLSessionTaskMetrics] { record.withLock { $0.metrics } }
    /// Of calls that came when the task could not be in their state.
    var wrongStates: Int { record.withLock { $0.wrongStates } }

    private func note(_ call: String, _ task: URLSessionTask) {
        record.withLock { record in
            if record.calls.last != call { record.calls.append(call) }
            record.byTask[task.taskIdentifier, default: []].append(call)
            if (call == "completed") != (task.state == .completed) { record.wrongStates += 1 }
        }
        during(call, task)
    }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        record.withLock { record in
            record.calls.append("created")
            record.byTask[task.taskIdentifier, default: []].append("created")
        }
        during("created", task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?)
            -> Void
    ) {
        note("challenge", task)
        completionHandler(
            .useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note("stream", task)
        completionHandler(InputStream(data: makeBytes(5000)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        note("sent", task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect", task)
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response", dataTask)
        answer(completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data", dataTask)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        note("willCache", dataTask)
        completionHandler(proposedResponse)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note("wrote", downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note("file", downloadTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        note("metrics", task)
        record.withLock { $0.metrics.append(metrics) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        note("completed", task)
        completed.add()
    }
}
