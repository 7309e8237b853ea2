public import FoundationEssentials

/// The tokens of an authorized app. Secrets: never show or log them.
public struct DropboxTokens: Codable, Hashable, Sendable {
    /// Sent with every call; valid for about four hours.
    public var accessToken: String

    /// When the access token expires, by this computer's clock; nil if unknown.
    public var expiry: Date?

    /// Gets new access tokens; does not expire, but can be revoked. Nil if the server gave
    /// none.
    public var refreshToken: String?

    public init(accessToken: String, expiry: Date?, refreshToken: String?) {
        self.accessToken = accessToken
        self.expiry = expiry
        self.refreshToken = refreshToken
    }

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiry = "expires_at"
        case refreshToken = "refresh_token"
    }
}

/// Redacted when printed.
extension DropboxTokens: CustomStringConvertible, CustomReflectable {
    public var description: String { "DropboxTokens" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Stores tokens between runs.
public protocol TokenVault: Sendable {
    /// The tokens last written, by any program; nil when signed out.
    ///
    /// - Throws: `.unauthorized` when they cannot be read: a locked keyring.
    func read() async throws(StoreError) -> DropboxTokens?

    /// Replaces the tokens that have this refresh token, and no others: another program may have
    /// signed in or out in the meantime.
    ///
    /// - Returns: The stored tokens, if they are from another sign-in.
    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async throws(StoreError) -> DropboxTokens?
}
