extension URLSession {
    /// A delegate's decision about a challenge. The raw values are Apple's.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// Use the credential; nil continues without one.
        case useCredential = 0
        /// Behave as if the delegate had no method for the challenge.
        case performDefaultHandling = 1
        /// Cancel the task with `.cancelled`.
        case cancelAuthenticationChallenge = 2
        /// Try the next authentication method that the server offers.
        case rejectProtectionSpace = 3
    }
}
