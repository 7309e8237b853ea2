package import ClubStore
internal import FoundationEssentials

/// Signs in to a club on Dropbox and keeps what comes of it; no screen, no terminal.
///
/// Everything that can be checked is checked before the person is sent to the browser, and nothing is
/// written before the server has accepted the tokens.
package struct DropboxSignIn: Sendable {
    package let settings: ClubSettings.Dropbox
    private let keeping: ClubRegistration

    /// Returns when the server has taken long enough to forget tokens that nobody will use.
    private let patience: @Sendable () async -> Void

    /// - Throws: `.badInput` when key, folder or address will not do.
    package init(_ settings: ClubSettings.Dropbox, registry: ClubRegistry) throws(SignInError) {
        try self.init(settings, keeping: ClubRegistration(registry))
    }

    init(
        _ settings: ClubSettings.Dropbox, keeping: ClubRegistration,
        patience: @escaping @Sendable () async -> Void = {
            try? await Pause.sleep(for: .seconds(5))
        }
    ) throws(SignInError) {
        // A code will come into memory, and what it is exchanged with is there already.
        ProcessSecrecy.begin()
        if let refusal = ClubSettings.refusal(of: settings)
            ?? settings.apiURL.flatMap({ ClubSettings.refusal(ofAddress: $0) })
        {
            throw .badInput(refusal)
        }
        self.settings = settings
        self.keeping = keeping
        self.patience = patience
    }

    /// Which club this will be; see ``ClubRegistration/club(named:at:usually:)``.
    package func club(named name: String?) throws(SignInError) -> ClubSettings {
        try keeping.club(named: name, at: .dropbox(settings), usually: "dropbox")
    }

    /// Turns the code into tokens, tries them, and keeps them; the club is the current one then.
    ///
    /// - Returns: Who is signed in, and what the app is not allowed.
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

    /// Who has signed in, and where.
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

    /// Has the server forget what the person was signed in with before, as far as that goes.
    private func revoke(_ old: DropboxTokens, replacedBy new: DropboxTokens) async {
        let isSame =
            old.accessToken == new.accessToken
            || old.refreshToken != nil && old.refreshToken == new.refreshToken
        guard !isSame, let line = try? ClubConnection.makeLine(to: settings, vault: NoVault())
        else { return }
        await line.access.adopt(old)
        await revoke(line)
    }

    /// Nobody will use these tokens: they need not be good for anything, also when the person has given up
    /// waiting. A server that does not answer holds nobody up for long.
    private func revoke(_ line: ClubConnection.Line) async {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let revoking = Task {
            try? await line.store.revokeTokens()
            end.finish()
        }
        let alarm = Task {
            await patience()
            end.finish()
        }
        // Cancelling the sign-in would end the wait, and with it the program.
        await Task { for await _ in ends {} }.value
        revoking.cancel()
        alarm.cancel()
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
}

/// While tokens are tried out, they are kept nowhere.
struct NoVault: TokenVault {
    func read() async -> DropboxTokens? { nil }
    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async -> DropboxTokens? { nil }
}
