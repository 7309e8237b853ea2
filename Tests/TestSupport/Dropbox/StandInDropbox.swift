public import Foundation
import Synchronization

/// A local test server that enforces Dropbox's sign-in rules, and keeps a few files in memory.
///
/// A code is valid once and only with its verifier; tokens expire and are revoked on request. Clients'
/// violations of the rules are recorded in ``violations``.
public final class StandInDropbox: Sendable {
    public let appKey: String
    private let server: LoopbackServer
    private let box: Box

    final class Box: Sendable {
        let state = Mutex(State())
    }

    struct State {
        var codes: [String: Grant] = [:]
        var accessTokens: [String: Access] = [:]
        var refreshTokens: [String: Bool] = [:]
        var files: [String: Data] = [:]
        var revision = 0
        var violations: [String] = []
        var lifetimeSeconds = 14_400
        var tokenAnswers: [[LoopbackStep]] = []
        var count = 0
        var stallsRevocations = false
        var secrets: [String] = []
    }

    struct Grant {
        var challenge: String
        var redirect: String?
    }

    enum Access {
        case valid(refresh: String), expired(refresh: String), revoked
    }

    public init(appKey: String = "stand0in1key2") throws {
        let box = Box()
        self.box = box
        self.appKey = appKey
        server = try LoopbackServer { request in
            StandInAnswers(box: box, appKey: appKey).answer(request)
        }
    }

    /// The base URL in place of every host.
    public var base: String { "http://127.0.0.1:\(server.port)" }

    public var requests: [LoopbackRequest] { server.requests }

    /// Stops listening.
    public func stop() { server.stop() }

    /// The requested routes, in order.
    public var routes: [String] { requests.map { String($0.target.dropFirst()) } }

    public func requests(atLeast count: Int) async -> [LoopbackRequest] {
        await server.requests(atLeast: count)
    }

    /// Waits for a matching request.
    public func request(where isWanted: @escaping @Sendable (LoopbackRequest) -> Bool) async {
        await server.request(where: isWanted)
    }

    /// Violations of the rules, as sentences.
    public var violations: [String] { box.state.withLock { $0.violations } }

    /// Every code and token issued so far.
    public var secrets: [String] { box.state.withLock { $0.secrets } }

    public func put(_ text: String, at path: String) {
        box.state.withLock { $0.files[path] = Data(text.utf8) }
    }

    public func text(at path: String) -> String? {
        box.state.withLock { $0.files[path].map { String(decoding: $0, as: UTF8.self) } }
    }

    public func setLifetime(seconds: Int) { box.state.withLock { $0.lifetimeSeconds = seconds } }

    /// Scripted responses for the next requests to the token endpoint.
    public func scriptTokenAnswers(_ answers: [[LoopbackStep]]) {
        box.state.withLock { $0.tokenAnswers = answers }
    }

    /// From now on, revocations get no response.
    public func stallRevocations() { box.state.withLock { $0.stallsRevocations = true } }

    /// Expires all access tokens; refresh tokens stay valid.
    public func expireAccessTokens() {
        box.state.withLock { state in
            state.accessTokens = state.accessTokens.mapValues { access in
                if case .valid(let refresh) = access { .expired(refresh: refresh) } else { access }
            }
        }
    }

    /// The person removes the app from the account.
    public func revokeEverything() {
        box.state.withLock { state in
            state.accessTokens = state.accessTokens.mapValues { _ in .revoked }
            state.refreshTokens = state.refreshTokens.mapValues { _ in false }
        }
    }

    public var validAccessTokenCount: Int {
        box.state.withLock { state in
            state.accessTokens.values.count { if case .valid = $0 { true } else { false } }
        }
    }

    public var validRefreshTokenCount: Int {
        box.state.withLock { state in state.refreshTokens.values.count { $0 } }
    }

    // MARK: - The page

    /// The result of the page after the person has agreed.
    public struct Consent: Sendable {
        public var code: String
        /// The browser's redirect; nil when the page shows the code.
        public var redirect: URL?
        public var state: String?
    }

    /// The authorization page of every app, even with a gateway.
    public static let page = "https://www.dropbox.com/oauth2/authorize"

    /// The person opens the page and agrees. Nil when the URL violates the rules.
    public func consent(to address: String) -> Consent? {
        guard let components = URLComponents(string: address),
            address.hasPrefix(Self.page + "?")
        else { return violate("not the page: \(address)") }
        var fields: [String: String] = [:]
        for item in components.queryItems ?? [] {
            if fields[item.name] != nil { return violate("\(item.name) twice") }
            fields[item.name] = item.value ?? ""
        }
        let known: Set<String> = [
            "client_id", "response_type", "code_challenge", "code_challenge_method",
            "token_access_type", "redirect_uri", "state", "scope", "include_granted_scopes",
        ]
        for name in fields.keys where !known.contains(name) { return violate("unknown \(name)") }
        guard fields["client_id"] == appKey else { return violate("another app key") }
        guard fields["response_type"] == "code" else { return violate("no response_type=code") }
        guard fields["token_access_type"] == "offline" else { return violate("not offline") }
        guard fields["code_challenge_method"] == "S256" else { return violate("not S256") }
        let letters = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let challenge = fields["code_challenge"], challenge.count == 43,
            challenge.unicodeScalars.allSatisfy(letters.contains)
        else { return violate("a challenge that is none") }
        for scope in (fields["scope"] ?? "").split(separator: " ")
        where ![
            "account_info.read", "files.metadata.read", "files.content.read",
            "files.content.write",
        ].contains(scope) {
            return violate("too much asked for: \(scope)")
        }
        if let redirect = fields["redirect_uri"] {
            guard redirect.hasPrefix("http://127.0.0.1:") else {
                return violate("redirect \(redirect)")
            }
            guard let state = fields["state"], state.count >= 16, state.count <= 500 else {
                return violate("a redirect without a state")
            }
        }
        let code = remember("code-" + UUID().uuidString)
        box.state.withLock {
            $0.codes[code] = Grant(challenge: challenge, redirect: fields["redirect_uri"])
        }
        return Consent(
            code: code, redirect: fields["redirect_uri"].flatMap { URL(string: $0) },
            state: fields["state"])
    }

    private func remember(_ secret: String) -> String {
        box.state.withLock { $0.secrets.append(secret) }
        return secret
    }

    private func violate(_ words: String) -> Consent? {
        box.state.withLock { $0.violations.append(words) }
        return nil
    }
}
