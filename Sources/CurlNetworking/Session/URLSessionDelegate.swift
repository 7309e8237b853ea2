/// Gets the events of a session. Every call of every delegate protocol comes on the session's
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

    /// The same, answered by returning. A delegate has one of the two.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// A background session has reported all that was waiting for it: the ends of the tasks that were over
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
        AsyncForm.ask {
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
        AsyncForm.isMissing((.performDefaultHandling, nil))
    }
}
