import CCurl
import FoundationEssentials
import Synchronization

// The main line of a transfer, from `resume()` to its completion, in the order in which it happens:
//
//     start → startTransfer → begin → proceed → enqueue → openBody → connect → process → takeHead →
//     deliver → handOverBody → complete → close
//
// (A connection that others may share is opened by one of them; the rest wait for it in `connect`.)
//
// What is decided is decided by values (`CachePlan`, `HeadDecision`, `LostRequest` …), and what leaves the
// line is in the files beside this one. As there, every function runs on the engine's thread, never
// inside a callback of libcurl.

extension Engine {
    // MARK: - 1. The task is resumed

    func start(_ task: URLSessionTask) {
        guard transfers[ObjectIdentifier(task)] == nil, !task.status.withLock({ $0.life.isOver })
        else { return }
        if let failure = task.startFailure {
            return task.post(.completed(TaskResult(error: failure)))
        }
        let request = task.session.settings.secured(task.requestToLoad)
        guard let origin = request.url.flatMap(Origin.init(of:)) else {
            return task.post(.completed(TaskResult(error: request.unsupportedURL)))
        }
        let transfer = Transfer(
            task: task, request: request, origin: origin, pending: pending, sockets: sockets)
        transfers[transfer.id] = transfer
        if request.url != task.requestToLoad.url {
            task.status.withLock { $0.currentRequest = transfer.request }
        }
        if let date = task.earliestBeginDate { return delay(transfer, until: date) }
        startTransfer(transfer)
    }

    /// Begins where an earlier task has stopped, if there was one.
    func startTransfer(_ transfer: Transfer) {
        if let start = (transfer.task as? URLSessionUploadTask)?.resumption {
            resumeUpload(of: transfer, start)
        } else if let data = (transfer.task as? URLSessionDownloadTask)?.resumption?.data {
            return openPartialFile(of: transfer, data)
        }
        begin(transfer)
    }

    // MARK: - 2. An attempt begins: is there a stored response, and a network?

    /// WebSockets, and requests that only move an upload on, ask for no document: they bypass the cache.
    func begin(_ transfer: Transfer) {
        transfer.state = .queued
        guard !transfer.isSuspended else { return }  // until it is resumed
        guard let cache = transfer.settings.web.cache, transfer.webSocket == nil,
            !transfer.isControlRequest
        else { return proceed(transfer, .uncached) }
        let request = transfer.requestWithFields
        let policy = request.ownCachePolicy ?? transfer.settings.web.cachePolicy
        if let plan = cache.planAtOnce(for: request, policy: policy) {
            return proceed(transfer, .plan(plan))
        }
        transfer.state = .consultingCache
        cache.planLater(
            for: request, policy: policy,
            callback(for: transfer) { engine, transfer, plan in
                engine.cacheConsulted(plan, transfer)
            })
    }

    enum CacheConsultation {
        case uncached
        case plan(CachePlan)
    }

    func proceed(_ transfer: Transfer, _ consultation: CacheConsultation) {
        if case .plan(let plan) = consultation {
            transfer.attempt.cache.plan = plan
            if let answer = plan.answer(at: Date()) { return replay(answer, transfer) }
            if plan.decision == .fail {
                return fail(
                    transfer, with: URLError(.resourceUnavailable, failingURL: transfer.request.url)
                )
            }
        }
        if let host = transfer.hostToCheck { return checkNetwork(to: host, for: transfer) }
        enqueue(transfer)
    }

    // MARK: - 3. A connection to the host is free, and the body is opened

    /// A redirect within an origin keeps its connection.
    func enqueue(_ transfer: Transfer) {
        if transfer.slot.isTaken { return openBody(of: transfer) }
        transfer.state = .queued
        guard !transfer.isSuspended else { return }
        transfer.slot.place = transfer.ownPlace
        let place = slots.enter(
            transfer.id, at: transfer.slot.place, limit: limit(for: transfer),
            priority: transfer.task.priority)
        guard place == .connection else { return }
        transfer.slot.isTaken = true
        openBody(of: transfer)
    }

    func openBody(of transfer: Transfer) {
        transfer.state = .openingBody
        let hasNoBody = transfer.upload?.step?.isUpload == false
        switch transfer.source {
        case .none,
            _ where hasNoBody:
            transfer.attempt.body = OutgoingBody()
        case .data(let data): transfer.attempt.body = OutgoingBody(.data(data, position: 0))
        case .file, .pipe, .produced, .given, .stream: return openSource(of: transfer)
        }
        connect(transfer)
    }

    // MARK: - 4. libcurl gets the request

    /// Sends the attempt's request with its open body.
    func connect(_ transfer: Transfer) {
        guard !transfer.isSuspended else {
            // It may have come to open one, and have hashed its body since.
            leaveConnection(transfer)
            transfer.state = .readyToConnect
            return
        }
        do throws(URLError) {
            guard !transfer.isGetWithBody else { throw transfer.getWithBody }
            guard try admit(transfer) == .admitted else { return }
            try beginBody(of: transfer)
            guard authorize(transfer) == .authorized else { return }  // until the body is hashed
            guard let easy = takeHandle() else {
                throw URLError(.unknown, underlyingText: "no memory for a transfer")
            }
            try easy.configure(makeConfiguration(for: transfer))
            transfer.attempt.installCallbacks(on: easy)
            transfer.attempt.easy = easy
            transfer.attempt.timings.handedOver = now
            transfer.state = .connecting
            updateTimers(of: transfer)
            do throws(URLError) {
                try multi.add(easy)
            } catch {
                transfer.attempt.easy = nil
                throw error
            }
            if transfer.attempt.tls.handshake != nil { multi.handshakes.begin(easy) }
            transfer.task.trace(
                .attemptStarted, transfer.requestWithFields, attempt: transfer.attempt.number)
        } catch {
            fail(transfer, with: error)
        }
    }

    // MARK: - 5. Something has happened: libcurl's callbacks have noted it

    func process(_ transfer: Transfer) {
        let attempt = transfer.attempt
        guard !transfer.state.isFinished else { return }
        if transfer.state.isAwaitingConnection { return connect(transfer) }
        if attempt.noted.hasMoved {
            attempt.noted.hasMoved = false
            transfer.timers.request.restart(at: now)
        }
        if attempt.noted.isConnected, transfer.state.isConnecting {
            transfer.state = .exchanging
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
            return beginNextAttempt(of: transfer, next)  // our own side of it never ends
        }
        handOverBody(of: transfer)
        guard transfer.attempt === attempt else { return }
        if attempt.result != nil {
            complete(transfer)
        } else {
            applyPauses(to: transfer)
            if transfer.hasLostServer { failLostWebSocket(transfer) }
        }
    }

    // MARK: - 6. The head of an answer is decided on

    func takeHead(
        _ head: ResponseHead, of transfer: Transfer, from first: HeadDecision.Question = .isInterim
    ) {
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

    // MARK: - 7. The response is delivered

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

    // MARK: - 8. Its body is handed over

    /// How much of a body that nobody wants is read to keep its connection.
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

    // MARK: - 9. libcurl is done

    private func complete(_ transfer: Transfer) {
        let attempt = transfer.attempt
        if attempt.cache.fallback != nil { return replayFallback(of: transfer) }
        if let next = attempt.nextRequest {
            keepRedirect(of: transfer)
            return beginNextAttempt(of: transfer, next)
        }
        guard attempt.result == CURLE_OK else { return retryOrFail(transfer) }
        if transfer.isWebSocket { return failLostWebSocket(transfer) }
        if let failure = transfer.incompleteness { return fail(transfer, with: failure) }
        close(transfer)
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

    /// Ends a transfer early, unless there is another way to an answer.
    func fail(_ transfer: Transfer, with error: URLError) {
        guard !transfer.state.isFinished, recover(transfer, from: error) == .impossible else {
            return
        }
        close(transfer)
        transfer.attempt.cache.writer?.discard()
        reportFailure(of: transfer, error)
    }

    func close(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        stopWatchingNetwork(for: transfer)
        transfers[transfer.id] = nil
        giveUpConnection(of: transfer)
        transfer.attempt.body.content = .none
        transfer.state = .finished
    }
}

extension URLRequest {
    /// Why it cannot be loaded.
    fileprivate var unsupportedURL: URLError {
        let isHTTP = ["http", "https"].contains(url?.scheme?.lowercased())
        return URLError(isHTTP ? .badURL : .unsupportedURL, failingURL: url?.withoutCredentials)
    }
}

extension Transfer {
    fileprivate var getWithBody: URLError {
        URLError(
            .dataLengthExceedsMaximum, failingURL: request.url,
            underlyingText: "a GET has no body")
    }
}
