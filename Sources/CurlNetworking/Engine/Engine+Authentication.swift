import FoundationEssentials
import Synchronization

// Carries out the actions chosen by `AuthenticationState`.

/// Whether a request can be sent.
enum Authorization {
    case authorized
    /// The body is being hashed; `connect` is called again afterwards.
    case hashingBody
}

extension Engine {
    // MARK: - Before a request

    /// Determines the credentials of an attempt that starts.
    func authorize(_ transfer: Transfer) -> Authorization {
        let session = transfer.task.session
        guard let url = transfer.request.url else { return .authorized }
        let attempt = transfer.attempt
        attempt.route = transfer.makeRoute(to: url)
        guard
            transfer.authentication.isInvolved
                || session.authenticationCache.withLock({ !$0.isEmpty })
        else { return .authorized }
        if attempt.authorization.request == nil {
            let request = transfer.makeChallengedRequest(url)
            attempt.authorization.request = request
            let wanted = session.authenticationCache.withLock {
                transfer.authentication.bodyHashAlgorithm(for: request, cache: $0)
            }
            if let wanted, transfer.canHashBody {
                hashBody(of: transfer, with: wanted)
                return .hashingBody
            }
        }
        guard let request = attempt.authorization.request else { return .authorized }
        var own = transfer.request.headers
        if !transfer.history.hasLeftOrigin, let more = transfer.settings.additionalHeaders {
            own.fill(from: more)
        }
        let fields = session.authenticationCache.withLock { cache in
            transfer.authentication.fields(for: request, own: own, cache: &cache)
                + (transfer.connectRequest.map {
                    transfer.authentication.fields(for: $0, own: own, cache: &cache)
                } ?? [])
        }
        attempt.authorization.fields = fields.filter {
            $0.name == AuthenticationParty.server.answerField
        }
        attempt.authorization.account = transfer.authentication.sentAccount
        attempt.authorization.proxyFields = fields.filter {
            $0.name == AuthenticationParty.proxy.answerField
        }
        return .authorized
    }

    private func hashBody(of transfer: Transfer, with algorithm: DigestAlgorithm) {
        transfer.enter(.openingBody)
        BodyHash.make(
            of: transfer.source, from: transfer.attempt.body.start, with: algorithm,
            finish: callback(for: transfer) { engine, transfer, hash in
                guard transfer.state.isOpeningBody else { return }
                transfer.attempt.authorization.request?.bodyHash = hash
                engine.connect(transfer)
            })
    }

    // MARK: - After a challenge

    func perform(_ action: AuthenticationAction, for transfer: Transfer) {
        let isTunnelRefused = transfer.attempt.route.isTunnelRefused
        switch action {
        case .deliver where isTunnelRefused: failRefusedTunnel(transfer)
        case .deliver: deliverChallenge(of: transfer)
        case .retry where isTunnelRefused: connectAgain(transfer)
        case .retry: transfer.attempt.nextRequest = transfer.request
        case .ask(let challenge, let audience): ask(challenge, audience, transfer)
        case .trust: trustServer(of: transfer)
        case .present: presentCertificate(transfer)
        case .presentNone: resumeHandshake(of: transfer)
        case .fail(let error): fail(transfer, with: error)
        }
    }

    /// There are no credentials: the challenge itself is the response.
    private func deliverChallenge(of transfer: Transfer) {
        guard let head = transfer.attempt.head.head, transfer.attempt.response != nil else {
            return
        }
        takeHead(head, of: transfer, from: .isOfUpload)
    }

    private func ask(
        _ challenge: URLAuthenticationChallenge, _ audience: AuthenticationAction.Audience,
        _ transfer: Transfer
    ) {
        let task = transfer.task
        guard task.delegate != nil || task.session.delegate != nil else {
            return perform(
                transfer.authentication.answer(
                    .performDefaultHandling, nil, storage: transfer.settings.credentialStorage),
                for: transfer)
        }
        let answered: @Sendable (ChallengeAnswer) -> Void = question(of: transfer) {
            engine, transfer, answer in
            let action = transfer.authentication.answer(
                answer.disposition, answer.credential, storage: transfer.settings.credentialStorage)
            engine.perform(action, for: transfer)
        }
        task.post(.challenge(challenge, audience, Reply(answered)))
    }
}

extension Transfer {
    /// Whether the body can be hashed before it is sent.
    fileprivate var canHashBody: Bool {
        // libcurl sends no body with HEAD.
        guard !attempt.body.isNone, request.method != "HEAD" else { return false }
        switch source {
        case .none, .given, .pipe, .produced, .stream: return false
        case .data, .file: return true
        }
    }
}
