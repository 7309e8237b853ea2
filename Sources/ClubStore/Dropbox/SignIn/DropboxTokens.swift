public import FoundationEssentials

/// What Dropbox gives an app that was granted access. Secrets: never to be shown or logged.
public struct DropboxTokens: Codable, Hashable, Sendable {
    /// Goes with every call, for about four hours.
    public var accessToken: String

    /// When the access token ends, by this computer's clock; nil when nobody said.
    public var expiry: Date?

    /// Gets new access tokens; does not expire, but can be revoked. Nil where none was given.
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

/// Printed by mistake, it says nothing.
extension DropboxTokens: CustomStringConvertible, CustomReflectable {
    public var description: String { "DropboxTokens" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where tokens are kept between runs.
public protocol TokenVault: Sendable {
    /// The tokens as they were written last, by whichever program; nil when nobody is signed in.
    ///
    /// - Throws: `.unauthorized` when they are there but cannot be had: a locked keyring.
    func read() async throws(StoreError) -> DropboxTokens?

    /// Keeps the tokens in place of those with a refresh token, and of no others: another program may
    /// have signed in meanwhile, or out.
    ///
    /// - Returns: What is kept instead, where that is another sign-in.
    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async throws(StoreError) -> DropboxTokens?
}
