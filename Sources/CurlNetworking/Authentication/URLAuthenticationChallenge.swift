import Synchronization

/// A question put to a delegate: how to prove who we are, or whether to believe who the server is.
public final class URLAuthenticationChallenge: Sendable {
    /// Who asks, and for what kind of proof.
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

    private let wasPassedOn = Mutex(false)

    /// Makes a challenge of one's own, for a test.
    public init(
        protectionSpace: URLProtectionSpace, proposedCredential: URLCredential?,
        previousFailureCount: Int, failureResponse: URLResponse?, error: (any Error)?
    ) {
        self.protectionSpace = protectionSpace
        self.proposedCredential = proposedCredential
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.error = error
    }

    /// Says that a delegate has no method for it. Swift cannot be asked that, so the method's default
    /// says it.
    func passOn() {
        wasPassedOn.withLock { $0 = true }
    }

    /// Whether the delegate that was asked last has no method for it: the next one is asked.
    func takePassingOn() -> Bool {
        wasPassedOn.withLock { wasPassedOn in
            defer { wasPassedOn = false }
            return wasPassedOn
        }
    }
}

extension URLSession {
    /// What to do about a challenge. The numbers are Apple's.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// Answer with the credential; nil goes on without one.
        case useCredential = 0
        /// As if the delegate had no method for it.
        case performDefaultHandling = 1
        /// End the task with `.cancelled`.
        case cancelAuthenticationChallenge = 2
        /// Try the next way the server offers.
        case rejectProtectionSpace = 3
    }
}
