internal import ClubStore
internal import FoundationEssentials

/// Which name a club gets, and how it is kept: the same for every kind of club.
struct ClubRegistration: Sendable {
    let registry: ClubRegistry
    let secrets: ClubSecrets

    init(_ registry: ClubRegistry, secrets: Secrets? = nil) {
        self.registry = registry
        self.secrets = ClubSecrets(registry, secrets: secrets)
    }

    /// Which club this will be: the one of the name, or the one that is the same already, or a new one.
    /// What is believed of its server is what the place says, whatever it was before.
    ///
    /// - Parameters:
    ///   - name: What the person wants to call it; nil for the usual name of its kind, or “dropbox-2”
    ///     when that is another club.
    /// - Throws: `.badInput` for a name that will not do, or that is another club's; `.settings` when
    ///   `config.yml` cannot be changed.
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
        throw .badInput("There are too many clubs. Give this one a name.")
    }

    /// - Throws: `.badInput` when somebody is signed in to another club of that name.
    private func checkName(of club: ClubSettings) throws(SignInError) {
        let others = registry.read().clubs.filter { $0.name.lowercased() == club.name.lowercased() }
        for other in others
        where !other.place.isSame(as: club.place) && registry.secretPlace(of: other) != nil {
            throw .badInput(
                "There is another club named “\(other.name)”. Give this one another name, or sign out "
                    + "there first: byteclub logout \(other.name)")
        }
    }

    /// Keeps what was signed in with, and the club; it is the current one then.
    ///
    /// One program at a time. When anything of it fails, or the task is cancelled in time, everything is
    /// as it was.
    ///
    /// - Parameter account: What the store calls the account, where it tells.
    /// - Returns: What was kept for the same server and account until now, and is kept no more.
    @discardableResult
    func keep(
        _ secret: Data, for club: ClubSettings, account: String? = nil
    ) async throws(SignInError) -> Data? {
        let lock = try await SignInLock.acquire(registry.paths)
        defer { lock.release() }
        // Somebody else may have taken the name since it was chosen.
        try checkName(of: club)
        let old = registry.secretPlace(of: club)
        // What was remembered cannot be changed now: then nothing is begun.
        try settings { () throws(SettingsError) in try registry.remember(secretsOf: club, in: old) }
        var before: Data?
        if let old { before = await secrets.readAsItIs(club, from: old) }
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
                try registry.remember(account: account, of: club)
                try registry.settingsFile.set(club)
                try registry.makeCurrent(club)
            }
        } catch {
            try? registry.remember(secretsOf: club, in: old)
            // Given up or not: a keyring does nothing for who is cancelled.
            await Task { await putBack(before, in: place, of: club, old: old) }.value
            throw error
        }
        if let old, old != place { await Task { try? await secrets.remove(club, from: old) }.value }
        return before.flatMap { secrets.secret(in: $0, for: club) }
    }

    /// The secret of before is where it was; what was written elsewhere is gone.
    private func putBack(
        _ before: Data?, in place: SecretPlace, of club: ClubSettings, old: SecretPlace?
    ) async {
        // A keyring that was told to stop may have written all the same.
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
