package import ClubStore
internal import FoundationEssentials

/// Signs in to a club on Dropbox and stores the result; no screen, no terminal.
///
/// Everything that can be checked is checked before the browser opens, and nothing is written before
/// the server has accepted the tokens.
package struct DropboxSignIn: Sendable {
    package let settings: ClubSettings.Dropbox
    private let keeping: ClubRegistration

    /// Returns when the server has had long enough to revoke unused tokens.
    private let revocationTimeout: @Sendable () async -> Void

    /// - Throws: `.badInput` when key, folder or address is not valid.
    package init(_ settings: ClubSettings.Dropbox, registry: ClubRegistry) throws(SignInError) {
        try self.init(settings, keeping: ClubRegistration(registry))
    }

    init(
        _ settings: ClubSettings.Dropbox, keeping: ClubRegistration,
        revocationTimeout: @escaping @Sendable () async -> Void = {
            try? await Pause.sleep(for: .seconds(5))
        }
    ) throws(SignInError) {
        // A code will be in memory; what it is exchanged with already is.
        ProcessSecrecy.begin()
        if let refusal = ClubSettings.refusal(of: settings)
            ?? settings.apiURL.flatMap({ ClubSettings.refusal(ofAddress: $0) })
        {
            throw .badInput(refusal)
        }
        self.settings = settings
        self.keeping = keeping
        self.revocationTimeout = revocationTimeout
    }

    /// The club to be saved; see ``ClubRegistration/club(named:at:usually:)``.
    package func club(named name: String?) throws(SignInError) -> ClubSettings {
        try keeping.club(named: name, at: .dropbox(settings), usually: "dropbox")
    }

    /// Exchanges the code for tokens, tests them, and stores them; the club becomes the current
    /// one.
    ///
    /// - Returns: The account, and the permissions that were not granted.
    @concurrent package func finish(
        _ signIn: DropboxOAuth, code: String, as club: ClubSettings
    ) async throws(SignInError) -> SignedInClub {
        let tokens: DropboxTokens
        let missing: [String]
        do throws(OAuthError) {
            (tokens, missing) = try await signIn.exchange(code: code)
        } catch {
            throw .signIn(error)
        }
        let line = try await Self.storeErrors { () throws(StoreError) in
            try ClubConnection.makeLine(to: settings, vault: NoVault())
        }
        await line.access.adopt(tokens)
        do throws(SignInError) {
            let account = try await Self.storeErrors { () throws(StoreError) in
                let account = try await line.store.account()
                try await makeRoot(line)
                return account
            }
            if Task.isCancelled { throw .cancelled }
            let old = try await keeping.keep(
                SecretVault.encode(tokens), for: club, account: account.identifier)
            await ClubConnection.adopt(tokens, for: club, registry: keeping.registry)
            if let old = old.flatMap(SecretVault.decode) { await revoke(old, replacedBy: tokens) }
            return SignedInClub(club: club, account: account, missingScopes: missing)
        } catch {
            await revoke(line)
            if case .store(let reason) = error, !missing.isEmpty,
                [.unauthorized, .forbidden, .badRequest].contains(reason.code)
            {
                throw .missingScopes(missing)
            }
            throw error
        }
    }

    /// The account and club of a sign-in.
    package struct SignedInClub: Sendable {
        package var club: ClubSettings
        package var account: Account
        package var missingScopes: [String]
    }
}

extension DropboxSignIn {
    private static func storeErrors<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(SignInError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// Revokes the previous tokens on the server, best effort.
    private func revoke(_ old: DropboxTokens, replacedBy new: DropboxTokens) async {
        let isSame =
            old.accessToken == new.accessToken
            || old.refreshToken != nil && old.refreshToken == new.refreshToken
        guard !isSame, let line = try? ClubConnection.makeLine(to: settings, vault: NoVault())
        else { return }
        await line.access.adopt(old)
        await revoke(line)
    }

    /// The tokens will not be used: revoke them even if they turn out useless, and after a cancellation.
    /// An unresponsive server delays this only briefly.
    private func revoke(_ line: ClubConnection.Line) async {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let revoking = Task {
            try? await line.store.revokeTokens()
            end.finish()
        }
        let alarm = Task {
            await revocationTimeout()
            end.finish()
        }
        // Cancelling the sign-in would end the wait, and with it the program.
        await Task { for await _ in ends {} }.value
        revoking.cancel()
        alarm.cancel()
    }

    /// The club's folder may not exist yet.
    private func makeRoot(_ line: ClubConnection.Line) async throws(StoreError) {
        guard let folder = settings.folder else { return }
        let top = DropboxStore(
            DropboxStore.Configuration(hosts: settings.app.hosts), access: line.access)
        do throws(StoreError) {
            try await top.createFolder(try ClubSettings.root(of: folder))
        } catch {
            guard error.isConflict else { throw error }
        }
        // A file may be at its path.
        _ = try await line.store.list(.root, recursive: false)
    }
}

/// Tokens are not stored while they are tested.
struct NoVault: TokenVault {
    func read() async -> DropboxTokens? { nil }
    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async -> DropboxTokens? { nil }
}
