/// What follows from a challenge, for the engine to do.
enum AuthenticationAction: Sendable {
    /// Go on with what the head says, a 401 and 407 included: it is the answer.
    case deliver
    /// Send the request again, in a new attempt; `fields(for:)` has the credential.
    case retry
    /// Put it to the delegate, then call `answer(_:_:)`.
    case ask(URLAuthenticationChallenge, Audience)
    /// Open the handshake.
    case trust
    /// Begin a new attempt with this client certificate.
    case present(ClientIdentity)
    /// Go on with the handshake without a client certificate.
    case presentNone
    case fail(URLError)

    /// Whose method is called.
    enum Audience: Sendable {
        /// The session delegate's, and the task's when that passes it on.
        case session
        case task
    }
}
