import Synchronization

/// A question put to a delegate: how to prove who we are, or whether to believe who the server is.
public final class URLAuthenticationChallenge: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

    /// Who asks, and for what kind of credential.
    public let protectionSpace: URLProtectionSpace
    /// A credential that is known for the space and was not tried yet; after a failure, the one that
    /// has failed.
    public let proposedCredential: URLCredential?
    /// How many answers of this task's delegate in this space have failed.
    public let previousFailureCount: Int
    /// The 401 or 407.
    public let failureResponse: URLResponse?
    /// Why the last answer failed, where that is known.
    public let error: (any Error)?
    /// Whom a file of before `URLSession` answers. nil for the challenges of sessions: their answer goes
    /// to the completion handler.
    public let sender: (any URLAuthenticationChallengeSender)?

    private let wasPassedOn = Mutex(false)

    /// Makes a challenge of one's own, for a test.
    public init(
        protectionSpace: URLProtectionSpace, proposedCredential: URLCredential?,
        previousFailureCount: Int, failureResponse: URLResponse?, error: (any Error)?,
        sender: (any URLAuthenticationChallengeSender)? = nil
    ) {
        self.protectionSpace = protectionSpace
        self.proposedCredential = proposedCredential
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.error = error
        self.sender = sender
    }

    /// Makes the same challenge for somebody else to be answered.
    public convenience init(
        authenticationChallenge challenge: URLAuthenticationChallenge,
        sender: any URLAuthenticationChallengeSender
    ) {
        self.init(
            protectionSpace: challenge.protectionSpace,
            proposedCredential: challenge.proposedCredential,
            previousFailureCount: challenge.previousFailureCount,
            failureResponse: challenge.failureResponse, error: challenge.error, sender: sender)
    }

    /// Says that a delegate has no method for it. Swift cannot be asked that, so the method's default
    /// says it.
    func passOn() {
        wasPassedOn.withLock { $0 = true }
    }

    enum Reception {
        case taken
        /// The delegate has no method for it: the next one is asked.
        case passedOn
    }

    /// What the delegate that was asked last has made of it.
    func takeReception() -> Reception {
        wasPassedOn.withLock { wasPassedOn in
            defer { wasPassedOn = false }
            return wasPassedOn ? .passedOn : .taken
        }
    }
}

/// Takes the answer to a challenge in files of before `URLSession`. Sessions have none.
public protocol URLAuthenticationChallengeSender: AnyObject, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    func cancel(_ challenge: URLAuthenticationChallenge)
    func performDefaultHandling(for challenge: URLAuthenticationChallenge)
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension URLAuthenticationChallengeSender {
    /// Does nothing: a sender that has no default handling of its own.
    public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

    /// Does nothing: a sender that offers one protection space only.
    public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
