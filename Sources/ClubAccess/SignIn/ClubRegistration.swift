internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages

/// Chooses a club's name and saves the club: the same for every kind.
struct ClubRegistration: Sendable {
    let registry: ClubRegistry
    let secrets: ClubSecrets

    init(_ registry: ClubRegistry, secrets: Secrets? = nil) {
        self.registry = registry
        self.secrets = ClubSecrets(registry, secrets: secrets)
    }

    /// The club to be saved: the one with this name, an equal existing one, or a new one. The server's trust
    /// settings are always those of `place`.
    ///
    /// - Parameters:
    ///   - name: The requested name; nil for the usual name of its kind, or “dropbox-2” when that is another
    ///     club's.
    /// - Throws: `.badInput` for an invalid name, or another club's; `.settings` when `config.yml` cannot be
    ///   changed.
    func club(
        named name: String?, at place: ClubSettings.Place, usually usualName: String
    ) throws(SignInError) -> ClubSettings {
        if let error = registry.refusalToChange() { throw .settings(error) }
        let clubs = registry.read().clubs
        if let name {
            if let refusal = ClubSettings.refusal(ofName: name) { throw .badInput(refusal) }
            let other = clubs.first { $0.name.lowercased() == name.lowercased() }
            let club = ClubSettings(name: other?.name ?? name, place: place)
            try checkName(of: club)
            return club
        }
        if let same = clubs.first(where: { $0.place.isSame(as: place) }) {
            return ClubSettings(name: same.name, place: place)
        }
        for name in [usualName] + (2...999).map({ "\(usualName)-\($0)" })
        where !clubs.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            return ClubSettings(name: name, place: place)
        }
        throw .badInput(localized("There are too many clubs. Give this one a name."))
    }

    /// - Throws: `.badInput` when another club with that name has a sign-in.
    private func checkName(of club: ClubSettings) throws(SignInError) {
        let others = registry.read().clubs.filter { $0.name.lowercased() == club.name.lowercased() }
        for other in others
        where !other.place.isSame(as: club.place) && registry.secretPlace(of: other) != nil {
            throw .badInput(
                localized(
                    "There is another club named “\(other.name)”. Give this one another name, or sign out "
                        + "there first: byteclub logout \(other.name)"))
        }
    }

    /// Stores the credentials and the club, which becomes the current one.
    ///
    /// One program at a time. If a step fails, or the task is cancelled in time, everything is restored.
    ///
    /// - Parameter account: The store's account identifier, if it has one.
    /// - Returns: The replaced credentials for the same server and account.
    @discardableResult
    func keep(
        _ secret: Data, for club: ClubSettings, account: String? = nil
    ) async throws(SignInError) -> Data? {
        let lock = try await SignInLock.acquire(registry.paths)
        defer { lock.release() }
        // Another program may have taken the name since it was chosen.
        try checkName(of: club)
        let old = registry.secretPlace(of: club)
        let oldAccount = registry.account(of: club)
        // If the state cannot be changed now, nothing else is started.
        try settings { () throws(SettingsError) in try registry.remember(secretsOf: club, in: old) }
        var before: Data?
        if let old { before = await secrets.readUnverified(club, from: old) }
        let place: SecretPlace
        do throws(SecretError) {
            place = try await secrets.write(secret, for: club, to: nil)
        } catch {
            throw .secret(error)
        }
        do throws(SignInError) {
            if Task.isCancelled { throw .cancelled }
            try settings { () throws(SettingsError) in
                try registry.remember(secretsOf: club, in: place)
                if let account { try registry.remember(account: account, of: club) }
                try registry.settingsFile.set(club)
                try registry.makeCurrent(club)
            }
        } catch {
            try? registry.remember(secretsOf: club, in: old)
            // It determines the account of the club's drafts and local copy.
            try? registry.remember(account: oldAccount, of: club)
            // Even when cancelled: a keyring rejects calls from a cancelled task.
            await Task { await putBack(before, in: place, of: club, old: old) }.value
            throw error
        }
        if let old, old != place { await Task { try? await secrets.remove(club, from: old) }.value }
        return before.flatMap { secrets.secret(in: $0, for: club) }
    }

    /// Restores the previous secret; a newly written one elsewhere is removed.
    private func putBack(
        _ before: Data?, in place: SecretPlace, of club: ClubSettings, old: SecretPlace?
    ) async {
        // A cancelled keyring call may have been completed.
        if let old, let before {
            _ = try? await secrets.writeAsItIs(before, for: club, to: old)
            if old == place { return }
        }
        try? await secrets.remove(club, from: place)
    }

    private func settings(
        _ body: () throws(SettingsError) -> Void
    ) throws(SignInError) {
        do throws(SettingsError) {
            try body()
        } catch {
            throw .settings(error)
        }
    }
}
