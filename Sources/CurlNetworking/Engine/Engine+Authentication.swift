import FoundationEssentials
import Synchronization

// Between a server or proxy that wants proofs and a delegate that may have them. What follows from
// what is decided by `AuthenticationState`.

extension Engine {
    // MARK: - Before a leg

    /// Finds the fields that prove who we are, for the leg that begins.
    ///
    /// - Returns: false when the body has to be hashed first; `connect` is called again then.
    func prove(_ load: Load) -> Bool {
        let session = load.task.session
        guard let url = load.request.url else { return true }
        load.findRoute(to: url)
        guard
            load.authentication.hasSpoken || session.proofs.withLock({ !$0.isEmpty })
        else { return true }
        if load.challenged == nil {
            let request = load.makeChallengedRequest(url)
            load.challenged = request
            let wanted = session.proofs.withLock {
                load.authentication.bodyHashWanted(for: request, memory: $0)
            }
            if let wanted, hashBody(of: load, with: wanted) { return false }
        }
        guard let request = load.challenged else { return true }
        var own = load.request.headers
        if !load.hasLeftOrigin, let more = load.settings.additionalHeaders { own.fill(from: more) }
        let fields = session.proofs.withLock { memory in
            load.authentication.fields(for: request, own: own, memory: &memory)
                + (load.connectRequest.map {
                    load.authentication.fields(for: $0, own: own, memory: &memory)
                } ?? [])
        }
        load.proofs = fields.filter { $0.name == AuthenticationParty.server.answerField }
        load.proxyProofs = fields.filter { $0.name == AuthenticationParty.proxy.answerField }
        return true
    }

    /// - Returns: false when there is no body that could be hashed in advance.
    private func hashBody(of load: Load, with algorithm: DigestAlgorithm) -> Bool {
        let task = load.task
        let leg = load.leg
        if case .none = load.body { return false }
        // libcurl sends no body with HEAD.
        guard load.request.method != "HEAD" else { return false }
        switch load.source {
        case .none, .given, .pipe, .stream: return false
        case .data, .file: break
        }
        BodyHash.make(of: load.source, from: load.bodyOffset, with: algorithm) { hash in
            Self.shared.submit { $0.take(bodyHash: hash, for: task, leg: leg) }
        }
        return true
    }

    private func take(bodyHash: String?, for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.stage == .preparing
        else { return }
        load.challenged?.bodyHash = bodyHash
        connect(load)
    }

    // MARK: - Answers that ask

    /// Whether the head asks for a proof that can perhaps be given. If so, all that follows is done.
    func isChallenge(_ head: ResponseHead, to load: Load) -> Bool {
        guard AuthenticationParty.isAsking(head) || load.challenged != nil,
            let url = load.request.url
        else { return false }
        noteTunnel(of: load)
        let request = load.challenged ?? load.makeChallengedRequest(url)
        let action = load.task.session.proofs.withLock {
            load.authentication.take(
                head, to: request, memory: &$0, storage: load.settings.credentialStorage)
        }
        if case .deliver = action { return false }
        perform(action, for: load)
        return true
    }

    func perform(_ action: AuthenticationAction, for load: Load) {
        switch action {
        case .deliver where load.isTunnelRefused: refuseTunnel(load)
        case .deliver: takeAnswer(of: load)
        case .retry where load.isTunnelRefused: connectAgain(load)
        case .retry: load.following = load.request
        case .ask(let challenge, let audience): put(challenge, to: audience, for: load)
        case .trust: trustServer(of: load)
        case .present: present(load)
        case .presentNone: goOnWithHandshake(of: load)
        case .fail(let error): end(load, with: error)
        }
    }

    private func put(
        _ challenge: URLAuthenticationChallenge, to audience: AuthenticationAction.Audience,
        for load: Load
    ) {
        let task = load.task
        guard task.delegate != nil || task.session.delegate != nil else {
            return perform(
                load.authentication.answer(
                    .performDefaultHandling, nil, storage: load.settings.credentialStorage),
                for: load)
        }
        let leg = load.leg
        load.pauses.insert(.asking)
        applyPauses(to: load)
        task.post(
            .challenge(
                challenge, audience,
                Reply { answer in
                    Self.shared.submit { $0.challengeAnswered(answer, for: task, leg: leg) }
                }))
    }

    private func challengeAnswered(_ answer: ChallengeAnswer, for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.isAsking,
            load.authentication.isAsking
        else { return }
        load.pauses.remove(.asking)
        perform(
            load.authentication.answer(
                answer.disposition, answer.credential, storage: load.settings.credentialStorage),
            for: load)
        load.mark()
    }
}
