import CCurl
import FoundationEssentials
import Synchronization

// Cookies and cache, where the engine comes by them.

extension Engine {
    // MARK: - Before a leg

    /// Asks the cache about a leg, then goes for a connection or gives the answer that is there.
    ///
    /// A handshake, and what only moves an upload on, ask for no document: they pass the cache by.
    func begin(_ load: Load) {
        load.stage = .waiting
        guard !load.pauses.contains(.suspended) else { return }  // until it is resumed
        guard let cache = load.settings.web.cache, !load.isWebSocket, !load.isAside else {
            load.caching.plan = nil
            return approach(load)
        }
        let request = load.requestWithFields
        let policy = request.ownCachePolicy ?? load.settings.web.cachePolicy
        if let plan = cache.planAtOnce(for: request, policy: policy) { return carryOut(plan, load) }
        load.stage = .planning
        let task = load.task
        let leg = load.leg
        cache.planLater(for: request, policy: policy) { plan in
            Self.shared.submit { $0.take(plan, for: task, leg: leg) }
        }
    }

    private func take(_ plan: CachePlan, for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.stage == .planning
        else { return }
        load.stage = .waiting
        guard !load.pauses.contains(.suspended) else { return }
        carryOut(plan, load)
    }

    private func carryOut(_ plan: CachePlan, _ load: Load) {
        load.caching.plan = plan
        if let answer = plan.answer(at: Date()) {
            serve(answer, load)
        } else if plan.decision == .fail {
            end(load, with: URLError(.resourceUnavailable, failingURL: load.request.url))
        } else {
            approach(load)
        }
    }

    /// Goes for a connection.
    private func approach(_ load: Load) {
        if !asksAboutNetwork(for: load) { goOn(load) }
    }

    /// A redirect within an origin keeps its connection.
    func goOn(_ load: Load) {
        if load.hasConnection { prepareBody(of: load) } else { lineUp(load) }
    }

    /// The fields to send, as they are at the last moment: while a load waits in line other answers
    /// may have set cookies.
    func fieldsToSend(for load: Load) -> HTTPHeaderFields {
        var fields = load.fields
        load.caching.requestTime = Date()
        if let plan = load.caching.plan, plan.request.headers["Cookie"] != fields["Cookie"] {
            var request = plan.request
            request.headers = fields
            load.caching.plan = plan.withoutEntry(for: request)
        }
        for field in load.caching.plan?.addedFields.fields ?? [] {
            fields[field.name] = field.value
        }
        for field in load.upload?.creationFields ?? [] { fields[field.name] = field.value }
        for proof in load.proofs { fields[proof.name] = proof.value }
        if fields["Content-Type"] == nil { fields["Content-Type"] = load.assumedContentType }
        return fields
    }

    // MARK: - The head of an answer

    func takeCookies(from head: ResponseHead, _ load: Load) {
        guard !head.setCookies.isEmpty, load.request.httpShouldHandleCookies,
            let url = load.request.url
        else { return }
        load.settings.web.cookies?.receive(
            head.setCookies, from: url, mainDocumentURL: load.request.mainDocumentURL,
            sessionPolicy: load.settings.web.acceptPolicy)
    }

    /// Tells the cache of an answer. Returns whether a stored one is given in its place.
    func isReplacedFromCache(_ head: ResponseHead, _ load: Load) -> Bool {
        guard let cache = load.settings.web.cache, let plan = load.caching.plan else {
            return false
        }
        let now = Date()
        let reaction = plan.react(
            to: head, requestTime: load.caching.requestTime, responseTime: now)
        cache.apply(reaction, of: plan)
        switch reaction.answer {
        case .server:
            return false
        case .serverAndStore(let stored):
            load.caching.writer = load.response.flatMap {
                CacheWriter(
                    cache: cache, head: stored, response: $0, request: plan.request,
                    isWorthKeeping: true)
            }
            return false
        case .serverAndPropose(let head):
            guard load.task.asksAboutCaching else { return false }
            load.caching.writer = load.response.flatMap {
                CacheWriter(
                    cache: cache, head: head, response: $0, request: plan.request,
                    isWorthKeeping: false)
            }
            return false
        case .stored(let stored):
            load.caching.standIn = plan.answer(
                under: stored, isConfirmed: head.status == 304, at: now)
            return load.caching.standIn != nil
        }
    }

    // MARK: - Giving a stored answer

    private func serve(_ answer: CachePlan.Answer, _ load: Load) {
        giveUpConnection(of: load)
        load.stage = .serving
        load.caching.serving = LoadCaching.StoredBody(answer.body)
        load.response = answer.response
        noteCachedTransaction(of: load, answer.response)
        load.mark()
        react(to: answer.response, of: load)
    }

    /// The server has confirmed what is stored, or has failed: its own body does not matter.
    func serveStandIn(of load: Load) {
        guard let answer = load.caching.standIn else { return }
        load.caching.standIn = nil
        detach(load)
        _ = load.takeArrived()
        load.verdict = nil
        serve(answer, load)
    }

    /// Returns whether a stored answer is given where none came from the server (RFC 5861 §4).
    func isHelpedFromCache(_ load: Load, after error: URLError) -> Bool {
        guard load.response == nil,
            [.offline, .connecting, .exchanging].contains(load.stage),
            error.code.isOfTheConnection, let answer = load.caching.plan?.standIn(at: Date())
        else { return false }
        load.caching.standIn = answer
        serveStandIn(of: load)
        return true
    }

    /// Brings the next piece of a stored body on its way.
    func serveMore(_ load: Load) {
        guard load.pauses.isEmpty, load.verdict == nil, load.stage == .serving,
            let serving = load.caching.serving, !serving.isReading
        else { return }
        if load.following != nil { return take(Data(), load) }
        switch serving.body {
        case .data:
            take(serving.body.piece(at: serving.position, byteCount: Self.pieceByteCount), load)
        case .file(let file):
            load.caching.serving?.isReading = true
            let task = load.task
            let leg = load.leg
            let position = serving.position
            FileQueue.run {
                let piece = file.piece(at: position, byteCount: Self.pieceByteCount)
                Self.shared.submit { $0.take(piece, for: task, leg: leg) }
            }
        }
    }

    private static var pieceByteCount: Int { 256 << 10 }

    private func take(_ piece: Data?, for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.stage == .serving
        else { return }
        load.caching.serving?.isReading = false
        take(piece, load)
    }

    private func take(_ piece: Data?, _ load: Load) {
        guard let piece else {
            return end(
                load,
                with: URLError(
                    .cannotOpenFile, failingURL: load.request.url,
                    underlyingText: "the cache's file cannot be read"))
        }
        if piece.isEmpty {
            load.verdict = CURLE_OK
        } else {
            load.caching.serving?.position += piece.count
            piece.withUnsafeBytes { load.takeIn($0) }
        }
        load.mark()
    }

    // MARK: - Keeping the server's answer

    /// A redirect that was followed is complete.
    func keepRedirect(of load: Load) {
        guard let writer = load.caching.writer else { return }
        load.caching.writer = nil
        if load.verdict == CURLE_OK { writer.keep() } else { writer.discard() }
    }

    /// Stores the answer of a load that is complete, as its delegate wants it, and then goes on.
    func keepAnswer(of load: Load, then goOn: @escaping @Sendable () -> Void) {
        guard let writer = load.caching.writer else { return goOn() }
        load.caching.writer = nil
        let task = load.task
        guard task.asksAboutCaching else {
            writer.keep()
            return goOn()
        }
        writer.finish { proposal in
            guard let proposal else { return goOn() }
            task.post(
                .willCache(
                    proposal,
                    Reply { chosen in
                        writer.commit(chosen)
                        goOn()
                    }))
        }
    }
}

extension URLError.Code {
    /// Whether it says that no server could be spoken to.
    fileprivate var isOfTheConnection: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed:
            true
        default: false
        }
    }
}
