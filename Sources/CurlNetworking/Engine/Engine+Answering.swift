import FoundationEssentials
import Synchronization

// From what libcurl's callbacks have noted to what the task tells.

extension Engine {
    // MARK: - What has happened

    /// Reads a load's notes and does what follows.
    func attend(to load: Load) {
        guard load.stage != .over else { return }
        if load.hasMoved {
            load.hasMoved = false
            load.requestTimer.restart(at: now)
        }
        if let failure = load.failure { return end(load, with: failure) }
        if load.isHeld {
            if !load.isAsking { meetServer(of: load) }
            return
        }
        postProgress(of: load)
        takeInterimHeads(of: load)
        if load.head.isComplete, load.response == nil {
            takeHead(of: load)
            guard load.stage != .over else { return }
        }
        guard !load.isAsking else { return }
        if load.webSocket != nil, let next = load.following {
            return beginNextLeg(of: load, next)  // our own side of it never ends
        }
        handOverBody(of: load)
        if load.verdict != nil {
            conclude(load)
        } else {
            applyPauses(to: load)
            if load.hasLostServer { endLostWebSocket(load) }
        }
    }

    func postProgress(of load: Load) {
        let sent = load.bodyOffset + load.sentByteCount
        guard sent != load.postedSent, load.upload?.leg?.isUpload != false, load.webSocket == nil
        else { return }
        load.postedSent = sent
        if load.sendsAgain {
            load.sendsAgain = false
            load.task.post(.sendsAgain(from: load.bodyOffset))
        }
        let expected = load.body.byteCount
        load.task.post(.sent(total: sent, expected: expected)) { $0.sentByteCount = sent }
        load.task.updateProgress()
    }

    func takeHead(of load: Load) {
        guard let head = load.head.head, let url = load.request.url else { return }
        guard head.status != 101 || load.webSocket != nil else {
            return end(
                load,
                with: URLError(
                    .badServerResponse, failingURL: url,
                    underlyingText: "the server switched protocols unasked"))
        }
        load.response = HTTPURLResponse(url: url, head: head)
        takeCookies(from: head, load)
        if !isChallenge(head, to: load) { takeAnswer(of: load) }
    }

    /// The head is no challenge, or one that nobody can meet.
    func takeAnswer(of load: Load) {
        guard let head = load.head.head, let response = load.response,
            !isUploadAnswer(head, to: load), !isReplacedFromCache(head, load)
        else { return }
        react(to: response, of: load)
    }

    /// Follows the answer, or takes it for the task's.
    func react(to response: HTTPURLResponse, of load: Load) {
        let decision = RedirectPolicy.decide(
            status: response.statusCode, location: response.headers["Location"],
            request: load.request, followed: load.followedRedirects)
        switch decision {
        case .deliver:
            deliver(response, of: load)
        case .fail(let error):
            load.task.status.withLock { $0.response = response }
            end(load, with: error)
        case .follow(let proposal, let keepsBody):
            guard load.task.listener != nil else {
                return follow(proposal, keepsBody: keepsBody, load)
            }
            let task = load.task
            let leg = load.leg
            load.pauses.insert(.asking)
            applyPauses(to: load)
            task.post(
                .redirect(
                    response, proposal: proposal,
                    Reply { answer in
                        Self.shared.submit {
                            $0.redirectAnswered(
                                answer, keepsBody: keepsBody, for: task, leg: leg)
                        }
                    }))
        }
    }

    func redirectAnswered(
        _ answer: URLRequest?, keepsBody: Bool, for task: URLSessionTask, leg: Int
    ) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.isAsking,
            let response = load.response
        else { return }
        load.pauses.remove(.asking)
        if let answer {
            follow(answer, keepsBody: keepsBody, load)
        } else {
            deliver(response, of: load)
        }
        load.mark()
    }

    /// The answer is this one.
    func deliver(_ response: HTTPURLResponse, of load: Load) {
        guard goesOn(load, with: response) else { return }
        let task = load.task
        task.status.withLock { status in
            status.response = response
            status.expectedToReceive = response.expectedContentLength
        }
        if let refusal = load.refusal(of: response) { return end(load, with: refusal) }
        load.deliversAsItComes = task.deliversAsItComes
        task.updateProgress()
        if task.destination == .file { makeFile(for: load) }
        guard task.asksAboutResponse else { return }
        let leg = load.leg
        load.pauses.insert(.asking)
        applyPauses(to: load)
        task.post(
            .response(
                response,
                Reply { disposition in
                    switch disposition {
                    case .allow:
                        Self.shared.submit { $0.responseAllowed(for: task, leg: leg) }
                    case .cancel:
                        task.cancel()
                    case .becomeDownload:
                        Self.shared.submit { $0.becomeDownload(task, leg: leg) }
                    }
                }))
    }

    func responseAllowed(for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.isAsking else {
            return
        }
        load.pauses.remove(.asking)
        load.mark()
    }

    // MARK: - Redirects

    /// How much of a redirect's own body is read to keep its connection.
    static var swallowedByteCountLimit: Int { 64 << 10 }

    func follow(_ next: URLRequest, keepsBody: Bool, _ load: Load) {
        guard let url = next.url, Origin(of: url) != nil else {
            return end(load, with: URLError(.unsupportedURL, failingURL: next.url))
        }
        load.following = next.withoutCredentials
        load.followedRedirects += 1
        if !keepsBody { load.source = .none }
        if !(load.task is URLSessionUploadTask) {
            load.source = load.source.following(next, after: load.request)
        }
    }

    func beginNextLeg(of load: Load, _ next: URLRequest) {
        guard let url = next.url, let origin = Origin(of: url) else { return }
        detach(load)
        load.beginLeg()
        load.request = next
        if !load.isAside { load.task.status.withLock { $0.currentRequest = next } }
        if origin != load.place.origin {
            load.hasLeftOrigin = true
            giveUpConnection(of: load)
            load.place.origin = origin
        }
        begin(load)
    }

    // MARK: - The body of the answer

    func handOverBody(of load: Load) {
        guard load.arrivedByteCount > 0 else { return }
        let count = load.arrivedByteCount
        let pieces = load.takeArrived()
        if let writer = load.caching.writer {
            for piece in pieces { writer.append(piece.makeData()) }
        }
        if load.caching.standIn != nil {
            load.swallowedByteCount += count
            if load.swallowedByteCount > Self.swallowedByteCountLimit { serveStandIn(of: load) }
            return
        }
        if let next = load.following {
            load.swallowedByteCount += count
            if load.swallowedByteCount > Self.swallowedByteCountLimit, load.verdict == nil {
                beginNextLeg(of: load, next)
            }
            return
        }
        guard let expected = load.response?.expectedContentLength else { return }
        let task = load.task
        let isWatched = task.status.withLock { status in
            status.receivedByteCount += Int64(count)
            return status.progress != nil
        }
        if isWatched { task.updateProgress() }
        switch task.destination {
        case .memory:
            if load.memory.isEmpty, expected > count {
                load.memory.reserveCapacity(Int(min(expected, 64 << 20)))
            }
            for piece in pieces { piece.append(to: &load.memory) }
        case .pieces where !load.deliversAsItComes:
            for piece in pieces { piece.append(to: &load.memory) }
        case .pieces:
            for piece in pieces where task.post(piece.makeData()) { load.pauses.insert(.flow) }
        case .file:
            if task.willConsume(count) { load.pauses.insert(.flow) }
            for piece in pieces { load.file?.append(piece.makeData(), expected: expected) }
        }
    }
}
