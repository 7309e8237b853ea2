/// Gets the events of any task.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// A task was made: the first call for it, and the place to prepare it before it is resumed.
    ///
    /// Comes on the thread that makes the task, before it has been returned there: not on the session's
    /// `delegateQueue`, as all other calls do.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// A task with an `earliestBeginDate` may begin now. Call `completionHandler` once: to go on, to go
    /// on with another request, which then has to be given, or to cancel. Nothing moves until then.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void)

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

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

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest?

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

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// The task needs its streamed body, at the start or once more after a redirect or a lost
    /// connection. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream?

    /// A task made with an upload's resume data alone, in another process, needs the rest of the body:
    /// a stream that begins at `offset`. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// The same, answered by returning.
    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream?

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
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        task.nextDelegate(after: self)?.urlSession(session, didCreateTask: task)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void
    ) {
        AsyncForm.ask {
            await self.urlSession(session, task: task, willBeginDelayedRequest: request)
        } answer: {
            completionHandler($0.0, $0.1)
        } otherwise: {
            guard let next = task.nextDelegate(after: self) else {
                return completionHandler(.continueLoading, nil)
            }
            next.urlSession(
                session, task: task, willBeginDelayedRequest: request,
                completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        AsyncForm.isMissing((.continueLoading, nil))
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        task.nextDelegate(after: self)?.urlSession(
            session, task: task, didReceiveInformationalResponse: response)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        task.nextDelegate(after: self)?.urlSession(
            session, task: task, didFinishCollecting: metrics)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        AsyncForm.ask {
            await self.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request)
        } answer: {
            completionHandler($0)
        } otherwise: {
            guard let next = task.nextDelegate(after: self) else {
                return completionHandler(request)
            }
            next.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? {
        AsyncForm.isMissing(request)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        AsyncForm.ask {
            await self.urlSession(session, task: task, didReceive: challenge)
        } answer: {
            completionHandler($0.0, $0.1)
        } otherwise: {
            guard let next = task.nextDelegate(after: self) else { return challenge.passOn() }
            next.urlSession(
                session, task: task, didReceive: challenge, completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        AsyncForm.isMissing((.performDefaultHandling, nil))
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        AsyncForm.ask {
            BodyStream(await self.urlSession(session, needNewBodyStreamForTask: task))
        } answer: {
            completionHandler($0?.stream)
        } otherwise: {
            guard let next = task.nextDelegate(after: self) else { return completionHandler(nil) }
            next.urlSession(session, task: task, needNewBodyStream: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
        AsyncForm.isMissing(nil)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        AsyncForm.ask {
            BodyStream(await self.urlSession(session, needNewBodyStreamForTask: task, from: offset))
        } answer: {
            completionHandler($0?.stream)
        } otherwise: {
            guard let next = task.nextDelegate(after: self) else { return completionHandler(nil) }
            next.urlSession(
                session, task: task, needNewBodyStreamFrom: offset,
                completionHandler: completionHandler)
        }
    }

    public func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream? {
        AsyncForm.isMissing(nil)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        task.nextDelegate(after: self)?.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    public func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask
    ) {
        task.nextDelegate(after: self)?.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        task.nextDelegate(after: self)?.urlSession(session, task: task, didCompleteWithError: error)
    }
}
