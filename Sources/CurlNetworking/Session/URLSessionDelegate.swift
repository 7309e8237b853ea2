/// Receives the events of a session. All methods of all delegate protocols are called on the session's
/// `delegateQueue`.
public protocol URLSessionDelegate: AnyObject, Sendable {
    /// Called when the session has completed its last task after `finishTasksAndInvalidate()` or
    /// `invalidateAndCancel()`, and releases its delegate. It is the last call.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// Called when a server must be trusted (`NSURLAuthenticationMethodServerTrust`) or requests a client
    /// certificate. Call `completionHandler` once; nothing of the request is sent before.
    ///
    /// Called once for each full TLS handshake, for the task that begins it: neither for a kept connection nor
    /// for a new one that resumes a TLS session; `flush()` and `reset()` end both. If the delegate lacks this method,
    /// `urlSession(_:task:didReceive:completionHandler:)` is called instead.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The async form of the method above. Implement one of the two.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Called when a background session has reported the events of all tasks that completed before it was
    /// created; and again when it has reported those of the tasks that were running then.
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
        AsyncForm.ask(self) {
            await self.urlSession(session, didReceive: challenge)
        } answer: {
            completionHandler($0.0, $0.1)
        } otherwise: {
            challenge.passOn()
        }
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        AsyncForm.isMissing((.performDefaultHandling, nil), in: self)
    }
}
