import DropboxAPI

extension DropboxStore {
    /// Has the server forget the tokens in use: the access token, its refresh token, and all access
    /// tokens that came of that.
    ///
    /// - Throws: `.unauthorized` when they were of no use any more.
    @concurrent public func revokeTokens() async throws(StoreError) {
        let call = try DropboxCall(Routes.revokeToken, NoValue())
        _ = try await send(call, during: .connect, at: nil)
    }
}
