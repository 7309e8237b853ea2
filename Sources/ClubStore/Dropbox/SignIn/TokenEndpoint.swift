import CurlNetworking
import FoundationEssentials

/// Exchanges codes and refresh tokens for access tokens.
///
/// Everything sent and received is secret: only the server's short error codes and descriptions
/// are kept for logs.
struct TokenEndpoint: Sendable {
    private let url: URL
    private let loader: HTTPLoader
    private let policy: RetryPolicy
    private let clock: WaitingClock

    init(_ app: DropboxApp, policy: RetryPolicy = RetryPolicy(), clock: WaitingClock = .init()) {
        url = app.tokenEndpoint
        loader = HTTPLoader(configuration: HTTPLoader.makeConfiguration(timeout: .seconds(60)))
        self.policy = policy
        self.clock = clock
    }

    /// A token response. Source: RFC 6749, section 5.1.
    struct Grant: Decodable {
        var accessToken: String
        var tokenType: String
        var expiresIn: Double?
        var refreshToken: String?
        var scope: String?
        /// When it was received, by this computer's clock.
        var received = Date()

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case expiresIn = "expires_in"
            case refreshToken = "refresh_token"
            case scope
        }

        /// - Parameter refreshToken: The one to keep if the response has none.
        func tokens(keeping refreshToken: String?) -> DropboxTokens {
            DropboxTokens(
                accessToken: accessToken,
                expiry: expiresIn.map { received + min(max(0, $0), 1e9) },
                refreshToken: self.refreshToken ?? refreshToken)
        }
    }

    /// - Parameter isRepeatable: Whether the request is idempotent.
    func ask(
        _ fields: [(String, String)], isRepeatable: Bool
    ) async throws(OAuthError) -> Grant {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.httpBody = Data(Form.encode(fields).utf8)
        let isCode = fields.contains { $0.0 == "code" }
        let secrets = EchoedSecrets(fields.filter { Self.secretFields.contains($0.0) }.map(\.1))
        var spent = RetryPolicy.Spent()
        while true {
            let (failure, retryable) = await attempt(request, secrets, isCode: isCode)
            switch failure {
            case .success(let grant): return grant
            case .failure(let error):
                guard let retryable,
                    let wait = policy.wait(
                        after: retryable, isRepeatable: isRepeatable, spent: &spent,
                        jitter: clock.jitter())
                else { throw error }
                await clock.sleep(wait)
                if Task.isCancelled { throw OAuthError(.store(.cancelled)) }
            }
        }
    }

    private func attempt(
        _ request: URLRequest, _ secrets: EchoedSecrets, isCode: Bool
    ) async -> (Result<Grant, OAuthError>, RetryPolicy.Failure?) {
        let answer: HTTPLoader.Answer
        do throws(HTTPLoader.Failure) {
            answer = try await loader.load(request, limit: 1 << 16)
        } catch {
            if case .tooLarge = error { return (.failure(OAuthError(.badAnswer)), nil) }
            let failure = error.error(during: .connect, at: nil)
            return (
                .failure(
                    OAuthError(
                        .store(failure.code), detail: "\(failure)", underlying: failure.underlying)),
                error.retryable
            )
        }
        guard answer.isSuccess else {
            let retryAfter = answer.response.value(forHTTPHeaderField: "Retry-After")
                .flatMap { RetryAfter.parse($0, now: clock.date()) }
            return (
                .failure(Self.refusal(answer, secrets, retryAfter: retryAfter, isCode: isCode)),
                .status(answer.status, retryAfter: retryAfter)
            )
        }
        guard let grant = try? JSONDecoder().decode(Grant.self, from: answer.body),
            grant.tokenType.lowercased() == "bearer", Self.isToken(grant.accessToken),
            grant.refreshToken.map(Self.isToken) ?? true
        else { return (.failure(OAuthError(.badAnswer, detail: "no tokens in it")), nil) }
        return (.success(grant), nil)
    }
}

extension TokenEndpoint {
    private static let secretFields = ["code", "code_verifier", "refresh_token", "client_secret"]

    /// Allowed in a header: visible ASCII of limited length.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 8192
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Source: RFC 6749, section 5.2.
    private struct Refusal: Decodable {
        var error: String
        var description: String?

        enum CodingKeys: String, CodingKey {
            case error
            case description = "error_description"
        }
    }

    private static func refusal(
        _ answer: HTTPLoader.Answer, _ secrets: EchoedSecrets, retryAfter: Duration?, isCode: Bool
    ) -> OAuthError {
        switch answer.status {
        case 429: return OAuthError(.store(.rateLimited(retryAfter: retryAfter)))
        case 502, 503, 504: return OAuthError(.store(.serverUnavailable(retryAfter: retryAfter)))
        case 500..<600: return OAuthError(.store(.serverError))
        default: break
        }
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: answer.body) else {
            return OAuthError(.badAnswer, detail: "status \(answer.status)")
        }
        let code: OAuthError.Code =
            switch refusal.error {
            case "invalid_grant": isCode ? .codeRefused : .revoked
            case "invalid_client", "unauthorized_client", "invalid_scope", "invalid_client_id",
                "unsupported_grant_type", "invalid_request", "access_denied":
                .appRefused
            case "temporarily_unavailable": .store(.serverUnavailable(retryAfter: retryAfter))
            case "server_error": .store(.serverError)
            default: .appRefused
            }
        let words = refusal.error + (refusal.description.map { ": " + $0 } ?? "")
        return OAuthError(code, detail: String(secrets.removed(from: words).prefix(300)))
    }
}
