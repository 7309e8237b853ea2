internal import ClubStore
internal import FoundationEssentials

/// Stores a club's tokens where the sign-in has put them.
struct SecretVault: TokenVault {
    let club: ClubSettings
    let registry: ClubRegistry
    let secrets: ClubSecrets

    func read() async throws(StoreError) -> DropboxTokens? {
        try await read(bindsOld: true)
    }

    private func read(bindsOld: Bool) async throws(StoreError) -> DropboxTokens? {
        do throws(SecretError) {
            return try await secrets.read(club, bindsOld: bindsOld).flatMap(Self.decode)
        } catch {
            throw StoreError(.unauthorized, during: .connect, underlying: error)
        }
    }

    private func write(_ tokens: DropboxTokens) async throws(StoreError) {
        // Signed out in the meantime: the tokens are no longer wanted.
        guard let place = registry.secretPlace(of: club) else { return }
        do throws(SecretError) {
            _ = try await secrets.write(Self.encode(tokens), for: club, to: place)
        } catch {
            throw StoreError(.fileUnwritable, during: .connect, underlying: error)
        }
    }

    /// Stores renewed tokens, unless the user has signed in again or out in the meantime.
    ///
    /// - Parameter refreshToken: The one they were renewed with.
    /// - Returns: The tokens of the newer sign-in, if there is one; these were not stored then.
    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async throws(StoreError) -> DropboxTokens? {
        let lock: SignInLock
        do throws(SignInError) {
            lock = try await SignInLock.acquire(registry.paths)
        } catch {
            throw StoreError(.fileUnwritable, during: .connect, underlying: error)
        }
        defer { lock.release() }
        guard let stored = try await read(bindsOld: false) else { return nil }
        guard stored.refreshToken == refreshToken else { return stored }
        try await write(tokens)
        return nil
    }

    static func encode(_ tokens: DropboxTokens) -> Data {
        guard let data = try? encoder.encode(tokens) else {
            preconditionFailure("tokens are texts and a date")
        }
        return data
    }

    /// Unreadable tokens count as missing: the user signs in again.
    static func decode(_ data: Data) -> DropboxTokens? {
        try? decoder.decode(DropboxTokens.self, from: data)
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}
