import CByteClubCurl
import FoundationEssentials
import Synchronization

// How a transfer uses the cache.

extension Engine {
    // MARK: - Before a request

    enum CacheConsultation {
        case uncached
        /// The request must not be loaded, and there is no cache.
        case unavailable
        case plan(CachePlan)
        /// The cache reads from disk, and calls `beginAttempt` with its plan.
        case underway
    }

    /// Asks the cache for a plan. WebSockets and control requests of an upload bypass it.
    func consultCache(for transfer: Transfer) -> CacheConsultation {
        guard transfer.webSocket == nil, !transfer.isControlRequest else { return .uncached }
        let policy = transfer.request.ownCachePolicy ?? transfer.settings.web.cachePolicy
        guard let cache = transfer.settings.web.cache else {
            return policy == .returnCacheDataDontLoad ? .unavailable : .uncached
        }
        let request = transfer.requestWithFields
        let requester = transfer.cacheRequester(of: request)
        if let plan = cache.planAtOnce(for: request, policy: policy, by: requester) {
            return .plan(plan)
        }
        transfer.enter(.consultingCache)
        cache.planLater(
            for: request, policy: policy, by: requester,
            callback(for: transfer) { engine, transfer, plan in
                guard transfer.state.isConsultingCache else { return }
                engine.beginAttempt(transfer, with: plan)
            })
        return .underway
    }

    /// Fails a request that must not be loaded.
    func failUncached(_ transfer: Transfer) {
        fail(transfer, with: URLError(.resourceUnavailable, failingURL: transfer.request.url))
    }

    // MARK: - The head of a response

    /// Updates the cache for a response, and prepares to store its body.
    func apply(_ reaction: CacheReaction, to transfer: Transfer) {
        guard let cache = transfer.settings.web.cache else { return }
        // Without one, if the response is to a control request of an upload.
        let applied = cache.apply(reaction, of: transfer.attempt.cache.plan)
        transfer.attempt.cache.plan = applied
        // Sessions that do not trust the server must not receive its responses either.
        guard let plan = applied, transfer.isServerVerified, transfer.isEndOfBodyKnown else {
            return
        }
        let stored: StoredHead
        let isWorthKeeping: Bool
        switch reaction.answer {
        case .server, .stored:
            return
        case .serverAndStore(let head), .serverAndPropose(let head):
            (stored, isWorthKeeping) = (head, reaction.answer == .serverAndStore(head))
            guard isWorthKeeping || transfer.task.asksAboutCaching else { return }
        }
        transfer.attempt.cache.writer = transfer.attempt.response.flatMap {
            CacheWriter(
                cache: cache, plan: plan, head: stored, response: $0,
                isWorthKeeping: isWorthKeeping)
        }
    }

    // MARK: - Replaying a stored response

    func replay(_ answer: CachePlan.Answer, _ transfer: Transfer) {
        releaseSlot(of: transfer)
        transfer.enter(.replayingCache(.init(answer.body)))
        transfer.attempt.response = answer.response
        recordCachedTransaction(of: transfer, answer.response)
        transfer.setNeedsProcessing()
        takeHead(ResponseHead(answer.response), of: transfer, from: .isRedirect)
    }

    /// Delivers the stored response instead of the server's, which has confirmed it or has failed.
    func replayFallback(of transfer: Transfer) {
        guard let answer = transfer.attempt.cache.fallback else { return }
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        replay(answer, transfer)
    }

    /// Delivers the next piece of a stored body.
    func replayMore(of transfer: Transfer) {
        guard transfer.pauses.isEmpty, transfer.attempt.result == nil,
            let replay = transfer.state.replay, !replay.isReading
        else { return }
        if transfer.attempt.nextRequest != nil { return take(Data(), transfer) }
        switch replay.body {
        case .data:
            take(replay.body.piece(at: replay.position, byteCount: Self.pieceByteCount), transfer)
        case .file(let file):
            transfer.replay?.isReading = true
            let take = callback(for: transfer) { (engine, transfer, piece: Data?) in
                transfer.replay?.isReading = false
                engine.take(piece, transfer)
            }
            let position = replay.position
            FileQueue.run { take(file.piece(at: position, byteCount: Self.pieceByteCount)) }
        }
    }

    private static var pieceByteCount: Int { 256 << 10 }

    private func take(_ piece: Data?, _ transfer: Transfer) {
        guard let piece else {
            return fail(
                transfer,
                with: URLError(
                    .cannotOpenFile, failingURL: transfer.request.url,
                    underlyingText: "the cache's file cannot be read"))
        }
        if piece.isEmpty {
            transfer.attempt.result = CURLE_OK
        } else {
            transfer.replay?.position += piece.count
            piece.withUnsafeBytes { transfer.attempt.received.append($0) }
        }
        transfer.setNeedsProcessing()
    }

    // MARK: - Keeping the server's response

    /// Stores a redirect that was followed.
    func keepRedirect(of transfer: Transfer) {
        guard let writer = transfer.attempt.cache.writer else { return }
        transfer.attempt.cache.writer = nil
        if transfer.attempt.result == CURLE_OK { writer.keep() } else { writer.discard() }
    }

    /// Completes a transfer whose body is in a file or is being stored in the cache: first stores the
    /// response, as the delegate decides, then closes the file, then posts the completion.
    func finishStoring(_ transfer: Transfer) {
        let task = transfer.task
        guard let file = transfer.answer.file else {
            let result = TaskResult(data: transfer.answer.memory)
            return keepResponse(of: transfer) { task.post(.completed(result)) }
        }
        keepResponse(of: transfer) {
            file.finish { result in
                switch result {
                case .success(let file):
                    task.post(.completed(TaskResult(file: file)))
                case .failure(let error):
                    task.post(.completed(TaskResult(error: error.for(task.currentRequest?.url))))
                }
            }
        }
    }

    private func keepResponse(of transfer: Transfer, then proceed: @escaping @Sendable () -> Void) {
        guard let writer = transfer.attempt.cache.writer else { return proceed() }
        transfer.attempt.cache.writer = nil
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

extension Transfer {
    /// Whether an incomplete body can be recognized (RFC 9111 §3.3).
    ///
    /// Without a length, a body of HTTP/1 ends with its connection. Over TLS anybody on the route could end that, but
    /// for the server's close_notify (RFC 9112 §9.8): older versions of libcurl do not tell whether it came, and have
    /// freed the connection before it could be asked for.
    fileprivate var isEndOfBodyKnown: Bool {
        let isOverTLS =
            request.url?.scheme?.lowercased() == "https" || attempt.route.proxy?.kind == .https
        guard isOverTLS, !attempt.http.isMultiplexed, let head = attempt.head.head else {
            return true
        }
        if request.method == "HEAD" || head.status == 204 { return true }
        let codings = ListField.members(of: head.headers["Transfer-Encoding"] ?? "")
        return codings.last?.lowercased() == "chunked" || head.headers["Content-Length"] != nil
    }

    /// Who asks for the response to a request that is about to be sent.
    fileprivate func cacheRequester(of request: URLRequest) -> CacheRequester {
        guard let url = request.url else { return CacheRequester() }
        let challenged = ChallengedRequest(url, method: request.method)
        return task.session.authenticationCache.withLock {
            authentication.cacheRequester(for: challenged, own: request.headers, cache: $0)
        }
    }
}
