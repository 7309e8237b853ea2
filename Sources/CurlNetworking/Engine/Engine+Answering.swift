import FoundationEssentials
import Synchronization

// From what libcurl's callbacks have noted to what the task tells.

extension Engine {
    // MARK: - What has happened

    /// Reads a transfer's timings and does what follows.
    func process(to transfer: Transfer) {
        guard transfer.stage != .over else { return }
        if transfer.hasMoved {
            transfer.hasMoved = false
            transfer.requestTimer.restart(at: now)
        }
        if let failure = transfer.failure { return fail(transfer, with: failure) }
        if transfer.isHandshakePaused {
            if !transfer.isAsking { evaluateServerTrust(of: transfer) }
            return
        }
        postProgress(of: transfer)
        takeInterimHeads(of: transfer)
        if transfer.head.isComplete, transfer.response == nil {
            takeHead(of: transfer)
            guard transfer.stage != .over else { return }
        }
        guard !transfer.isAsking else { return }
        if transfer.webSocket != nil, let next = transfer.nextRequest {
            return beginNextAttempt(of: transfer, next)  // our own side of it never ends
        }
        handOverBody(of: transfer)
        if transfer.result != nil {
            complete(transfer)
        } else {
            applyPauses(to: transfer)
            if transfer.hasLostServer { endLostWebSocket(transfer) }
        }
    }

    func postProgress(of transfer: Transfer) {
        let sent = transfer.bodyOffset + transfer.sentByteCount
        guard sent != transfer.postedSent, transfer.upload?.step?.isUpload != false,
            transfer.webSocket == nil
        else { return }
        transfer.postedSent = sent
        if transfer.sendsAgain {
            transfer.sendsAgain = false
            transfer.task.post(.sendsAgain(from: transfer.bodyOffset))
        }
        let expected = transfer.body.byteCount
        transfer.task.post(.sent(total: sent, expected: expected)) { $0.sentByteCount = sent }
        transfer.task.updateProgress()
    }

    func takeHead(of transfer: Transfer) {
        guard let head = transfer.head.head, let url = transfer.request.url else { return }
        guard head.status != 101 || transfer.webSocket != nil else {
            return fail(
                transfer,
                with: URLError(
                    .badServerResponse, failingURL: url,
                    underlyingText: "the server switched protocols unasked"))
        }
        transfer.response = HTTPURLResponse(url: url, head: head)
        takeCookies(from: head, transfer)
        if !isChallenge(head, to: transfer) { takeAnswer(of: transfer) }
    }

    /// The head is no challenge, or one that nobody can meet.
    func takeAnswer(of transfer: Transfer) {
        guard let head = transfer.head.head, let response = transfer.response,
            !isUploadAnswer(head, to: transfer), !isReplacedFromCache(head, transfer)
        else { return }
        react(to: response, of: transfer)
    }

    /// Follows the answer, or takes it for the task's.
    func react(to response: HTTPURLResponse, of transfer: Transfer) {
        let decision = RedirectPolicy.decide(
            status: response.statusCode, location: response.headers["Location"],
            request: transfer.request, followed: transfer.followedRedirects)
        switch decision {
        case .deliver:
            deliver(response, of: transfer)
        case .fail(let error):
            transfer.task.status.withLock { $0.response = response }
            fail(transfer, with: error)
        case .follow(let proposal, let keepsBody):
            guard transfer.task.listener != nil else {
                return follow(proposal, keepsBody: keepsBody, transfer)
            }
            let task = transfer.task
            let attempt = transfer.attempt
            transfer.pauses.insert(.asking)
            applyPauses(to: transfer)
            task.post(
                .redirect(
                    response, proposal: proposal,
                    Reply { answer in
                        Self.shared.submit {
                            $0.redirectAnswered(
                                answer, keepsBody: keepsBody, for: task, attempt: attempt)
                        }
                    }))
        }
    }

    func redirectAnswered(
        _ answer: URLRequest?, keepsBody: Bool, for task: URLSessionTask, attempt: Int
    ) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.isAsking,
            let response = transfer.response
        else { return }
        transfer.pauses.remove(.asking)
        if let answer {
            follow(answer, keepsBody: keepsBody, transfer)
        } else {
            deliver(response, of: transfer)
        }
        transfer.mark()
    }

    /// The answer is this one.
    func deliver(_ response: HTTPURLResponse, of transfer: Transfer) {
        guard goesOn(transfer, with: response) else { return }
        let task = transfer.task
        task.status.withLock { status in
            status.response = response
            status.expectedToReceive = response.expectedContentLength
        }
        if let refusal = transfer.refusal(of: response) { return fail(transfer, with: refusal) }
        transfer.deliversAsItComes = task.deliversAsItComes
        task.updateProgress()
        if task.destination == .file { makeFile(for: transfer) }
        guard task.asksAboutResponse else { return }
        let attempt = transfer.attempt
        transfer.pauses.insert(.asking)
        applyPauses(to: transfer)
        task.post(
            .response(
                response,
                Reply { disposition in
                    switch disposition {
                    case .allow:
                        Self.shared.submit { $0.responseAllowed(for: task, attempt: attempt) }
                    case .cancel:
                        task.cancel()
                    case .becomeDownload:
                        Self.shared.submit { $0.becomeDownload(task, attempt: attempt) }
                    }
                }))
    }

    func responseAllowed(for task: URLSessionTask, attempt: Int) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.isAsking
        else {
            return
        }
        transfer.pauses.remove(.asking)
        transfer.mark()
    }

    // MARK: - Redirects

    /// How much of a redirect's own body is read to keep its connection.
    static var discardedByteCountLimit: Int { 64 << 10 }

    func follow(_ next: URLRequest, keepsBody: Bool, _ transfer: Transfer) {
        guard let url = next.url, Origin(of: url) != nil else {
            return fail(transfer, with: URLError(.unsupportedURL, failingURL: next.url))
        }
        transfer.nextRequest = next.withoutCredentials
        transfer.followedRedirects += 1
        if !keepsBody { transfer.source = .none }
        if !(transfer.task is URLSessionUploadTask) {
            transfer.source = transfer.source.following(next, after: transfer.request)
        }
    }

    func beginNextAttempt(of transfer: Transfer, _ next: URLRequest) {
        guard let url = next.url, let origin = Origin(of: url) else { return }
        detach(transfer)
        transfer.beginAttempt()
        transfer.request = next
        if !transfer.isControlRequest { transfer.task.status.withLock { $0.currentRequest = next } }
        if origin != transfer.place.origin {
            transfer.hasLeftOrigin = true
            giveUpConnection(of: transfer)
            transfer.place.origin = origin
        }
        begin(transfer)
    }

    // MARK: - The body of the answer

    func handOverBody(of transfer: Transfer) {
        guard transfer.arrivedByteCount > 0 else { return }
        let count = transfer.arrivedByteCount
        let pieces = transfer.takeArrived()
        if let writer = transfer.caching.writer {
            for piece in pieces { writer.append(piece.makeData()) }
        }
        if transfer.caching.fallbackResponse != nil {
            transfer.discardedByteCount += count
            if transfer.discardedByteCount > Self.discardedByteCountLimit {
                serveFallbackResponse(of: transfer)
            }
            return
        }
        if let next = transfer.nextRequest {
            transfer.discardedByteCount += count
            if transfer.discardedByteCount > Self.discardedByteCountLimit, transfer.result == nil {
                beginNextAttempt(of: transfer, next)
            }
            return
        }
        guard let expected = transfer.response?.expectedContentLength else { return }
        let task = transfer.task
        let isWatched = task.status.withLock { status in
            status.receivedByteCount += Int64(count)
            return status.progress != nil
        }
        if isWatched { task.updateProgress() }
        switch task.destination {
        case .memory:
            if transfer.memory.isEmpty, expected > count {
                transfer.memory.reserveCapacity(Int(min(expected, 64 << 20)))
            }
            for piece in pieces { piece.append(to: &transfer.memory) }
        case .pieces where !transfer.deliversAsItComes:
            for piece in pieces { piece.append(to: &transfer.memory) }
        case .pieces:
            for piece in pieces where task.post(piece.makeData()) { transfer.pauses.insert(.flow) }
        case .file:
            if task.willConsume(count) { transfer.pauses.insert(.flow) }
            for piece in pieces { transfer.file?.append(piece.makeData(), expected: expected) }
        }
    }
}
