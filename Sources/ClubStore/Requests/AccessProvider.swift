/// Where a store gets its bearer token from, and what it can do when the token or the
/// server is gone.
public protocol AccessProvider: Sendable {
    /// The token to send with requests. Asked before each one: keep it at hand.
    ///
    /// - Throws: `.unauthorized` when there is none and a person must sign in.
    func accessToken() async throws(StoreError) -> String

    /// Another token, after the server has refused one.
    ///
    /// Asked once for a request at most. Several requests may have been refused with the
    /// same token: renew it once.
    ///
    /// - Parameter isExpired: The server said that it was good once. Otherwise it does not know it.
    /// - Returns: The token to try; nil when there is no other, so that the request fails
    ///   with `.unauthorized`.
    func accessToken(
        replacing rejected: String, isExpired: Bool
    ) async throws(StoreError) -> String?

    /// Brings the server back when nothing answers at its address or it broke off, if that is in its
    /// power.
    ///
    /// Called before the second attempt.
    func reviveServer() async
}

extension AccessProvider {
    public func reviveServer() async {}
}

/// A token that stays the same.
public struct FixedToken: AccessProvider {
    private let token: String

    public init(_ token: String) {
        self.token = token
    }

    public func accessToken() async -> String { token }

    public func accessToken(replacing rejected: String, isExpired: Bool) async -> String? { nil }
}
