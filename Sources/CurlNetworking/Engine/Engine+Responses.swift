import CByteClubCurl
import FoundationEssentials
import Synchronization

// The second half of a transfer's main line, from what libcurl's callbacks have recorded to the completion,
// in order:
//
//     process → completeAttempt
//
// `process` calls the steps between them: `noteResponse`, `takeHead`, `deliver` and `handOverBody`. A complete
// transfer is closed (`closeTransfer`) and reported at the end of the turn, or by `finishStoring`
// (`Engine+Caching.swift`) if its body is in a file or is being stored in the cache. One that fails is closed
// by `fail`. The first half is in `Engine+Requests.swift`. Values make the decisions (`HeadDecision`,
// `LostRequest` …); the files beside this one contain the exceptional paths.

extension Engine {
    // MARK: - 5. Processing what libcurl's callbacks have recorded

    func process(_ transfer: Transfer) {
        let attempt = transfer.attempt
        guard !transfer.state.isFinished else { return }
        if transfer.state.isAwaitingConnection { return connect(transfer) }
        if transfer.isAdmitted { return openBody(of: transfer) }
        if attempt.noted.hasMoved {
            attempt.noted.hasMoved = false
            transfer.timers.request.restart(at: now)
        }
        if attempt.noted.isConnected, transfer.state.isConnecting {
            transfer.enter(.exchanging)
        }
        shareConnection(of: transfer)
        if let failure = attempt.noted.failure { return fail(transfer, with: failure) }
        if transfer.isHandshakePaused {
            if !transfer.isAsking { evaluateServerTrust(of: transfer) }
            return
        }
        reportUploadProgress(of: transfer)
        for head in attempt.head.takeInterim() { takeHead(head, of: transfer) }
        if attempt.head.isComplete, attempt.response == nil, let head = attempt.head.head {
            noteResponse(head, of: transfer)
            takeHead(head, of: transfer)
        }
        guard !transfer.isAsking, !transfer.state.isFinished else { return }
        if attempt.isWebSocket, let next = attempt.nextRequest {
            return beginNextAttempt(of: transfer, next)  // because the client's side never ends
        }
        handOverBody(of: transfer)
        guard transfer.attempt === attempt else { return }
        if attempt.result != nil {
            completeAttempt(transfer)
        } else {
            limitDiscardedBody(of: transfer)
            applyPauses(to: transfer)
            if transfer.hasLostServer { failLostWebSocket(transfer) }
        }
    }

    // MARK: - 6. The head of a response

    func takeHead(
        _ head: ResponseHead, of transfer: Transfer, from first: HeadDecision.Question = .isInterim
    ) {
        let head = transfer.webSocket == nil ? head : head.withHTTPLocation
        let sent = transfer.sentRequest(answeredBy: head)
        let decision = transfer.task.session.authenticationCache.withLock { credentials in
            HeadDecision.make(
                for: head, to: sent, from: first, authentication: &transfer.authentication,
                credentials: &credentials, upload: &transfer.upload, download: transfer.download,
                now: Date())
        }
        if let reaction = decision.cacheReaction { apply(reaction, to: transfer) }
        let attempt = transfer.attempt
        switch decision.action {
        case .reportInterim: reportInterim(head, of: transfer)
        case .authenticate(let action): perform(action, for: transfer)
        case .send(let next): attempt.nextRequest = next
        case .sendWithoutExpectation(let next):
            transfer.history.isExpectationRefused = true
            attempt.nextRequest = next
        case .replay(let answer): attempt.cache.fallback = answer
        case .follow(let next, let keepsBody): askToFollow(next, keepsBody: keepsBody, transfer)
        case .deliver(let download): deliver(transfer, download)
        case .fail(let error, let showsResponse):
            if showsResponse, let response = attempt.response {
                transfer.task.status.withLock { $0.response = response }
            }
            fail(transfer, with: error)
        }
    }

    /// Keeps what the head of the final response says for later requests: cookies and HSTS.
    private func noteResponse(_ head: ResponseHead, of transfer: Transfer) {
        let request = transfer.request
        guard head.status != 101 || transfer.webSocket != nil, let url = request.url
        else { return }
        transfer.attempt.response = HTTPURLResponse(url: url, head: head)
        transfer.noteTransportSecurity(head)
        guard !head.setCookies.isEmpty, request.httpShouldHandleCookies else { return }
        let web = transfer.settings.web
        web.cookies?.receive(
            head.setCookies, from: url, mainDocumentURL: request.mainDocumentURL,
            sessionPolicy: web.acceptPolicy)
    }

    private func reportInterim(_ head: ResponseHead, of transfer: Transfer) {
        guard let url = transfer.request.url, transfer.task.listener != nil else { return }
        transfer.task.post(.informational(HTTPURLResponse(url: url, head: head)))
    }

    // MARK: - 7. Delivering the response

    func deliver(_ transfer: Transfer, _ download: DownloadResumption.Decision?) {
        guard let response = transfer.attempt.response else { return }
        if let download, case .wholeRequested = continueDownload(of: transfer, download) { return }
        let task = transfer.task
        task.status.withLock { status in
            status.response = response
            status.counts.expectedToReceive = response.expectedContentLength
        }
        if let refusal = transfer.refusal(of: response) { return fail(transfer, with: refusal) }
        transfer.answer.isDeliveredIncrementally = task.deliversAsItComes
        task.updateProgress()
        if task.destination == .file { makeFile(for: transfer) }
        guard task.asksAboutResponse else { return }
        let answered: @Sendable (URLSession.ResponseDisposition) -> Void = question(of: transfer) {
            engine, transfer, disposition in
            if disposition == .becomeDownload { engine.becomeDownload(transfer) }
        }
        task.post(
            .response(response, Reply { $0 == .cancel ? task.cancel() : answered($0) }))
    }

    // MARK: - 8. Handing over the body

    /// How much of a discarded body is read to keep its connection.
    private static var discardedByteCountLimit: Int { 64 << 10 }

    private func handOverBody(of transfer: Transfer) {
        let attempt = transfer.attempt
        let count = attempt.received.byteCount
        guard count > 0 else { return }
        let pieces = attempt.received.takeAll()
        if let writer = attempt.cache.writer {
            for piece in pieces { writer.append(piece.makeData()) }
        }
        guard attempt.cache.fallback == nil, attempt.nextRequest == nil else {
            attempt.received.discardedByteCount += count
            let isTooLong = attempt.received.discardedByteCount > Self.discardedByteCountLimit
            return isTooLong ? endDiscardedBody(of: transfer) : ()
        }
        guard let expected = attempt.response?.expectedContentLength else { return }
        let task = transfer.task
        let isWatched = task.status.withLock { status in
            status.counts.received += Int64(count)
            return status.progress != nil
        }
        if isWatched { task.updateProgress() }
        switch task.destination {
        case .memory:
            if transfer.answer.memory.isEmpty, expected > count {
                transfer.answer.memory.reserveCapacity(Int(min(expected, 64 << 20)))
            }
            for piece in pieces { piece.append(to: &transfer.answer.memory) }
        case .pieces where !transfer.answer.isDeliveredIncrementally:
            for piece in pieces { piece.append(to: &transfer.answer.memory) }
        case .pieces:
            for piece in pieces where task.post(piece.makeData()) == .full {
                transfer.pauses.insert(.flow)
            }
        case .file:
            if task.willConsume(count) == .full { transfer.pauses.insert(.flow) }
            for piece in pieces {
                transfer.answer.file?.append(piece.makeData(), expected: expected)
            }
        }
    }

    // MARK: - 9. libcurl has a result

    private func completeAttempt(_ transfer: Transfer) {
        let attempt = transfer.attempt
        if attempt.cache.fallback != nil { return replayFallback(of: transfer) }
        if let next = attempt.nextRequest {
            keepRedirect(of: transfer)
            return beginNextAttempt(of: transfer, next)
        }
        guard attempt.result == CURLE_OK else { return retryOrFail(transfer) }
        if transfer.isWebSocket { return failLostWebSocket(transfer) }
        if let failure = transfer.incompleteness { return fail(transfer, with: failure) }
        closeTransfer(transfer)
        let task = transfer.task
        let trailers = attempt.head.trailers.fields
        if !trailers.isEmpty { task.status.withLock { $0.trailers = trailers } }
        if !transfer.answer.isDeliveredIncrementally, !transfer.answer.memory.isEmpty {
            _ = task.post(transfer.answer.memory)
        }
        guard transfer.answer.file != nil || attempt.cache.writer != nil else {
            return ended.append((task, TaskResult(data: transfer.answer.memory)))
        }
        finishStoring(transfer)
    }

    // MARK: - 10. The transfer is over

    /// Ends a transfer with an error, unless it can recover.
    func fail(_ transfer: Transfer, with error: URLError) {
        guard !transfer.state.isFinished, recover(transfer, from: error) == .impossible else {
            return
        }
        closeTransfer(transfer)
        transfer.attempt.cache.writer?.discard()
        reportFailure(of: transfer, error)
    }

    func closeTransfer(_ transfer: Transfer) {
        // Resume data says so, too. The handle that has counted the bytes is about to be closed.
        if transfer.hasSentBody { transfer.upload?.noteMayBeDone() }
        closeAttempt(of: transfer)
        stopWatchingNetwork(for: transfer)
        transfers[transfer.id] = nil
        releaseSlot(of: transfer)
        transfer.attempt.body.content = .none
        transfer.enter(.finished)
    }
}

extension Transfer {
    /// The attempt's request, as the policies that evaluate its response need it.
    fileprivate func sentRequest(answeredBy head: ResponseHead) -> HeadDecision.Sent {
        var sent = HeadDecision.Sent(
            request: request, isWebSocket: webSocket != nil,
            expectsContinue: attempt.http.expectsContinue,
            followedRedirects: history.followedRedirects,
            challenged: attempt.authorization.request,
            credentialStorage: settings.credentialStorage, cachePlan: attempt.cache.plan,
            time: attempt.cache.requestTime)
        if settings.web.cache == nil { sent.cachePlan = nil }
        guard let url = request.url, sent.challenged != nil || AuthenticationParty.isAsking(head)
        else { return sent }
        if sent.challenged == nil { sent.challenged = makeChallengedRequest(url) }
        if let connect = connectRequest, let head = attempt.route.tunnelHead?.head {
            sent.tunnel = (connect, head)
        }
        return sent
    }
}

extension ResponseHead {
    init(_ response: HTTPURLResponse) {
        self.init(status: response.statusCode, headers: response.headers)
    }
}
