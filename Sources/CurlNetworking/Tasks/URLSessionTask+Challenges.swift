/// A delegate's answer to a challenge.
struct ChallengeAnswer: Sendable {
    var disposition: URLSession.AuthChallengeDisposition
    var credential: URLCredential?

    /// The answer if there is no delegate method.
    static let none = ChallengeAnswer(disposition: .performDefaultHandling, credential: nil)
}

extension URLSessionTask {
    /// Passes a challenge to the first delegate that has a method for it: the session's delegate for
    /// session-wide challenges, then the task's delegate, then the session's delegate for tasks.
    func notifyChallenge(
        _ challenge: URLAuthenticationChallenge, _ audience: AuthenticationAction.Audience,
        _ reply: Reply<ChallengeAnswer>
    ) {
        let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            reply(ChallengeAnswer(disposition: $0, credential: $1))
        }
        let sessionDelegate = session.delegate
        if audience == .session, let sessionDelegate {
            sessionDelegate.urlSession(session, didReceive: challenge, completionHandler: answer)
            guard challenge.takeReception() == .passedOn else { return }
        }
        for delegate in [delegate, sessionDelegate as? any URLSessionTaskDelegate] {
            guard let delegate else { continue }
            delegate.urlSession(
                session, task: self, didReceive: challenge, completionHandler: answer)
            guard challenge.takeReception() == .passedOn else { return }
        }
        reply(.none)
    }
}
