/// What the engine has to do about a challenge.
enum AuthenticationAction: Sendable {
    /// Deliver the response, even with status 401 or 407.
    case deliver
    /// Send the request again in a new attempt; `fields(for:)` returns its credentials.
    case retry
    /// Ask the delegate, then call `answer(_:_:)`.
    case ask(URLAuthenticationChallenge, Audience)
    /// Trust the server: continue the handshake.
    case trust
    /// Start a new attempt with this client certificate.
    case present(ClientIdentity)
    /// Continue the handshake without a client certificate.
    case presentNone
    case fail(URLError)

    /// The delegate that is asked.
    enum Audience: Sendable {
        /// The session's delegate, and the task's if that one forwards the challenge.
        case session
        case task
    }
}
