import CByteClubCurl
import FoundationEssentials
import Synchronization

// How one attempt follows another, and how results from other threads reach their attempt.

extension Engine {
    // MARK: - Asynchronous results

    /// Returns a closure that passes an answer to the engine, from any thread. It does nothing if the attempt
    /// has ended since.
    func callback<Answer: Sendable>(
        for transfer: Transfer,
        _ work: @escaping @Sendable (isolated Engine, Transfer, Answer) -> Void
    ) -> @Sendable (Answer) -> Void {
        let task = transfer.task
        let number = transfer.attempt.number
        return { answer in
            Self.shared.thread.submit { engine in
                guard let transfer = engine.transfers[ObjectIdentifier(task)],
                    transfer.attempt.number == number
                else { return }
                work(engine, transfer, answer)
            }
        }
    }

    /// The same for what belongs to the transfer, such as a failure of its file: any of its attempts takes the
    /// answer, also after a data task has become a download task. It does nothing if the transfer has ended.
    ///
    /// It does not retain the task, which may own what will call it.
    nonisolated func callback<Answer: Sendable>(
        forAnyAttemptOf task: URLSessionTask,
        _ work: @escaping @Sendable (isolated Engine, Transfer, Answer) -> Void
    ) -> @Sendable (Answer) -> Void {
        return { [weak task] answer in
            guard let task else { return }
            Self.shared.thread.submit { engine in
                guard let transfer = engine.transfers[ObjectIdentifier(task.successor ?? task)]
                else { return }
                work(engine, transfer, answer)
            }
        }
    }

    /// Pauses a transfer for a question to its delegate. The returned closure takes the answer.
    func question<Answer: Sendable>(
        of transfer: Transfer,
        _ work: @escaping @Sendable (isolated Engine, Transfer, Answer) -> Void
    ) -> @Sendable (Answer) -> Void {
        transfer.pauses.insert(.question)
        applyPauses(to: transfer)
        questionChanged(of: transfer)
        return callback(for: transfer) { engine, transfer, answer in
            transfer.pauses.remove(.question)
            engine.questionChanged(of: transfer)
            work(engine, transfer, answer)
            transfer.setNeedsProcessing()
        }
    }

    // MARK: - The next attempt

    func beginNextAttempt(of transfer: Transfer, _ next: URLRequest) {
        var next = transfer.settings.secured(next)
        // Each connection has a key of its own (RFC 6455 §4.1).
        if transfer.webSocket != nil {
            next.setValue(
                WebSocketHandshake.makeKey(), forHTTPHeaderField: "Sec-WebSocket-Key")
        }
        guard let origin = next.url.flatMap(Origin.init(of:)) else { return }
        closeAttempt(of: transfer)
        transfer.makeAttempt(next)
        if !transfer.isControlRequest {
            transfer.task.status.withLock { $0.currentRequest = next }
        }
        if origin != transfer.slot.place.origin {
            transfer.history.hasLeftOrigin = true
            releaseSlot(of: transfer)
            transfer.slot.place.origin = origin
        }
        beginAttempt(transfer)
    }

    /// Sends the same request again, with the same body, of which nothing has been sent.
    func connectAgain(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        connect(transfer)
    }

    /// Ends libcurl's part of the attempt. If the request was not complete, libcurl closes its connection.
    func closeAttempt(of transfer: Transfer) {
        let attempt = transfer.attempt
        leaveSharing(transfer)
        transfer.timers.stop(at: now)
        guard let easy = attempt.easy else { return }
        // An attempt that is only waiting for a connection has no transaction.
        if !attempt.http.lacksConnection { recordTransaction(of: transfer, easy) }
        attempt.easy = nil
        multi.remove(easy)
        if attempt.tls.handshake != nil { multi.handshakes.remove(easy) }
        attempt.tls.handshake = nil
        if attempt.result == nil { sendReset(of: attempt) }
        // An aborted handle keeps buffers that libcurl then refuses to resize.
        if attempt.result == CURLE_OK { giveBack(easy) }
    }

    // MARK: - Connections to a host

    func releaseSlot(of transfer: Transfer) {
        if transfer.isQueued { slots.withdraw(transfer.id, from: transfer.slot.place) }
        guard transfer.slot.isTaken else { return }
        transfer.slot.isTaken = false
        let place = transfer.slot.place
        let maximum = limit(for: transfer)
        giveSlot(at: place, limit: maximum, to: slots.release(place, limit: maximum))
    }

    /// Gives a free slot to the transfer that has left the queue for it, or to the next one if its task is over.
    ///
    /// The transfer opens its body when it is processed, which follows in this turn. One that fails at once
    /// releases its slot again: calls for thousands of them would overflow the stack.
    func giveSlot(
        at place: ConnectionSlots<ObjectIdentifier>.Place, limit: Int,
        to first: ObjectIdentifier?
    ) {
        var chosen = first
        while let id = chosen {
            if let next = transfers[id], !next.isTaskOver {
                next.slot.isTaken = true
                return next.setNeedsProcessing()
            }
            chosen = slots.release(place, limit: limit)
        }
    }

    // MARK: - Redirects

    /// Follows a redirect if the delegate agrees, after the body of the redirect has been read.
    func askToFollow(_ proposal: URLRequest, keepsBody: Bool, _ transfer: Transfer) {
        let task = transfer.task
        guard task.listener != nil, let response = transfer.attempt.response else {
            return follow(proposal, keepsBody: keepsBody, transfer)
        }
        let answered: @Sendable (URLRequest?) -> Void = question(of: transfer) {
            engine, transfer, answer in
            if let answer { return engine.follow(answer, keepsBody: keepsBody, transfer) }
            engine.takeHead(ResponseHead(response), of: transfer, from: .isResponse)
        }
        task.post(.redirect(response, proposal: proposal, Reply(answered)))
    }

    private func follow(_ next: URLRequest, keepsBody: Bool, _ transfer: Transfer) {
        var next = next
        if transfer.webSocket != nil { next.url = next.url.map(WebSocketHandshake.asHTTP) }
        guard let url = next.url, Origin(of: url) != nil else {
            return fail(transfer, with: URLError(.unsupportedURL, failingURL: next.url))
        }
        // What a program has sent before the opening is meant for TLS.
        if transfer.webSocket != nil, url.scheme?.lowercased() == "http",
            transfer.request.url?.scheme?.lowercased() == "https"
        {
            let code = URLError.Code.appTransportSecurityRequiresSecureConnection
            return fail(transfer, with: URLError(code, failingURL: url))
        }
        transfer.attempt.nextRequest = next.withoutCredentials
        transfer.history.followedRedirects += 1
        // A WebSocket sends through the same pipe.
        guard transfer.webSocket == nil else { return }
        if !keepsBody { transfer.source = .none }
        if !(transfer.task is URLSessionUploadTask) {
            transfer.source = transfer.source.following(next, after: transfer.request)
        }
    }

    // MARK: - Discarded bodies

    /// How long a discarded body is read to keep its connection, in nanoseconds.
    private static var discardedBodyTimeout: UInt64 { 1_000_000_000 }

    /// Sets when to stop reading a discarded body, if the attempt has one.
    func limitDiscardedBody(of transfer: Transfer) {
        guard transfer.attempt.isBodyDiscarded, transfer.attempt.received.discardDeadline == nil
        else { return }
        transfer.attempt.received.discardDeadline = now + Self.discardedBodyTimeout
    }

    /// Stops reading a discarded body: a new connection costs less than the rest of it.
    func endDiscardedBody(of transfer: Transfer) {
        if transfer.attempt.cache.fallback != nil { return replayFallback(of: transfer) }
        guard transfer.attempt.result == nil, let next = transfer.attempt.nextRequest else {
            return
        }
        beginNextAttempt(of: transfer, next)
    }
}

extension Attempt {
    /// Whether the rest of the response is only read to keep the connection: another request or a stored response
    /// follows.
    var isBodyDiscarded: Bool {
        isOnTheWire && head.isComplete && (nextRequest != nil || cache.fallback != nil)
    }
}
