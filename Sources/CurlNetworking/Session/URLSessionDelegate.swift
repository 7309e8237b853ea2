public import FoundationEssentials

/// Is told of a session's life. Every call of every delegate protocol comes on the session's
/// `delegateQueue`, one at a time and in order.
public protocol URLSessionDelegate: AnyObject, Sendable {
    /// The session has finished its last task after `finishTasksAndInvalidate()` or
    /// `invalidateAndCancel()` and lets go of its delegate. No call follows.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A server has to be trusted (`NSURLAuthenticationMethodServerTrust`) or wants to see a client
    /// certificate. Call `completionHandler` once; nothing of the request leaves until then.
    ///
    /// Asked once per connection, on behalf of whichever task opens it. A delegate without this method
    /// is asked by `urlSession(_:task:didReceive:completionHandler:)`.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// A background session has told all that was waiting for it: the ends of the tasks that were over
    /// before it was made; and again, when those are over that it had found under way.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.passOn()
    }
}

/// Is told of what happens to any task.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// A task was made: the first call for it, before any other. Not told of a task that is dropped at
    /// once. `task.delegate` is not set yet: it is the session's delegate that hears of it.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// A task with an `earliestBeginDate` may begin now. Call `completionHandler` once: to go on, to go
    /// on with another request, which then has to be given, or to cancel. Nothing moves until then.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void)

    /// The server has sent an interim answer (1xx): `103 Early Hints` for instance.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse)

    /// How the task went; the last call but one.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    )

    /// The server redirects. Call `completionHandler` once: with the proposed request, with another,
    /// or with nil to take the redirect itself as the answer. Nothing moves until then.
    ///
    /// The proposal keeps method and body where RFC 9110 does, and carries no credentials or cookies
    /// to another origin.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)

    /// The server or a proxy wants a name and a password, or what the session's own method passed on.
    /// Call `completionHandler` once. Handler tasks are asked too.
    ///
    /// Without this method, and with `.performDefaultHandling`, a credential that the session's
    /// storage has is tried; if there is none, the 401 or 407 is the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The task needs its streamed body, at the start or once more after a redirect or a lost
    /// connection. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// A task made with an upload's resume data alone, in another process, needs the rest of the body:
    /// a stream that begins at `offset`. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// More of the body was handed to the system.
    ///
    /// - Parameters:
    ///   - bytesSent: Since the last call.
    ///   - totalBytesSent: So far. Starts again when the body is sent again.
    ///   - totalBytesExpectedToSend: Of the whole body; -1 when that is not known.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

    /// There is no network, or none the task may use, and its configuration has it wait for one. Comes
    /// once for a task.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// The task is over: the last call for it. `error` is nil after any complete answer, whatever
    /// its status.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void
    ) {
        guard let heir = task.heir(of: self) else {
            return completionHandler(.continueLoading, nil)
        }
        heir.urlSession(
            session, task: task, willBeginDelayedRequest: request,
            completionHandler: completionHandler)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        task.heir(of: self)?.urlSession(
            session, task: task, didReceiveInformationalResponse: response)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        task.heir(of: self)?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let heir = task.heir(of: self) else { return completionHandler(request) }
        heir.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let heir = task.heir(of: self) else { return challenge.passOn() }
        heir.urlSession(
            session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let heir = task.heir(of: self) else { return completionHandler(nil) }
        heir.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let heir = task.heir(of: self) else { return completionHandler(nil) }
        heir.urlSession(
            session, task: task, needNewBodyStreamFrom: offset, completionHandler: completionHandler
        )
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        task.heir(of: self)?.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    public func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask
    ) {
        task.heir(of: self)?.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        task.heir(of: self)?.urlSession(session, task: task, didCompleteWithError: error)
    }
}

/// Is told of the answers to data and upload tasks that have no completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The head of the answer has come. Call `completionHandler` once; no body is delivered before.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The delegate has answered `.becomeDownload`: the rest of the answer goes to a file. The data task
    /// is over without a further call, and the download task, which runs already, tells what follows.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask)

    /// More of the body has come. While calls are slow the transfer is held back, so that memory
    /// stays flat.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// The answer is complete and may be kept in the session's cache. Call `completionHandler` once:
    /// with the proposal, with another answer, or with nil to keep none. The task completes then.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let heir = dataTask.heir(of: self) as? any URLSessionDataDelegate else {
            return completionHandler(.allow)
        }
        heir.urlSession(
            session, dataTask: dataTask, didReceive: response,
            completionHandler: completionHandler)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        let heir = dataTask.heir(of: self) as? any URLSessionDataDelegate
        heir?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let heir = dataTask.heir(of: self) as? any URLSessionDataDelegate
        heir?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let heir = dataTask.heir(of: self) as? any URLSessionDataDelegate else {
            return completionHandler(proposedResponse)
        }
        heir.urlSession(
            session, dataTask: dataTask, willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }
}

/// Is told of download tasks that have no completion handler.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The whole body is in a temporary file. Move or open it before returning: it is removed then.
    /// An answer of any status comes this way; look at `downloadTask.response`.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL)

    /// A task made with resume data goes on, before its first `didWriteData`. Not called when it starts
    /// over, because the server has another version or does not know ranges.
    ///
    /// - Parameters:
    ///   - fileOffset: How much was there already.
    ///   - expectedTotalBytes: Of the whole body; -1 when the server did not say.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)

    /// More of the body was written to the temporary file.
    ///
    /// - Parameters:
    ///   - bytesWritten: Since the last call.
    ///   - totalBytesWritten: So far.
    ///   - totalBytesExpectedToWrite: Of the whole body; -1 when the server did not say.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
}

extension URLSessionDownloadDelegate {
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        let heir = downloadTask.heir(of: self) as? any URLSessionDownloadDelegate
        heir?.urlSession(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }

    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        let heir = downloadTask.heir(of: self) as? any URLSessionDownloadDelegate
        heir?.urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
}
