import DropboxAPI

extension DropboxStore {
    /// Revokes the tokens in use: the access token, its refresh token, and all access tokens made
    /// from it.
    ///
    /// - Throws: `.unauthorized` when they were already invalid.
    @concurrent public func revokeTokens() async throws(StoreError) {
        let call = try DropboxCall(Routes.revokeToken, NoValue())
        _ = try await send(call, during: .connect, at: nil)
    }
}
