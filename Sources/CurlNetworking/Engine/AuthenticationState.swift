import FoundationEssentials

/// How one task authenticates and evaluates trust, as a value: challenges and the delegate's answers go in,
/// actions come out.
///
/// For HTTP, for the server and the proxy each:
///
/// | event | action |
/// |---|---|
/// | a request is sent | it carries the task's credential, else the session's cached one |
/// | 401 or 407 without a credential | ask the delegate about the strongest offer that was not rejected |
/// | … to a credential with an expired nonce | retry with the new nonce, without asking |
/// | … to a cached credential | forget it and ask the delegate, with a failure count of 0 |
/// | … to the delegate's credential | ask the delegate again, with the failure count increased |
/// | any other response | the credential was accepted; the session caches it according to its persistence |
///
/// It cannot loop: each credential that needs no question is tried once, an expired nonce is renewed at most
/// `maximumRenewals` times in a row, and the delegate is asked at most `maximumQuestions` times.
struct AuthenticationState: Sendable {
    /// The URL of the task's first request, which may contain a user name and password.
    private let firstURL: URL?
    private var dialogues: [AuthenticationParty: Dialogue] = [:]
    private var question: Question?
    private var questionCount = 0
    private var handshakes = HandshakeState()
    private let makeClientNonce: @Sendable () -> String

    static let maximumQuestions = 20
    static let maximumRenewals = 3

    private struct Dialogue: Sendable {
        var credential: CachedCredential?
        var sent: CachedCredential.Sent?
        var failures: [URLProtectionSpace: Int] = [:]
        var refused: [URLProtectionSpace: [URLCredential]] = [:]
        var rejected: Set<URLProtectionSpace> = []
        var renewals = 0
    }

    /// A question to the delegate about a server or proxy.
    private struct Question: Sendable {
        var party: AuthenticationParty
        var request: ChallengedRequest
        /// The offers, strongest first; the first one is in the challenge.
        var offers: [AuthenticationOffer]
        var response: HTTPURLResponse?
        var known: URLCredential?
    }

    init(
        for url: URL?,
        clientNonce: @escaping @Sendable () -> String = { DigestAccess.makeClientNonce() }
    ) {
        makeClientNonce = clientNonce
        firstURL = url
    }

    /// The credential in the URL of the task's first request: `http://name:password@host/`.
    private func urlCredential(for url: URL) -> URLCredential? {
        guard let firstURL, let origin = Origin(of: firstURL), origin == Origin(of: url),
            let user = firstURL.user(percentEncoded: false), !user.isEmpty
        else { return nil }
        return URLCredential(
            user: user, password: firstURL.password(percentEncoded: false) ?? "",
            persistence: .forSession)
    }

    /// Whether the task was challenged over HTTP or has sent a credential.
    var isInvolved: Bool { !dialogues.isEmpty }

    /// Whether a question to the delegate is pending.
    var isAsking: Bool { question != nil || handshakes.isAsking }
}

// MARK: - Requests

extension AuthenticationState {
    /// The algorithm of the body hash that the next request's credentials need. Pass the hash as `bodyHash`.
    func bodyHashAlgorithm(
        for request: ChallengedRequest, cache: AuthenticationCache
    ) -> DigestAlgorithm? {
        credential(for: request, .server, cache)?.bodyHash
    }

    /// Returns the fields that carry credentials. Call it once for each attempt, at its start.
    ///
    /// They replace fields of the same name. A request's own `Authorization` is used until it is challenged.
    mutating func fields(
        for request: ChallengedRequest, own headers: HTTPHeaderFields,
        cache: inout AuthenticationCache
    ) -> [HTTPHeaderFields.Field] {
        var fields: [HTTPHeaderFields.Field] = []
        for party in request.parties {
            dialogues[party]?.sent = nil
            guard let cached = credential(for: request, party, cache) else { continue }
            if var own = dialogues[party]?.credential, own.space == cached.space {
                guard let answer = own.answer(request, clientNonce: makeClientNonce) else {
                    continue
                }
                dialogues[party]?.credential = own
                dialogues[party]?.sent = answer.sent
                fields.append(.init(name: party.answerField, value: answer.value))
            } else {
                guard headers[party.answerField] == nil,
                    var answer = cache.answer(
                        in: cached.space, request, clientNonce: makeClientNonce)
                else { continue }
                answer.sent.isPreemptive = true
                dialogues[party, default: Dialogue()].sent = answer.sent
                fields.append(.init(name: party.answerField, value: answer.value))
            }
        }
        return fields
    }

    /// Whose credential `fields` would send to the server with a request.
    func cacheRequester(
        for request: ChallengedRequest, own headers: HTTPHeaderFields, cache: AuthenticationCache
    ) -> CacheRequester {
        guard let found = credential(for: request, .server, cache) else { return CacheRequester() }
        let account = CacheAccount.credential(found.credential, in: found.space)
        if let own = dialogues[.server]?.credential, own.space == found.space {
            let sent = CachedCredential.Sent(space: own.space, credential: own.credential)
            return CacheRequester(account: account, isAccepted: cache.isKnown(sent))
        }
        guard headers[AuthenticationParty.server.answerField] == nil else {
            return CacheRequester()
        }
        return CacheRequester(account: account)
    }

    /// The account whose credential the last request has sent to the server; nil without one, and after the
    /// response was taken.
    var sentAccount: String? {
        guard let sent = dialogues[.server]?.sent else { return nil }
        return CacheAccount.credential(sent.credential, in: sent.space)
    }

    private func credential(
        for request: ChallengedRequest, _ party: AuthenticationParty, _ cache: AuthenticationCache
    ) -> CachedCredential? {
        if let own = dialogues[party]?.credential, own.isInSpace(of: request, party) { return own }
        guard let cached = cache.credential(for: request, party) else { return nil }
        // The name in the task's own URL may be another user's.
        if party == .server, let own = urlCredential(for: request.url),
            !own.isSameSecret(as: cached.credential)
        {
            return nil
        }
        return cached
    }
}

// MARK: - HTTP responses

extension AuthenticationState {
    /// Evaluates the head of each response. Call it before any other decision about the head.
    mutating func take(
        _ head: ResponseHead, to request: ChallengedRequest, cache: inout AuthenticationCache,
        storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        // A 407 says nothing about the server, and a 401 means that the proxy accepted the request.
        guard let party = request.parties.first(where: { $0.status == head.status }) else {
            if !AuthenticationParty.isAsking(head) {
                for party in request.parties { noteSuccess(head, party, &cache, storage) }
            }
            return .deliver
        }
        if party == .server, request.parties.contains(.proxy) {
            noteSuccess(head, .proxy, &cache, storage)
        }
        var dialogue = dialogues[party] ?? Dialogue()
        defer { dialogues[party] = dialogue }
        let offers = AuthenticationOffer.all(in: head, from: party, for: request)
        if let sent = dialogue.sent {
            dialogue.sent = nil
            let same = offers.first { $0.space == sent.space }
            if let same, let digest = same.digest, digest.nonce != sent.nonce,
                digest.isStale || sent.isPreemptive, dialogue.renewals < Self.maximumRenewals,
                let renewed = CachedCredential(same, sent.credential, for: request)
            {
                dialogue.renewals += 1
                dialogue.credential = renewed
                return .retry
            }
            cache.forget(sent)
            dialogue.refused[sent.space, default: []].append(sent.credential)
            if !sent.isPreemptive { dialogue.failures[sent.space, default: 0] += 1 }
            dialogue.credential = nil
        }
        let open = offers.filter { !dialogue.rejected.contains($0.space) }
        return ask(
            open, party, request, HTTPURLResponse(url: request.url, head: head), dialogue, storage)
    }

    private mutating func ask(
        _ offers: [AuthenticationOffer], _ party: AuthenticationParty, _ request: ChallengedRequest,
        _ response: HTTPURLResponse?, _ dialogue: Dialogue, _ storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        guard let offer = offers.first, questionCount < Self.maximumQuestions else {
            return .deliver
        }
        let refused = dialogue.refused[offer.space] ?? []
        let known = knownCredentials(for: offer.space, party, request, storage).first { known in
            !refused.contains { $0.isSameSecret(as: known) }
        }
        let failures = dialogue.failures[offer.space] ?? 0
        questionCount += 1
        question = Question(
            party: party, request: request, offers: offers, response: response, known: known)
        return .ask(
            URLAuthenticationChallenge(
                protectionSpace: offer.space,
                proposedCredential: failures > 0 ? refused.last : known,
                previousFailureCount: failures, failureResponse: response, error: nil),
            .task)
    }

    private func knownCredentials(
        for space: URLProtectionSpace, _ party: AuthenticationParty, _ request: ChallengedRequest,
        _ storage: URLCredentialStorage?
    ) -> [URLCredential] {
        var known: [URLCredential] = []
        if party == .server, let own = urlCredential(for: request.url) { known.append(own) }
        if party == .proxy, let own = request.proxy?.credential { known.append(own) }
        if let stored = storage?.defaultCredential(for: space), stored.hasPassword {
            known.append(stored)
        }
        return known
    }

    private mutating func noteSuccess(
        _ head: ResponseHead, _ party: AuthenticationParty, _ cache: inout AuthenticationCache,
        _ storage: URLCredentialStorage?
    ) {
        guard var dialogue = dialogues[party], let sent = dialogue.sent else { return }
        defer { dialogues[party] = dialogue }
        dialogue.sent = nil
        dialogue.renewals = 0
        if sent.nonce != nil, let info = AuthenticationInfo(in: head, from: party) {
            // The response failed mutual authentication: use and cache nothing of it.
            guard info.isGenuine(for: sent) else { return }
            if let nonce = info.nextNonce {
                dialogue.credential?.take(nextNonce: nonce)
                cache.take(nextNonce: nonce, for: sent)
            }
        }
        guard let cached = dialogue.credential, sent.credential.persistence != .none else { return }
        cache.remember(cached)
        dialogue.credential = nil
        storage?.keep(sent.credential, for: sent.space)
    }
}

// MARK: - TLS

extension AuthenticationState {
    /// Evaluates the server of a paused handshake.
    mutating func take(_ trust: ServerTrust, from url: URL) -> AuthenticationAction {
        handshakes.take(trust, from: url)
    }

    /// Called after `.trust` if the server requests a client certificate.
    mutating func take(
        clientCertificateFrom authorities: [Data], at url: URL, storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        handshakes.take(clientCertificateFrom: authorities, at: url, storage: storage)
    }

    /// The client certificate to present to a server.
    func identity(for url: URL) -> ClientIdentity? { handshakes.identity(for: url) }

    /// The client certificate, if other tasks of the session may present it too.
    func keptIdentity(for origin: Origin) -> ClientIdentity? {
        handshakes.keptIdentity(for: origin)
    }
}

// MARK: - The delegate's answer

extension AuthenticationState {
    /// Takes the answer to the pending question; `.performDefaultHandling` without a delegate.
    mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
        storage: URLCredentialStorage? = nil
    ) -> AuthenticationAction {
        if let action = handshakes.answer(disposition, credential) { return action }
        guard let question else { return .deliver }
        self.question = nil
        return answer(disposition, credential, question, storage)
    }

    private mutating func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
        _ question: Question, _ storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        let (party, request, offers) = (question.party, question.request, question.offers)
        guard let offer = offers.first else { return .deliver }
        var dialogue = dialogues[party] ?? Dialogue()
        defer { dialogues[party] = dialogue }
        let chosen: URLCredential?
        switch disposition {
        case .useCredential: chosen = credential
        case .performDefaultHandling: chosen = question.known
        case .cancelAuthenticationChallenge:
            return .fail(URLError(.cancelled, failingURL: request.url))
        case .rejectProtectionSpace:
            dialogue.rejected.insert(offer.space)
            return ask(
                Array(offers.dropFirst()), party, request, question.response, dialogue, storage)
        }
        guard let chosen, let cached = CachedCredential(offer, chosen, for: request) else {
            return .deliver
        }
        dialogue.credential = cached
        return .retry
    }
}
