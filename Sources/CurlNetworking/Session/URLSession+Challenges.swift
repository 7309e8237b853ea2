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
