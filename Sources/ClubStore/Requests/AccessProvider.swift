/// Provides a store's bearer token, and recovers from a rejected token or a stopped
/// server.
public protocol AccessProvider: Sendable {
    /// The token to send with requests. Called before each one: cache it.
    ///
    /// - Throws: `.unauthorized` when there is no token and a person must sign in.
    func accessToken() async throws(StoreError) -> String

    /// Another token, after the server has rejected one.
    ///
    /// Called at most once per request. Several requests may be rejected with the same token: renew
    /// it once.
    ///
    /// - Parameter isExpired: The server said that the token has expired. Otherwise it does not
    ///   know it.
    /// - Returns: The token to try; nil when there is no other, so that the request fails with
    ///   `.unauthorized`.
    func accessToken(
        replacing rejected: String, isExpired: Bool
    ) async throws(StoreError) -> String?

    /// Restarts the server, if this provider can, when it does not respond or closed the
    /// connection.
    ///
    /// Called before the second attempt.
    func reviveServer() async
}

extension AccessProvider {
    public func reviveServer() async {}
}

/// A token that never changes.
public struct FixedToken: AccessProvider {
    private let token: String

    public init(_ token: String) {
        self.token = token
    }

    public func accessToken() async -> String { token }

    public func accessToken(replacing rejected: String, isExpired: Bool) async -> String? { nil }
}
