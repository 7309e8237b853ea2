import FoundationEssentials

/// How one task evaluates servers and presents client certificates during TLS handshakes, as a value.
///
/// An accepted server stays accepted as long as it presents the same certificate.
struct HandshakeState: Sendable {
    private var question: Question?
    /// The accepted server certificates by origin.
    private var accepted: [Origin: Data] = [:]
    private var identities: [Origin: ClientIdentity] = [:]
    /// The identities that other tasks may use, according to their persistence.
    private var keptIdentities: Set<Origin> = []

    private enum Question: Sendable {
        case trust(ServerTrust, Origin, URL)
        case identity(Origin, known: URLCredential?, URL)
    }

    /// Whether a question to the delegate is pending.
    var isAsking: Bool { question != nil }

    func identity(for url: URL) -> ClientIdentity? {
        Origin(of: url).flatMap { identities[$0] }
    }

    func keptIdentity(for origin: Origin) -> ClientIdentity? {
        keptIdentities.contains(origin) ? identities[origin] : nil
    }

    // MARK: - Questions

    /// Evaluates the server of a paused handshake.
    mutating func take(_ trust: ServerTrust, from url: URL) -> AuthenticationAction {
        guard let origin = Origin(of: url) else { return .fail(URLError(.badURL, failingURL: url)) }
        if let known = accepted[origin], known == trust.certificates.first?.sha256 { return .trust }
        guard !trust.certificates.isEmpty,
            let space = ChallengedRequest(url, method: "").space(
                of: .server, method: NSURLAuthenticationMethodServerTrust, serverTrust: trust)
        else { return .fail(trust.refusal(url)) }
        question = .trust(trust, origin, url)
        return .ask(
            URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
                failureResponse: nil, error: trust.isTrusted ? nil : trust.refusal(url)),
            .session)
    }

    /// Called when the server is trusted and requests a client certificate.
    mutating func take(
        clientCertificateFrom authorities: [Data], at url: URL, storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        guard let origin = Origin(of: url),
            let space = ChallengedRequest(url, method: "").space(
                of: .server, method: NSURLAuthenticationMethodClientCertificate,
                distinguishedNames: authorities)
        else { return .presentNone }
        let stored = storage?.defaultCredential(for: space)
        let known = stored?.identity == nil ? nil : stored
        question = .identity(origin, known: known, url)
        return .ask(
            URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: known, previousFailureCount: 0,
                failureResponse: nil, error: nil),
            .session)
    }

    // MARK: - The delegate's answer

    /// Takes the delegate's answer. Returns nil if no question is pending.
    mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> AuthenticationAction? {
        defer { question = nil }
        switch question {
        case .trust(let trust, let origin, let url)?:
            return answer(disposition, credential, trust, origin, url)
        case .identity(let origin, let known, let url)?:
            return answer(disposition, credential, known, origin, url)
        case nil:
            return nil
        }
    }

    private mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
        _ trust: ServerTrust, _ origin: Origin, _ url: URL
    ) -> AuthenticationAction {
        let isAccepted: Bool
        switch disposition {
        case .useCredential:
            let chosen = credential?.trust?.certificates.first?.sha256
            isAccepted = chosen.map { $0 == trust.certificates.first?.sha256 } ?? trust.isTrusted
        case .performDefaultHandling: isAccepted = trust.isTrusted
        case .cancelAuthenticationChallenge:
            return .fail(URLError(.cancelled, failingURL: url))
        case .rejectProtectionSpace: isAccepted = false
        }
        guard isAccepted else { return .fail(trust.refusal(url)) }
        accepted[origin] = trust.certificates.first?.sha256
        return .trust
    }

    private mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
        _ known: URLCredential?, _ origin: Origin, _ url: URL
    ) -> AuthenticationAction {
        let chosen: URLCredential?
        switch disposition {
        case .useCredential: chosen = credential
        case .performDefaultHandling: chosen = known
        case .cancelAuthenticationChallenge:
            return .fail(URLError(.cancelled, failingURL: url))
        case .rejectProtectionSpace: chosen = nil
        }
        guard let identity = chosen?.identity else { return .presentNone }
        identities[origin] = identity
        if chosen?.persistence != URLCredential.Persistence.none { keptIdentities.insert(origin) }
        return .present(identity)
    }
}
