import FoundationEssentials

/// How one task proves who it is and whom it believes, as a value: challenges and the delegate's
/// answers go in, actions come out.
///
/// For HTTP, per party (server, proxy):
///
/// | moment | what happens |
/// |---|---|
/// | a request goes out | it carries the task's credential, else the one the session remembers |
/// | 401 or 407 to no credential | the strongest offer that was not rejected is put to the delegate |
/// | to a credential with a nonce that has aged | once more with the new nonce, nobody is asked |
/// | to a remembered credential | it is forgotten; the delegate is asked, which has not failed yet |
/// | to the delegate's credential | the delegate is asked again, with one failure more |
/// | anything else | the credential was good; the session remembers it as its persistence allows |
///
/// No loops: credentials that nobody was asked for are tried once each, an aged nonce is renewed at
/// most `mostRenewals` times in a row, and a delegate is asked at most `mostQuestions` times in all.
struct AuthenticationState: Sendable {
    /// Of the task's first request, perhaps with a name and a password for its server.
    private let firstURL: URL?
    private var dialogues: [AuthenticationParty: Dialogue] = [:]
    private var question: Question?
    private var questionCount = 0
    private var handshakes = HandshakeState()
    private let makeClientNonce: @Sendable () -> String

    static let mostQuestions = 20
    static let mostRenewals = 3

    private struct Dialogue: Sendable {
        var credential: CachedCredential?
        var sent: CachedCredential.Sent?
        var failures: [URLProtectionSpace: Int] = [:]
        var refused: [URLProtectionSpace: [URLCredential]] = [:]
        var rejected: Set<URLProtectionSpace> = []
        var renewals = 0
    }

    /// What the delegate is asked for a server or proxy.
    private struct Question: Sendable {
        var party: AuthenticationParty
        var request: ChallengedRequest
        /// The strongest first: the one that was put to the delegate.
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

    /// From the URL of the task's first request: `http://name:password@host/`.
    private func urlCredential(for url: URL) -> URLCredential? {
        guard let firstURL, let origin = Origin(of: firstURL), origin == Origin(of: url),
            let user = firstURL.user(percentEncoded: false), !user.isEmpty
        else { return nil }
        return URLCredential(
            user: user, password: firstURL.password(percentEncoded: false) ?? "",
            persistence: .forSession)
    }

    /// Whether somebody has asked for a credential over HTTP, or was shown one.
    var isInvolved: Bool { !dialogues.isEmpty }

    /// Whether the delegate is being asked.
    var isAsking: Bool { question != nil || handshakes.isAsking }
}

// MARK: - Requests

extension AuthenticationState {
    /// The hash of the body that the credential of the next request needs: give it as its `bodyHash`.
    func bodyHashAlgorithm(
        for request: ChallengedRequest, cache: AuthenticationCache
    ) -> DigestAlgorithm? {
        credential(for: request, .server, cache)?.bodyHash
    }

    /// The fields that carry credentials. To be called once for each attempt, as it begins.
    ///
    /// They stand in for fields of the same name. A request with an `Authorization` of its own keeps it
    /// until it is challenged.
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

    private func credential(
        for request: ChallengedRequest, _ party: AuthenticationParty, _ cache: AuthenticationCache
    ) -> CachedCredential? {
        if let own = dialogues[party]?.credential, own.isInSpace(of: request, party) { return own }
        return cache.credential(for: request, party)
    }
}

// MARK: - Answers over HTTP

extension AuthenticationState {
    /// To be called with the head of each answer, before anything else is done about it.
    mutating func take(
        _ head: ResponseHead, to request: ChallengedRequest, cache: inout AuthenticationCache,
        storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        // A 407 says nothing of the server, and a 401 that the proxy has let the request pass.
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
                digest.isStale || sent.isPreemptive, dialogue.renewals < Self.mostRenewals,
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
        guard let offer = offers.first, questionCount < Self.mostQuestions else { return .deliver }
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
            // Of a server that is not, nothing is believed or remembered.
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
    /// To be called when a handshake is held.
    mutating func take(_ trust: ServerTrust, from url: URL) -> AuthenticationAction {
        handshakes.take(trust, from: url)
    }

    /// To be called after `.trust` when the server wants a client certificate.
    mutating func take(
        clientCertificateFrom authorities: [Data], at url: URL, storage: URLCredentialStorage?
    ) -> AuthenticationAction {
        handshakes.take(clientCertificateFrom: authorities, at: url, storage: storage)
    }

    /// The client certificate to present to a server.
    func identity(for url: URL) -> ClientIdentity? { handshakes.identity(for: url) }

    /// The same, if other tasks of the session may present it too.
    func keptIdentity(for origin: Origin) -> ClientIdentity? {
        handshakes.keptIdentity(for: origin)
    }
}

// MARK: - The delegate's answer

extension AuthenticationState {
    /// Takes the answer to the last question. Without a delegate it is `.performDefaultHandling`.
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
