package import ClubStore

/// Signs out of a club: the server forgets the tokens, then this computer does.
package enum SignOut {
    /// What came of it. The tokens are gone from this computer in every case.
    package enum Outcome: Sendable {
        case done
        /// Nobody was signed in.
        case wasSignedOut
        /// The server does not know yet.
        case notRevoked(StoreError)
    }

    /// - Throws: When the tokens could not be removed from this computer, or the task was cancelled before
    ///   the server had forgotten them: the person is signed in still, as far as this computer knows.
    @concurrent package static func signOut(
        _ club: ClubSettings, registry: ClubRegistry
    ) async throws(SignInError) -> Outcome {
        try await signOut(club, registry: registry, secrets: Secrets(paths: registry.paths))
    }

    @concurrent static func signOut(
        _ club: ClubSettings, registry: ClubRegistry, secrets: Secrets
    ) async throws(SignInError) -> Outcome {
        guard club.needsSignIn, let place = registry.secretPlace(of: club) else {
            try remember { () throws(SettingsError) in try registry.forget(club) }
            return .wasSignedOut
        }
        var outcome = Outcome.done
        var isRevoked = false
        do throws(StoreError) {
            if let store = try await ClubConnection.open(club, registry: registry) as? DropboxStore
            {
                try await store.revokeTokens()
                isRevoked = true
            }
        } catch {
            // Tokens that the server no longer takes need no revoking.
            if error.code != .unauthorized || error.underlying is SecretError {
                outcome = .notRevoked(error)
            }
        }
        guard Task.isCancelled else {
            try await forget(club, in: place, registry: registry, secrets: secrets)
            return outcome
        }
        guard isRevoked else { throw .cancelled }
        // What the server has forgotten is of no use here, although the person has given it up.
        try await Task { () async -> Result<Void, SignInError> in
            do throws(SignInError) {
                return .success(
                    try await forget(club, in: place, registry: registry, secrets: secrets))
            } catch {
                return .failure(error)
            }
        }.value.get()
        return outcome
    }

    private static func forget(
        _ club: ClubSettings, in place: SecretPlace, registry: ClubRegistry, secrets: Secrets
    ) async throws(SignInError) {
        // Only now: the server's answer may come with renewed tokens, which are kept under this lock.
        let lock = try await SignInLock.acquire(registry.paths)
        defer { lock.release() }
        do throws(SecretError) {
            try await secrets.remove(club.name, from: place)
        } catch {
            throw .secret(error)
        }
        try remember { () throws(SettingsError) in try registry.forget(club) }
        ClubConnection.close(club, registry: registry)
    }

    private static func remember(
        _ body: () throws(SettingsError) -> Void
    ) throws(SignInError) {
        do throws(SettingsError) {
            try body()
        } catch {
            throw .settings(error)
        }
    }
}
