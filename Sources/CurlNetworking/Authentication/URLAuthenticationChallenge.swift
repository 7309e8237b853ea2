import Synchronization

/// A challenge to authenticate the client or to trust a server.
open class URLAuthenticationChallenge: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state, and for subclasses in tests.

    /// The server or proxy, and the authentication method.
    open var protectionSpace: URLProtectionSpace { parts.protectionSpace }
    /// A stored credential for the protection space that was not tried yet; after a failure, the rejected
    /// one.
    open var proposedCredential: URLCredential? { parts.proposedCredential }
    /// How many of the delegate's answers for this protection space have failed in this task.
    open var previousFailureCount: Int { parts.previousFailureCount }
    /// The response with status 401 or 407.
    open var failureResponse: URLResponse? { parts.failureResponse }
    /// Why the last answer failed, if that is known.
    open var error: (any Error)? { parts.error }
    /// The receiver of the answer in code older than `URLSession`. nil for the challenges of sessions, which
    /// are answered by the completion handler.
    open var sender: (any URLAuthenticationChallengeSender)? { parts.sender }

    private let wasPassedOn = Mutex(false)

    /// Creates a challenge, for tests.
    public init(
        protectionSpace: URLProtectionSpace, proposedCredential: URLCredential?,
        previousFailureCount: Int, failureResponse: URLResponse?, error: (any Error)?,
        sender: (any URLAuthenticationChallengeSender)? = nil
    ) {
        parts = Parts(
            protectionSpace: protectionSpace, proposedCredential: proposedCredential,
            previousFailureCount: previousFailureCount, failureResponse: failureResponse,
            error: error, sender: sender)
    }

    private struct Parts {
        var protectionSpace: URLProtectionSpace
        var proposedCredential: URLCredential?
        var previousFailureCount: Int
        var failureResponse: URLResponse?
        var error: (any Error)?
        var sender: (any URLAuthenticationChallengeSender)?
    }

    private let parts: Parts

    /// Creates a copy of a challenge with another sender.
    public init(
        authenticationChallenge challenge: URLAuthenticationChallenge,
        sender: any URLAuthenticationChallengeSender
    ) {
        parts = Parts(
            protectionSpace: challenge.protectionSpace,
            proposedCredential: challenge.proposedCredential,
            previousFailureCount: challenge.previousFailureCount,
            failureResponse: challenge.failureResponse, error: challenge.error, sender: sender)
    }

    /// Records that a delegate has no method for the challenge. The default implementation calls it, because
    /// Swift cannot tell whether a method is the default one.
    func passOn() {
        wasPassedOn.withLock { $0 = true }
    }

    enum Reception {
        case taken
        /// The delegate has no method for it: the next one is asked.
        case passedOn
    }

    /// Returns what the last delegate did with the challenge.
    func takeReception() -> Reception {
        wasPassedOn.withLock { wasPassedOn in
            defer { wasPassedOn = false }
            return wasPassedOn ? .passedOn : .taken
        }
    }
}

/// Receives the answer to a challenge in code older than `URLSession`. Sessions do not use it.
public protocol URLAuthenticationChallengeSender: AnyObject, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    func cancel(_ challenge: URLAuthenticationChallenge)
    func performDefaultHandling(for challenge: URLAuthenticationChallenge)
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension URLAuthenticationChallengeSender {
    /// Does nothing; for senders without default handling.
    public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

    /// Does nothing; for senders with one protection space.
    public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
