import FoundationEssentials
import Synchronization

// Between a server or proxy that wants authorizationFields and a delegate that may have them. What follows from
// what is decided by `AuthenticationState`.

extension Engine {
    // MARK: - Before a attempt

    /// Finds the fields that authorize who we are, for the attempt that begins.
    ///
    /// - Returns: false when the body has to be hashed first; `connect` is called again then.
    func authorize(_ transfer: Transfer) -> Bool {
        let session = transfer.task.session
        guard let url = transfer.request.url else { return true }
        transfer.findRoute(to: url)
        guard
            transfer.authentication.hasSpoken
                || session.authenticationCache.withLock({ !$0.isEmpty })
        else { return true }
        if transfer.challenged == nil {
            let request = transfer.makeChallengedRequest(url)
            transfer.challenged = request
            let wanted = session.authenticationCache.withLock {
                transfer.authentication.bodyHashAlgorithm(for: request, cache: $0)
            }
            if let wanted, hashBody(of: transfer, with: wanted) { return false }
        }
        guard let request = transfer.challenged else { return true }
        var own = transfer.request.headers
        if !transfer.hasLeftOrigin, let more = transfer.settings.additionalHeaders {
            own.fill(from: more)
        }
        let fields = session.authenticationCache.withLock { cache in
            transfer.authentication.fields(for: request, own: own, cache: &cache)
                + (transfer.connectRequest.map {
                    transfer.authentication.fields(for: $0, own: own, cache: &cache)
                } ?? [])
        }
        transfer.authorizationFields = fields.filter {
            $0.name == AuthenticationParty.server.answerField
        }
        transfer.proxyAuthorizationFields = fields.filter {
            $0.name == AuthenticationParty.proxy.answerField
        }
        return true
    }

    /// - Returns: false when there is no body that could be hashed in advance.
    private func hashBody(of transfer: Transfer, with algorithm: DigestAlgorithm) -> Bool {
        let task = transfer.task
        let attempt = transfer.attempt
        if case .none = transfer.body { return false }
        // libcurl sends no body with HEAD.
        guard transfer.request.method != "HEAD" else { return false }
        switch transfer.source {
        case .none, .given, .pipe, .stream: return false
        case .data, .file: break
        }
        BodyHash.make(of: transfer.source, from: transfer.bodyOffset, with: algorithm) { hash in
            Self.shared.submit { $0.take(bodyHash: hash, for: task, attempt: attempt) }
        }
        return true
    }

    private func take(bodyHash: String?, for task: URLSessionTask, attempt: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.stage == .preparing
        else { return }
        transfer.challenged?.bodyHash = bodyHash
        connect(transfer)
    }

    // MARK: - Answers that ask

    /// Whether the head asks for a proof that can perhaps be given. If so, all that follows is done.
    func isChallenge(_ head: ResponseHead, to transfer: Transfer) -> Bool {
        guard AuthenticationParty.isAsking(head) || transfer.challenged != nil,
            let url = transfer.request.url
        else { return false }
        noteTunnel(of: transfer)
        let request = transfer.challenged ?? transfer.makeChallengedRequest(url)
        let action = transfer.task.session.authenticationCache.withLock {
            transfer.authentication.take(
                head, to: request, cache: &$0, storage: transfer.settings.credentialStorage)
        }
        if case .deliver = action { return false }
        perform(action, for: transfer)
        return true
    }

    func perform(_ action: AuthenticationAction, for transfer: Transfer) {
        switch action {
        case .deliver where transfer.isTunnelRefused: refuseTunnel(transfer)
        case .deliver: takeAnswer(of: transfer)
        case .retry where transfer.isTunnelRefused: connectAgain(transfer)
        case .retry: transfer.nextRequest = transfer.request
        case .ask(let challenge, let audience): put(challenge, to: audience, for: transfer)
        case .trust: trustServer(of: transfer)
        case .present: present(transfer)
        case .presentNone: goOnWithHandshake(of: transfer)
        case .fail(let error): fail(transfer, with: error)
        }
    }

    private func put(
        _ challenge: URLAuthenticationChallenge, to audience: AuthenticationAction.Audience,
        for transfer: Transfer
    ) {
        let task = transfer.task
        guard task.delegate != nil || task.session.delegate != nil else {
            return perform(
                transfer.authentication.answer(
                    .performDefaultHandling, nil, storage: transfer.settings.credentialStorage),
                for: transfer)
        }
        let attempt = transfer.attempt
        transfer.pauses.insert(.asking)
        applyPauses(to: transfer)
        task.post(
            .challenge(
                challenge, audience,
                Reply { answer in
                    Self.shared.submit { $0.challengeAnswered(answer, for: task, attempt: attempt) }
                }))
    }

    private func challengeAnswered(
        _ answer: ChallengeAnswer, for task: URLSessionTask, attempt: Int
    ) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.isAsking,
            transfer.authentication.isAsking
        else { return }
        transfer.pauses.remove(.asking)
        perform(
            transfer.authentication.answer(
                answer.disposition, answer.credential, storage: transfer.settings.credentialStorage),
            for: transfer)
        transfer.mark()
    }
}
