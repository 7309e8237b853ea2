/// Why signing in came to nothing. Nothing was changed by it.
public struct OAuthError: Error, Sendable {
    public var code: Code

    /// The server's words, for logs. They are not for people, and not to be trusted on a screen.
    public var detail: String?

    public init(_ code: Code, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    public enum Code: Hashable, Sendable {
        /// The person, or the person's team, said no.
        case denied

        /// What the browser brought belongs to another sign-in, or to an attack.
        case wrongState

        /// The browser brought an answer without a code, or the person typed nothing.
        case noCode

        /// The code was used before, is too old, mistyped, or belongs to another sign-in.
        case codeRefused

        /// The refresh token was revoked, or never was one.
        case revoked

        /// The server does not know the app's key, or does not let the app do this.
        case appRefused

        /// What answered is no OAuth server: a proxy's page, broken JSON, tokens that cannot be.
        case badAnswer

        /// The server cannot be reached, is busy or broken.
        case store(StoreError.Code)
    }
}

extension OAuthError: CustomStringConvertible {
    /// For logs, in one line.
    public var description: String { "sign in: \(code)" + (detail.map { " (\($0))" } ?? "") }
}
