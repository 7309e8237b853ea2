/// Why signing in failed. Nothing was changed.
public struct OAuthError: Error, Sendable {
    public var code: Code

    /// The server's message, for logs: not for people, and not trusted on a screen.
    public var detail: String?

    /// What the connection failed with, for `.store`.
    public var underlying: (any Error)?

    public init(_ code: Code, detail: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.underlying = underlying
    }

    public enum Code: Hashable, Sendable {
        /// The user, or the user's team, declined.
        case denied

        /// The redirect belongs to another sign-in, or to an attack.
        case wrongState

        /// The redirect has no code, or the user typed none.
        case noCode

        /// The code was used before, has expired, is mistyped, or belongs to another
        /// sign-in.
        case codeRefused

        /// The refresh token was revoked or is invalid.
        case revoked

        /// The server does not know the app key, or does not allow this.
        case appRefused

        /// The response is not from an OAuth server: a proxy's page, invalid JSON, unusable
        /// tokens.
        case badAnswer

        /// The server is unreachable, busy or failing.
        case store(StoreError.Code)
    }
}

extension OAuthError: CustomStringConvertible {
    /// For logs, on one line.
    public var description: String { "sign in: \(code)" + (detail.map { " (\($0))" } ?? "") }
}
