import CCurl
import FoundationEssentials
import Synchronization

// Cookies and cache, where the engine comes by them.

extension Engine {
    // MARK: - Before a attempt

    /// Asks the cache about a attempt, then goes for a connection or gives the answer that is there.
    ///
    /// A handshake, and what only moves an upload on, ask for no document: they pass the cache by.
    func begin(_ transfer: Transfer) {
        transfer.stage = .waiting
        guard !transfer.pauses.contains(.suspended) else { return }  // until it is resumed
        guard let cache = transfer.settings.web.cache, !transfer.isWebSocket,
            !transfer.isControlRequest
        else {
            transfer.caching.plan = nil
            return approach(transfer)
        }
        let request = transfer.requestWithFields
        let policy = request.ownCachePolicy ?? transfer.settings.web.cachePolicy
        if let plan = cache.planAtOnce(for: request, policy: policy) {
            return carryOut(plan, transfer)
        }
        transfer.stage = .planning
        let task = transfer.task
        let attempt = transfer.attempt
        cache.planLater(for: request, policy: policy) { plan in
            Self.shared.submit { $0.take(plan, for: task, attempt: attempt) }
        }
    }

    private func take(_ plan: CachePlan, for task: URLSessionTask, attempt: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.stage == .planning
        else { return }
        transfer.stage = .waiting
        guard !transfer.pauses.contains(.suspended) else { return }
        carryOut(plan, transfer)
    }

    private func carryOut(_ plan: CachePlan, _ transfer: Transfer) {
        transfer.caching.plan = plan
        if let answer = plan.answer(at: Date()) {
            serve(answer, transfer)
        } else if plan.decision == .fail {
            fail(transfer, with: URLError(.resourceUnavailable, failingURL: transfer.request.url))
        } else {
            approach(transfer)
        }
    }

    /// Goes for a connection.
    private func approach(_ transfer: Transfer) {
        if !asksAboutNetwork(for: transfer) { proceed(transfer) }
    }

    /// A redirect within an origin keeps its connection.
    func proceed(_ transfer: Transfer) {
        if transfer.hasConnection { prepareBody(of: transfer) } else { enqueue(transfer) }
    }

    /// The fields to send, as they are at the last moment: while a transfer waits in line other answers
    /// may have set cookies.
    func fieldsToSend(for transfer: Transfer) -> HTTPHeaderFields {
        var fields = transfer.fields
        transfer.caching.requestTime = Date()
        if let plan = transfer.caching.plan, plan.request.headers["Cookie"] != fields["Cookie"] {
            var request = plan.request
            request.headers = fields
            transfer.caching.plan = plan.withoutEntry(for: request)
        }
        for field in transfer.caching.plan?.addedFields.fields ?? [] {
            fields[field.name] = field.value
        }
        for field in transfer.upload?.creationFields ?? [] { fields[field.name] = field.value }
        for proof in transfer.authorizationFields { fields[proof.name] = proof.value }
        if fields["Content-Type"] == nil { fields["Content-Type"] = transfer.assumedContentType }
        return fields
    }

    // MARK: - The head of an answer

    func takeCookies(from head: ResponseHead, _ transfer: Transfer) {
        guard !head.setCookies.isEmpty, transfer.request.httpShouldHandleCookies,
            let url = transfer.request.url
        else { return }
        transfer.settings.web.cookies?.receive(
            head.setCookies, from: url, mainDocumentURL: transfer.request.mainDocumentURL,
            sessionPolicy: transfer.settings.web.acceptPolicy)
    }

    /// Tells the cache of an answer. Returns whether a stored one is given in its place.
    func isReplacedFromCache(_ head: ResponseHead, _ transfer: Transfer) -> Bool {
        guard let cache = transfer.settings.web.cache, let plan = transfer.caching.plan else {
            return false
        }
        let now = Date()
        let reaction = plan.react(
            to: head, requestTime: transfer.caching.requestTime, responseTime: now)
        cache.apply(reaction, of: plan)
        switch reaction.answer {
        case .server:
            return false
        case .serverAndStore(let stored):
            transfer.caching.writer = transfer.response.flatMap {
                CacheWriter(
                    cache: cache, head: stored, response: $0, request: plan.request,
                    isWorthKeeping: true)
            }
            return false
        case .serverAndPropose(let head):
            guard transfer.task.asksAboutCaching else { return false }
            transfer.caching.writer = transfer.response.flatMap {
                CacheWriter(
                    cache: cache, head: head, response: $0, request: plan.request,
                    isWorthKeeping: false)
            }
            return false
        case .stored(let stored):
            transfer.caching.fallbackResponse = plan.answer(
                under: stored, isConfirmed: head.status == 304, at: now)
            return transfer.caching.fallbackResponse != nil
        }
    }

    // MARK: - Giving a stored answer

    private func serve(_ answer: CachePlan.Answer, _ transfer: Transfer) {
        giveUpConnection(of: transfer)
        transfer.stage = .serving
        transfer.caching.serving = AttemptCaching.StoredBody(answer.body)
        transfer.response = answer.response
        noteCachedTransaction(of: transfer, answer.response)
        transfer.mark()
        react(to: answer.response, of: transfer)
    }

    /// The server has confirmed what is stored, or has failed: its own body does not matter.
    func serveFallbackResponse(of transfer: Transfer) {
        guard let answer = transfer.caching.fallbackResponse else { return }
        transfer.caching.fallbackResponse = nil
        detach(transfer)
        _ = transfer.takeArrived()
        transfer.result = nil
        serve(answer, transfer)
    }

    /// Returns whether a stored answer is given where none came from the server (RFC 5861 §4).
    func isHelpedFromCache(_ transfer: Transfer, after error: URLError) -> Bool {
        guard transfer.response == nil,
            [.offline, .connecting, .exchanging].contains(transfer.stage),
            error.code.isOfTheConnection,
            let answer = transfer.caching.plan?.fallbackResponse(at: Date())
        else { return false }
        transfer.caching.fallbackResponse = answer
        serveFallbackResponse(of: transfer)
        return true
    }

    /// Brings the next piece of a stored body on its way.
    func serveMore(_ transfer: Transfer) {
        guard transfer.pauses.isEmpty, transfer.result == nil, transfer.stage == .serving,
            let serving = transfer.caching.serving, !serving.isReading
        else { return }
        if transfer.nextRequest != nil { return take(Data(), transfer) }
        switch serving.body {
        case .data:
            take(serving.body.piece(at: serving.position, byteCount: Self.pieceByteCount), transfer)
        case .file(let file):
            transfer.caching.serving?.isReading = true
            let task = transfer.task
            let attempt = transfer.attempt
            let position = serving.position
            FileQueue.run {
                let piece = file.piece(at: position, byteCount: Self.pieceByteCount)
                Self.shared.submit { $0.take(piece, for: task, attempt: attempt) }
            }
        }
    }

    private static var pieceByteCount: Int { 256 << 10 }

    private func take(_ piece: Data?, for task: URLSessionTask, attempt: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.stage == .serving
        else { return }
        transfer.caching.serving?.isReading = false
        take(piece, transfer)
    }

    private func take(_ piece: Data?, _ transfer: Transfer) {
        guard let piece else {
            return fail(
                transfer,
                with: URLError(
                    .cannotOpenFile, failingURL: transfer.request.url,
                    underlyingText: "the cache's file cannot be read"))
        }
        if piece.isEmpty {
            transfer.result = CURLE_OK
        } else {
            transfer.caching.serving?.position += piece.count
            piece.withUnsafeBytes { transfer.takeIn($0) }
        }
        transfer.mark()
    }

    // MARK: - Keeping the server's answer

    /// A redirect that was followed is complete.
    func keepRedirect(of transfer: Transfer) {
        guard let writer = transfer.caching.writer else { return }
        transfer.caching.writer = nil
        if transfer.result == CURLE_OK { writer.keep() } else { writer.discard() }
    }

    /// Stores the answer of a transfer that is complete, as its delegate wants it, and then goes on.
    func keepAnswer(of transfer: Transfer, then proceed: @escaping @Sendable () -> Void) {
        guard let writer = transfer.caching.writer else { return proceed() }
        transfer.caching.writer = nil
        let task = transfer.task
        guard task.asksAboutCaching else {
            writer.keep()
            return proceed()
        }
        writer.finish { proposal in
            guard let proposal else { return proceed() }
            task.post(
                .willCache(
                    proposal,
                    Reply { chosen in
                        writer.commit(chosen)
                        proceed()
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
