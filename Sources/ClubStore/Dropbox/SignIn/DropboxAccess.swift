import FoundationEssentials

/// The Dropbox tokens of one club: cached, renewed before they expire, and stored in a vault.
///
/// An access token is renewed 300 seconds before it expires, and once when the server says that it
/// has expired. Concurrent callers share one renewal.
public actor DropboxAccess: AccessProvider {
    private let app: DropboxApp
    private let vault: any TokenVault
    private let endpoint: TokenEndpoint
    private let now: @Sendable () -> Date

    private var tokens: DropboxTokens?
    /// Until when tokens obtained in this run are used regardless of their expiry: a server whose
    /// tokens last less than the margin would otherwise be asked for a new one before each call.
    private var trustedUntil: ContinuousClock.Instant?
    private var renewal: Task<Result<DropboxTokens, StoreError>, Never>?
    /// The refresh token that the server rejected, so that it is not sent again.
    private var refusedToken: String?
    /// Until when an unavailable token endpoint is not called, while the old token is valid.
    private var retryDate: ContinuousClock.Instant?

    /// How long before its expiry an access token is renewed, in seconds.
    static let margin: Double = 300

    /// How long an unavailable token endpoint is not called.
    private static let backoff = Duration.seconds(30)

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

    /// Continues with new tokens after another sign-in.
    public func adopt(_ tokens: DropboxTokens) {
        self.tokens = tokens
        refusedToken = nil
        retryDate = nil
        trust(tokens)
    }

    public func accessToken() async throws(StoreError) -> String {
        var tokens = try await current()
        if let refused = refusedToken, tokens.refreshToken == refused {
            tokens = try await storedTokens(otherThan: tokens)
        }
        guard isEnding(tokens) else { return tokens.accessToken }
        if let retryDate, retryDate > .now, isGood(tokens) { return tokens.accessToken }
        do throws(StoreError) {
            return try await renewed(tokens).accessToken
        } catch {
            // It is valid for some minutes yet: no reason to fail because a server is
            // unavailable.
            guard error.code != .unauthorized, error.code != .cancelled, isGood(tokens) else {
                throw error
            }
            retryDate = .now + Self.backoff
            return tokens.accessToken
        }
    }

    public func accessToken(
        replacing rejected: String, isExpired: Bool
    ) async throws(StoreError) -> String? {
        let tokens = try await current()
        if tokens.accessToken != rejected { return tokens.accessToken }
        // Another program may have renewed it or signed in again.
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
            throw .notSignedIn
        }
        // Another caller may have set it during the read.
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
        if let trustedUntil, trustedUntil > .now { return false }
        return now() >= expiry - Self.margin
    }

    private func isGood(_ tokens: DropboxTokens) -> Bool {
        tokens.expiry.map { now() < $0 } ?? true
    }

    /// Treats a new token as valid for half its lifetime.
    private func trust(_ tokens: DropboxTokens) {
        trustedUntil = tokens.expiry.map {
            .now + .seconds(max(0, $0.timeIntervalSince(now())) / 2)
        }
    }

    /// One renewal for all callers. It continues when they are cancelled: the others need the
    /// result.
    private func renewed(_ old: DropboxTokens) async throws(StoreError) -> DropboxTokens {
        if let tokens, tokens != old { return tokens }
        let task =
            renewal
            ?? Task {
                defer { renewal = nil }
                return await renew(old)
            }
        renewal = task
        guard let result = await task.valueUnlessCancelled() else {
            throw StoreError(.cancelled, during: .connect)
        }
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
            // If saving fails, the token is still valid for this run; the next run renews
            // it again.
            let newer = try? await vault.write(tokens, replacing: refreshToken)
            // The person signed in again during the request, here or in another program: those
            // tokens are newer.
            guard self.tokens == old else { return .success(self.tokens ?? tokens) }
            adopt(newer ?? tokens)
            return .success(newer ?? tokens)
        } catch {
            let code: StoreError.Code
            var underlying: any Error = error
            switch error.code {
            case .store(let reason):
                code = reason
                // A proxy's failure, for one, is reported as such.
                underlying = error.underlying ?? error
            case .badAnswer: code = .badAnswer
            default:
                code = .unauthorized
                refusedToken = refreshToken
            }
            return .failure(StoreError(code, during: .connect, underlying: underlying))
        }
    }
}
