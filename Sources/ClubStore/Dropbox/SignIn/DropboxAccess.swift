import FoundationEssentials

/// The tokens of one club on Dropbox: at hand for each call, renewed in time, kept in a vault.
///
/// An access token is renewed 300 seconds before it ends, and once when the server says that it has
/// ended. Those who ask meanwhile wait for the same renewal.
public actor DropboxAccess: AccessProvider {
    private let app: DropboxApp
    private let vault: any TokenVault
    private let endpoint: TokenEndpoint
    private let now: @Sendable () -> Date

    private var tokens: DropboxTokens?
    /// Until when tokens got in this run are used whatever their end: a server whose tokens last less
    /// than the margin would be asked for a new one before each call.
    private var settled: ContinuousClock.Instant?
    private var renewal: Task<Result<DropboxTokens, StoreError>, Never>?
    /// The refresh token that the server would not take, so that it is not asked again and again.
    private var refusedToken: String?
    /// Until when a token endpoint that is away is left alone, as long as the old token is good.
    private var rest: ContinuousClock.Instant?

    /// How long before its end an access token is renewed, in seconds.
    static let margin: Double = 300

    /// How long a token endpoint that is away is left alone.
    private static let restAfterFailure = Duration.seconds(30)

    public init(app: DropboxApp, vault: any TokenVault) {
        self.init(app: app, vault: vault, endpoint: TokenEndpoint(app), now: { Date() })
    }

    init(
        app: DropboxApp, vault: any TokenVault, endpoint: TokenEndpoint,
        now: @escaping @Sendable () -> Date
    ) {
        self.app = app
        self.vault = vault
        self.endpoint = endpoint
        self.now = now
    }

    /// Goes on with tokens got just now: a person has signed in again.
    public func adopt(_ tokens: DropboxTokens) {
        self.tokens = tokens
        refusedToken = nil
        rest = nil
        settle(tokens)
    }

    public func accessToken() async throws(StoreError) -> String {
        var tokens = try await current()
        if let refused = refusedToken, tokens.refreshToken == refused {
            tokens = try await storedTokens(otherThan: tokens)
        }
        guard isEnding(tokens) else { return tokens.accessToken }
        if let rest, rest > .now, isGood(tokens) { return tokens.accessToken }
        do throws(StoreError) {
            return try await renewed(tokens).accessToken
        } catch {
            // It is good for some minutes yet: no reason to stop for a server that is away.
            guard error.code != .unauthorized, isGood(tokens) else { throw error }
            rest = .now + Self.restAfterFailure
            return tokens.accessToken
        }
    }

    public func accessToken(
        replacing rejected: String, isExpired: Bool
    ) async throws(StoreError) -> String? {
        let tokens = try await current()
        if tokens.accessToken != rejected { return tokens.accessToken }
        // Another program may have renewed it, or the person signed in again there.
        if let stored = try await vault.read(), stored.accessToken != rejected {
            adopt(stored)
            return stored.accessToken
        }
        guard tokens.refreshToken != nil else { return nil }
        return try await renewed(tokens).accessToken
    }
}

extension DropboxAccess {
    private func current() async throws(StoreError) -> DropboxTokens {
        if let tokens { return tokens }
        guard let stored = try await vault.read() else {
            throw StoreError(.unauthorized, during: .connect, detail: "not signed in")
        }
        // Somebody else may have been faster while the vault was read.
        if let tokens { return tokens }
        tokens = stored
        return stored
    }

    private func storedTokens(otherThan old: DropboxTokens) async throws(StoreError)
        -> DropboxTokens
    {
        guard let stored = try await vault.read(), stored != old else {
            throw StoreError(.unauthorized, during: .connect, detail: "signed out by the server")
        }
        adopt(stored)
        return stored
    }

    private func isEnding(_ tokens: DropboxTokens) -> Bool {
        guard let expiry = tokens.expiry, tokens.refreshToken != nil else { return false }
        if let settled, settled > .now { return false }
        return now() >= expiry - Self.margin
    }

    private func isGood(_ tokens: DropboxTokens) -> Bool {
        tokens.expiry.map { now() < $0 } ?? true
    }

    /// Half its life long, what has just come is taken as good.
    private func settle(_ tokens: DropboxTokens) {
        settled = tokens.expiry.map { .now + .seconds(max(0, $0.timeIntervalSince(now())) / 2) }
    }

    /// One renewal for all who ask. It goes on when they are cancelled: its result is of use to others.
    private func renewed(_ old: DropboxTokens) async throws(StoreError) -> DropboxTokens {
        if let tokens, tokens != old { return tokens }
        let task = renewal ?? Task { await renew(old) }
        renewal = task
        let result = await task.value
        if renewal == task { renewal = nil }
        return try result.get()
    }

    private func renew(_ old: DropboxTokens) async -> Result<DropboxTokens, StoreError> {
        guard let refreshToken = old.refreshToken else {
            return .failure(StoreError(.unauthorized, during: .connect, detail: "no refresh token"))
        }
        do throws(OAuthError) {
            let grant = try await endpoint.ask(
                [
                    ("grant_type", "refresh_token"), ("refresh_token", refreshToken),
                    ("client_id", app.key),
                ], isRepeatable: true)
            let tokens = grant.tokens(keeping: refreshToken)
            // Not kept, it is good for this run all the same; the next one renews it again.
            let newer = try? await vault.write(tokens, replacing: refreshToken)
            // Signed in again while the server was asked, here or in another program: that is newer.
            guard self.tokens == old else { return .success(self.tokens ?? tokens) }
            adopt(newer ?? tokens)
            return .success(newer ?? tokens)
        } catch {
            let code: StoreError.Code
            switch error.code {
            case .store(let reason): code = reason
            case .badAnswer: code = .badAnswer
            default:
                code = .unauthorized
                refusedToken = refreshToken
            }
            return .failure(StoreError(code, during: .connect, underlying: error))
        }
    }
}
