/// What a delegate said to a challenge.
struct ChallengeAnswer: Sendable {
    var disposition: URLSession.AuthChallengeDisposition
    var credential: URLCredential?

    /// Of a delegate that is not there, or has no method for it.
    static let none = ChallengeAnswer(disposition: .performDefaultHandling, credential: nil)
}

extension URLSessionTask {
    /// Puts a challenge to those who may answer it, until one has a method for it: the session's own
    /// delegate where the session is asked, the task's delegate, the session's delegate for tasks.
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
