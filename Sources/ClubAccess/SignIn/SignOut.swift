internal import ClubLibrary
package import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures

/// Signs out of a club: revokes the tokens on the server, then removes them from this computer.
package enum SignOut {
    /// The result. The tokens are removed from this computer in every case.
    package enum Outcome: Sendable {
        case done
        /// Already signed out.
        case wasSignedOut
        /// The tokens are not revoked on the server.
        case notRevoked(StoreError)
    }

    /// - Throws: If the tokens could not be removed from this computer, or the task was cancelled before the
    ///   server had revoked them: the club then counts as signed in.
    @concurrent package static func signOut(
        _ club: ClubSettings, registry: ClubRegistry
    ) async throws(SignInError) -> Outcome {
        try await signOut(club, registry: registry, secrets: Secrets(paths: registry.paths))
    }

    @concurrent static func signOut(
        _ club: ClubSettings, registry: ClubRegistry, secrets: Secrets
    ) async throws(SignInError) -> Outcome {
        // Now, because its account is part of the names and is known.
        let pictures = (
            cacheName: registry.pictureCacheName(of: club),
            library: registry.libraryFolder(of: club)
        )
        func removePictures() {
            registry.pictureCache.removeAll(ofClub: pictures.cacheName)
            guard let copy = LocalCopy(existingIn: pictures.library) else { return }
            try? copy.removeThumbnails()
            LocalCopy.removeThumbnails(ofCopiesSetAsideIn: pictures.library)
        }
        guard club.needsSignIn, let place = registry.secretPlace(of: club) else {
            try remember { () throws(SettingsError) in try registry.forget(club) }
            if club.needsSignIn { removePictures() }
            return .wasSignedOut
        }
        // Stops the carrier's work with the old sign-in now, before the server refuses it.
        let transfers = TransferJournal(folder: registry.transfersFolder(of: club))
        let paused = pause(transfers)
        do throws(SignInError) {
            let outcome = try await signOut(
                club, in: place, registry: registry, secrets: secrets)
            // Viewed pictures are only for members.
            removePictures()
            return outcome
        } catch {
            // Still signed in.
            try? transfers.change(paused) { $0.askAgain() }
            throw error
        }
    }

    /// - Returns: The transfers that were running.
    private static func pause(_ transfers: TransferJournal) -> [TransferItem.ID] {
        let running = transfers.items().filter(\.isWanted).map(\.id)
        try? transfers.change(running) { $0.intent = .pause }
        return running.filter { transfers.item($0)?.order.intent == .pause }
    }

    private static func signOut(
        _ club: ClubSettings, in place: SecretPlace, registry: ClubRegistry, secrets: Secrets
    ) async throws(SignInError) -> Outcome {
        var outcome = Outcome.done
        var isRevoked = false
        do throws(StoreError) {
            if let store = try await ClubConnection.open(club, registry: registry) as? DropboxStore
            {
                try await store.revokeTokens()
                isRevoked = true
            }
        } catch {
            // Tokens that the server no longer accepts need not be revoked.
            if error.code != .unauthorized || error.underlying is SecretError {
                outcome = .notRevoked(error)
            }
        }
        guard Task.isCancelled else {
            try await forget(club, in: place, registry: registry, secrets: secrets)
            return outcome
        }
        guard isRevoked else { throw .cancelled }
        // Revoked tokens are useless here, even if the user has cancelled.
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
        // Only now: the server's response may renew the tokens, which are stored under this lock.
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
