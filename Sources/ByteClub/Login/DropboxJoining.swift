package import ClubStore
internal import FoundationEssentials

/// Signs in to a club on Dropbox and keeps what comes of it; no screen, no terminal.
///
/// Everything that can be checked is checked before the person is sent to the browser, and nothing is
/// written before the server has accepted the tokens.
package struct DropboxJoining: Sendable {
    package let book: ClubBook
    package let settings: ClubSettings.Dropbox
    private let secrets: Secrets

    /// - Throws: `.badInput` when key, folder or address will not do.
    package init(_ settings: ClubSettings.Dropbox, book: ClubBook) throws(JoiningError) {
        if let refusal = ClubSettings.refusal(of: settings)
            ?? settings.apiURL.flatMap(ClubSettings.refusal(ofAddress:))
        {
            throw .badInput(refusal)
        }
        self.settings = settings
        self.book = book
        secrets = Secrets(paths: book.paths)
    }

    /// Which club this will be: the one of the name, or the one that is the same already, or a new one.
    ///
    /// - Parameter name: What the person wants to call it; nil for “dropbox”, or “dropbox-2” when that
    ///   is another club.
    /// - Throws: `.badInput` for a name that will not do, or that is another club's; `.settings` when
    ///   `config.yml` cannot be changed.
    package func club(named name: String?) throws(JoiningError) -> ClubSettings {
        if let error = book.settingsFile.refusalToChange() { throw .settings(error) }
        let clubs = book.read().clubs
        let place = ClubSettings.Place.dropbox(settings)
        if let name {
            if let refusal = ClubSettings.refusal(ofName: name) { throw .badInput(refusal) }
            guard let other = clubs.first(where: { $0.name.lowercased() == name.lowercased() })
            else {
                return ClubSettings(name: name, place: place)
            }
            guard other.place == place || book.secretPlace(of: other) == nil else {
                throw .badInput(
                    "There is another club named “\(other.name)”. Give this one another name, or sign out "
                        + "there first: byteclub logout \(other.name)")
            }
            return ClubSettings(name: other.name, place: place)
        }
        if let same = clubs.first(where: { $0.place == place }) { return same }
        let candidates = ["dropbox"] + (2...999).map { "dropbox-\($0)" }
        for name in candidates {
            let other = clubs.first { $0.name.lowercased() == name }
            if let other, book.secretPlace(of: other) != nil { continue }
            return ClubSettings(name: other?.name ?? name, place: place)
        }
        throw .badInput("There are too many clubs. Give this one a name.")
    }

    /// Turns the code into tokens, tries them, and keeps them; the club is the current one then.
    ///
    /// - Returns: Who is signed in, and what the app is not allowed.
    @concurrent package func finish(
        _ signIn: DropboxSignIn, code: String, as club: ClubSettings
    ) async throws(JoiningError) -> Joined {
        ProcessSecrecy.begin()
        let tokens: DropboxTokens
        let missing: [String]
        do throws(SignInError) {
            (tokens, missing) = try await signIn.exchange(code: code)
        } catch {
            throw .signIn(error)
        }
        let line = try await Self.storeErrors { () throws(StoreError) in
            try ClubConnection.makeLine(to: settings, vault: NoVault())
        }
        await line.access.adopt(tokens)
        do throws(JoiningError) {
            let account = try await Self.storeErrors { () throws(StoreError) in
                let account = try await line.store.account()
                try await makeRoot(line)
                return account
            }
            try await keep(tokens, as: club)
            return Joined(club: club, account: account, missingScopes: missing)
        } catch {
            // Nobody will use these tokens: they need not be good for anything.
            try? await line.store.revokeTokens()
            if case .store(let reason) = error, !missing.isEmpty,
                [.unauthorized, .forbidden, .badRequest].contains(reason.code)
            {
                throw .missingScopes(missing)
            }
            throw error
        }
    }

    /// Who has signed in, and where.
    package struct Joined: Sendable {
        package var club: ClubSettings
        package var account: Account
        package var missingScopes: [String]
    }
}

extension DropboxJoining {
    private static func storeErrors<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(JoiningError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// The club's folder may be new.
    private func makeRoot(_ line: ClubConnection.Line) async throws(StoreError) {
        guard let folder = settings.folder else { return }
        let top = DropboxStore(
            DropboxStore.Configuration(hosts: settings.app.hosts), access: line.access)
        do throws(StoreError) {
            try await top.createFolder(try ClubSettings.root(of: folder))
        } catch {
            guard case .conflict = error.code else { throw error }
        }
        // What is there may be a file.
        _ = try await line.store.list(.root, recursive: false)
    }

    private func keep(_ tokens: DropboxTokens, as club: ClubSettings) async throws(JoiningError) {
        let vault = SecretVault(club: club, book: book, secrets: secrets)
        let old = book.secretPlace(of: club)
        let place: SecretPlace
        do throws(SecretError) {
            place = try await vault.keep(tokens, in: nil)
        } catch {
            throw .secret(error)
        }
        do throws(SettingsError) {
            try book.settingsFile.set(club)
            try book.remember(secretsOf: club, in: place)
            try book.makeCurrent(club)
        } catch {
            if old != place { try? await secrets.remove(club.name, from: place) }
            throw .settings(error)
        }
        if let old, old != place { try? await secrets.remove(club.name, from: old) }
        await ClubConnection.adopt(tokens, for: club, book: book)
    }
}

/// While tokens are tried out, they are kept nowhere.
private struct NoVault: TokenVault {
    func read() async -> DropboxTokens? { nil }
    func write(_ tokens: DropboxTokens) async {}
}
