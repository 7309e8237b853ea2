import CCurl
import FoundationEssentials
import Synchronization

// From a task's start to its answer. Every function runs in a turn of the engine, never inside a
// callback of libcurl.

extension Engine {
    // MARK: - What tasks ask for

    func start(_ task: URLSessionTask) {
        guard loads[ObjectIdentifier(task)] == nil, !task.status.withLock({ $0.life.isOver }) else {
            return
        }
        guard let url = task.firstRequest.url, let origin = Origin(of: url) else {
            let url = task.firstRequest.url
            let isForeign = url?.scheme.map { !["http", "https"].contains($0.lowercased()) }
            let code: URLError.Code = isForeign == true ? .unsupportedURL : .badURL
            return task.post(.completed(TaskResult(error: URLError(code, failingURL: url))))
        }
        let load = Load(task: task, origin: origin, marks: marks)
        loads[load.id] = load
        noteSuspension(of: load)
        lineUp(load)
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        noteSuspension(of: load)
        let isSuspended = load.pauses.contains(.suspended)
        switch load.stage {
        case .waiting where isSuspended && load.isInLine:
            slots.withdraw(load.id, from: load.place)
            load.isInLine = false
        case .waiting where !isSuspended && !load.isInLine:
            lineUp(load)
        case .held where !isSuspended:
            connect(load)
        case .connecting where isSuspended:
            detach(load)  // nothing of the request has left yet
            load.stage = .held
        default:
            break
        }
        applyPauses(to: load)
    }

    func abort(_ task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        end(load, with: URLError(.cancelled, failingURL: load.request.url))
    }

    func fail(_ task: URLSessionTask, with error: URLError) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        end(load, with: error.failingURL == nil ? error.for(load.request.url) : error)
    }

    func flowOpened(for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)] else { return }
        load.pauses.remove(.flow)
        applyPauses(to: load)
    }

    private func noteSuspension(of load: Load) {
        if load.task.status.withLock({ $0.life.isHeld }) {
            load.pauses.insert(.suspended)
        } else {
            load.pauses.remove(.suspended)
        }
    }

    // MARK: - Towards a connection

    private func lineUp(_ load: Load) {
        load.stage = .waiting
        guard !load.pauses.contains(.suspended) else { return }
        if slots.enter(load.id, at: load.place, limit: load.settings.connectionsPerHost) {
            load.hasConnection = true
            prepareBody(of: load)
        } else {
            load.isInLine = true
        }
    }

    private func giveUpConnection(of load: Load) {
        if load.isInLine {
            slots.withdraw(load.id, from: load.place)
            load.isInLine = false
        }
        guard load.hasConnection else { return }
        load.hasConnection = false
        let next = slots.leave(load.place) { id in loads[id]?.task.priority ?? 0 }
        guard let next, let heir = loads[next] else { return }
        heir.isInLine = false
        heir.hasConnection = true
        prepareBody(of: heir)
    }

    private func prepareBody(of load: Load) {
        load.stage = .preparing
        let task = load.task
        let leg = load.leg
        switch load.source {
        case .none:
            load.body = .none
            connect(load)
        case .data(let data):
            load.body = .data(data, position: 0)
            connect(load)
        case .file(let url):
            FileQueue.run {
                let opened = Result { () throws(URLError) in
                    try BodyReader.open(file: url, wake: Self.waker(for: task))
                }
                Self.shared.submit { $0.take(opened, for: task, leg: leg) }
            }
        case .stream:
            task.post(
                .needsBodyStream(
                    Reply { stream in
                        let opened: Result<BodyReader, URLError> =
                            stream.map {
                                .success(BodyReader(stream: $0, wake: Self.waker(for: task)))
                            }
                            ?? .failure(
                                URLError(
                                    .requestBodyStreamExhausted,
                                    underlyingText: "the delegate gave no body stream"))
                        Self.shared.submit { $0.take(opened, for: task, leg: leg) }
                    }))
        }
    }

    private static func waker(for task: URLSessionTask) -> @Sendable () -> Void {
        { [weak task] in
            guard let task else { return }
            shared.submit { $0.bodyArrived(for: task) }
        }
    }

    private func take(
        _ opened: Result<BodyReader, URLError>, for task: URLSessionTask, leg: Int
    ) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.stage == .preparing
        else { return }
        switch opened {
        case .success(let reader):
            load.body = .reader(reader)
            reader.readAhead()
            connect(load)
        case .failure(let error):
            end(load, with: error.failingURL == nil ? error.for(load.request.url) : error)
        }
    }

    private func bodyArrived(for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)], load.isAwaitingBody else { return }
        load.isAwaitingBody = false
        applyPauses(to: load)
    }

    private func connect(_ load: Load) {
        guard !load.pauses.contains(.suspended) else {
            load.stage = .held
            return
        }
        guard let easy = takeHandle() else {
            return end(load, with: URLError(.unknown, underlyingText: "no memory for a transfer"))
        }
        do throws(URLError) {
            try easy.configure(for: load)
        } catch {
            return end(load, with: error)
        }
        let expected = load.body.byteCount
        load.task.status.withLock { $0.expectedToSend = expected }
        load.easy = easy
        load.stage = .connecting
        load.updateTimers(at: now)
        deadlineChanged(of: load)
        guard multi.add(easy) else {
            load.easy = nil
            return end(load, with: URLError(.unknown, underlyingText: "libcurl refused the transfer"))
        }
    }

    // MARK: - What has happened

    /// Reads a load's notes and does what follows.
    func attend(to load: Load) {
        guard load.stage != .over else { return }
        if load.hasMoved {
            load.hasMoved = false
            load.requestTimer.restart(at: now)
        }
        if let failure = load.failure { return end(load, with: failure) }
        postProgress(of: load)
        if load.head.isComplete, load.response == nil {
            takeHead(of: load)
            guard load.stage != .over else { return }
        }
        guard !load.isAsking else { return }
        handOverBody(of: load)
        if load.verdict != nil {
            conclude(load)
        } else {
            applyPauses(to: load)
        }
    }

    private func postProgress(of load: Load) {
        let sent = load.sentByteCount
        guard sent != load.postedSent else { return }
        load.postedSent = sent
        let expected = load.body.byteCount
        load.task.post(.sent(total: sent, expected: expected)) { $0.sentByteCount = sent }
    }

    private func takeHead(of load: Load) {
        guard let head = load.head.head, let url = load.request.url else { return }
        let response = HTTPURLResponse(url: url, head: head)
        load.response = response
        let decision = RedirectPolicy.decide(
            status: head.status, location: head.headers["Location"], request: load.request,
            followed: load.followedRedirects)
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

    private func redirectAnswered(
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
    private func deliver(_ response: HTTPURLResponse, of load: Load) {
        let task = load.task
        task.status.withLock { status in
            status.response = response
            status.expectedToReceive = response.expectedContentLength
        }
        if task.receiver.destination == .file { load.file = DownloadFile(for: task) }
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
                    }
                }))
    }

    private func responseAllowed(for task: URLSessionTask, leg: Int) {
        guard let load = loads[ObjectIdentifier(task)], load.leg == leg, load.isAsking else { return }
        load.pauses.remove(.asking)
        load.mark()
    }

    // MARK: - Redirects

    /// How much of a redirect's own body is read to keep its connection.
    private static var swallowedByteCountLimit: Int { 64 << 10 }

    private func follow(_ next: URLRequest, keepsBody: Bool, _ load: Load) {
        guard let url = next.url, Origin(of: url) != nil else {
            return end(load, with: URLError(.unsupportedURL, failingURL: next.url))
        }
        load.following = next
        if !keepsBody { load.source = .none }
        if !(load.task is URLSessionUploadTask) {
            load.source = next.httpBody.map(BodySource.data) ?? .none
        }
    }

    private func beginNextLeg(of load: Load, _ next: URLRequest) {
        guard let url = next.url, let origin = Origin(of: url) else { return }
        detach(load)
        load.beginLeg()
        load.followedRedirects += 1
        load.request = next
        load.task.status.withLock { $0.currentRequest = next }
        guard origin != load.place.origin else { return prepareBody(of: load) }
        load.hasLeftOrigin = true
        giveUpConnection(of: load)
        load.place.origin = origin
        lineUp(load)
    }

    // MARK: - The body of the answer

    private func handOverBody(of load: Load) {
        guard !load.arrived.isEmpty else { return }
        let task = load.task
        let count = load.arrived.count
        if let next = load.following {
            load.swallowedByteCount += count
            load.arrived = Data()
            if load.swallowedByteCount > Self.swallowedByteCountLimit, load.verdict == nil {
                beginNextLeg(of: load, next)
            }
            return
        }
        guard let response = load.response else { return }
        let expected = response.expectedContentLength
        task.status.withLock { $0.receivedByteCount += Int64(count) }
        switch task.receiver.destination {
        case .memory:
            if load.memory.isEmpty, expected > count {
                load.memory.reserveCapacity(Int(min(expected, 64 << 20)))
            }
            load.memory.append(load.arrived)
            load.arrived.removeAll(keepingCapacity: true)
        case .pieces:
            let piece = load.arrived
            load.arrived = Data()
            if task.post(piece) { load.pauses.insert(.flow) }
        case .file:
            let piece = load.arrived
            load.arrived = Data()
            if task.willConsume(count) { load.pauses.insert(.flow) }
            load.file?.append(piece, expected: expected)
        }
    }

    // MARK: - The end

    private func conclude(_ load: Load) {
        guard let verdict = load.verdict, let easy = load.easy else { return }
        if let next = load.following { return beginNextLeg(of: load, next) }
        guard verdict == CURLE_OK else {
            if diesOnAKeptConnection(load, verdict, easy) { return restart(load) }
            return end(
                load,
                with: URLError(
                    curl: verdict, certificate: easy.number(CURLINFO_SSL_VERIFYRESULT),
                    system: easy.number(CURLINFO_OS_ERRNO), text: easy.message,
                    url: load.request.url))
        }
        guard load.response != nil else {
            return end(
                load,
                with: URLError(
                    .networkConnectionLost, failingURL: load.request.url,
                    underlyingText: "the connection ended within the head of the answer"))
        }
        leave(load)
        let task = load.task
        guard let file = load.file else {
            return task.post(.completed(TaskResult(data: load.memory)))
        }
        file.finish { result in
            switch result {
            case .success(let file):
                task.post(.completed(TaskResult(file: file)))
            case .failure(let error):
                task.post(.completed(TaskResult(error: error.for(task.currentRequest?.url))))
            }
        }
    }

    /// Whether the server had given up a kept-alive connection before the request was all there.
    ///
    /// libcurl asks again by itself when it notices while reading, but not while sending, nor when
    /// the body is a stream that is half spent.
    private func diesOnAKeptConnection(
        _ load: Load, _ verdict: CURLcode, _ easy: EasyHandle
    ) -> Bool {
        guard !load.needsFreshConnection, load.head.isUntouched else { return false }
        if verdict == CURLE_SEND_FAIL_REWIND, case .stream = load.source { return true }
        return verdict == CURLE_SEND_ERROR && easy.number(CURLINFO_NUM_CONNECTS) == 0
    }

    /// Asks once more, on a new connection.
    private func restart(_ load: Load) {
        detach(load)
        load.beginLeg()
        load.needsFreshConnection = true
        prepareBody(of: load)
    }

    /// Ends a load early.
    func end(_ load: Load, with error: URLError) {
        guard load.stage != .over else { return }
        leave(load)
        load.file?.discard()
        load.task.post(.completed(TaskResult(error: error)))
    }

    private func leave(_ load: Load) {
        detach(load)
        load.stage = .over
        load.body = .none
        loads[load.id] = nil
        giveUpConnection(of: load)
    }

    /// Takes the transfer off libcurl, which closes its connection if it was not done with it.
    private func detach(_ load: Load) {
        if let easy = load.easy {
            load.easy = nil
            multi.remove(easy)
            // One that stopped midway keeps buffers that libcurl then refuses to resize.
            if load.verdict == CURLE_OK { giveBack(easy) }
        }
        load.stage = .preparing
        load.updateTimers(at: now)
    }

    // MARK: - Pauses

    private func applyPauses(to load: Load) {
        load.updateTimers(at: now)
        deadlineChanged(of: load)
        guard load.stage == .exchanging, load.verdict == nil, let easy = load.easy else { return }
        _ = easy.pause(
            receiving: !load.pauses.isEmpty,
            sending: load.isAwaitingBody || load.pauses.contains(.suspended))
    }
}

extension URLError {
    /// The same error, for a URL.
    func `for`(_ url: URL?) -> URLError {
        URLError(code, failingURL: url, underlyingText: underlyingText)
    }
}
