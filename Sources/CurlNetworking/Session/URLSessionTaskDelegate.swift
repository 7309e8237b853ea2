/// Receives the events of all kinds of tasks.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// Called when a task was created, before any other method, to prepare it before it is resumed.
    ///
    /// Unlike all other methods, it is called on the thread that creates the task, before that call returns.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// Called when the `earliestBeginDate` of a task has been reached. Call `completionHandler` once: to
    /// continue, to continue with another request, which must be passed then, or to cancel. Nothing is sent
    /// before. Not called in background sessions: their tasks start at that date.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?)
            -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

    /// Called with an interim response (1xx), such as `103 Early Hints`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse)

    /// Called with the task's metrics, just before its completion.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    )

    /// Called when the server redirects. Call `completionHandler` once with the proposed request, with
    /// another, or with nil to take the redirect itself as the response. Nothing is sent before.
    ///
    /// The proposal keeps the method and body where RFC 9110 requires it, and has no credentials or cookies
    /// for another origin.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest?

    /// Called when the server or a proxy requires a user name and password, or when the session's own method
    /// has forwarded a challenge. Call `completionHandler` once. Called for tasks with completion handlers,
    /// too.
    ///
    /// Without this method, and with `.performDefaultHandling`, a credential of the session's storage is
    /// used; if there is none, the 401 or 407 is the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Called when the task needs its body as a stream, at its start or again after a redirect or a lost
    /// connection. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream?

    /// Called when a task that was created in another process with only an upload's resume data needs the
    /// rest of the body: a stream that starts at `offset`. Call `completionHandler` once; nil fails the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// The async form of the method above.
    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream?

    /// Called when more of the body was sent.
    ///
    /// - Parameters:
    ///   - bytesSent: The number of bytes since the last call.
    ///   - totalBytesSent: The number of bytes so far. It starts over if the body is sent again.
    ///   - totalBytesExpectedToSend: The length of the whole body; -1 if unknown.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)

    /// Called once if the task waits for a network, as its configuration allows.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

    /// Called when the task is complete; it is the last call. `error` is nil after every complete response,
    /// whatever its status.
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
        AsyncForm.ask(self) {
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
        AsyncForm.isMissing((.continueLoading, nil), in: self)
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
        AsyncForm.ask(self) {
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
        AsyncForm.isMissing(request, in: self)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        AsyncForm.ask(self) {
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
        AsyncForm.isMissing((.performDefaultHandling, nil), in: self)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        AsyncForm.ask(self) {
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
        AsyncForm.isMissing(nil, in: self)
    }

    public func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        AsyncForm.ask(self) {
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
        AsyncForm.isMissing(nil, in: self)
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
