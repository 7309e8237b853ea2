import FoundationEssentials
import Synchronization

// The first half of a transfer's main line, from `resume()` to libcurl, in order:
//
//     start → startTransfer → beginAttempt → enqueue → openBody → connect
//
// With a cache (the default), `beginAttempt` asks `consultCache`, which may continue on the cache's queue and
// call `beginAttempt` again with a plan. In `connect`, an attempt that may share a connection may have to
// wait until another has opened it. The second half is in `Engine+Responses.swift`.
//
// Values make the decisions (`CachePlan`, `ConnectionSlots` …); the files beside this one contain the
// exceptional paths. Every function here runs on the engine's thread, never inside a callback of libcurl.

extension Engine {
    // MARK: - 1. The task is resumed

    func start(_ task: URLSessionTask) {
        guard transfers[ObjectIdentifier(task)] == nil, !task.status.withLock({ $0.life.isOver })
        else { return }
        task.status.withLock { $0.life.begin() }
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
        noteRedirect(of: transfer)
        if request.url != task.requestToLoad.url {
            task.status.withLock { $0.currentRequest = transfer.request }
        }
        if let date = task.earliestBeginDate { return delay(transfer, until: date) }
        startTransfer(transfer)
    }

    /// A `URLProtocol` may have redirected the task before: to another origin, or from POST to GET.
    private func noteRedirect(of transfer: Transfer) {
        let (first, request) = (transfer.task.firstRequest, transfer.task.requestToLoad)
        guard request.url != first.url else { return }
        let isSameOrigin = request.url.flatMap(Origin.init) == first.url.flatMap(Origin.init)
        if !isSameOrigin { transfer.history.hasLeftOrigin = true }
        if request.method.uppercased() == "GET", first.method.uppercased() != "GET" {
            transfer.source = .none
        }
    }

    /// Resumes the upload or download of an earlier task, or begins the first attempt.
    func startTransfer(_ transfer: Transfer) {
        if let start = (transfer.task as? URLSessionUploadTask)?.resumption {
            resumeUpload(of: transfer, start)
        } else if let data = (transfer.task as? URLSessionDownloadTask)?.resumption?.data {
            return openPartialFile(of: transfer, data)
        }
        beginAttempt(transfer)
    }

    // MARK: - 2. An attempt begins: cache and network

    /// Begins an attempt: with a stored response, after a network check, or directly.
    ///
    /// - Parameter plan: The cache's plan, if it had to read from disk.
    func beginAttempt(_ transfer: Transfer, with plan: CachePlan? = nil) {
        transfer.enter(.queued)
        guard !transfer.isSuspended else { return }  // `lifeChanged` begins it when it is resumed
        switch plan.map(CacheConsultation.plan) ?? consultCache(for: transfer) {
        case .underway:
            return
        case .plan(let plan):
            transfer.attempt.cache.plan = plan
            if let answer = plan.answer(at: Date()) { return replay(answer, transfer) }
            if plan.decision == .fail { return failUncached(transfer) }
        case .unavailable:
            return failUncached(transfer)
        case .uncached:
            break
        }
        if let host = transfer.hostToCheck { return checkNetwork(to: host, for: transfer) }
        enqueue(transfer)
    }

    // MARK: - 3. A connection slot is free, and the body is opened

    /// Waits for a connection slot at the host. A redirect within an origin keeps its slot. A queued transfer
    /// gets one from `giveSlot`, and `process` opens its body.
    func enqueue(_ transfer: Transfer) {
        if transfer.slot.isTaken { return openBody(of: transfer) }
        transfer.enter(.queued)
        guard !transfer.isSuspended, !transfer.isTaskOver else { return }
        transfer.slot.place = transfer.ownPlace
        let place = slots.enter(
            transfer.id, at: transfer.slot.place, limit: limit(for: transfer),
            priority: transfer.task.priority)
        guard place == .connection else { return }
        transfer.slot.isTaken = true
        openBody(of: transfer)
    }

    func openBody(of transfer: Transfer) {
        transfer.enter(.openingBody)
        // The task's abort job is on its way.
        guard !transfer.isTaskOver else { return }
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

    /// Hands the attempt's request to libcurl, with its open body.
    func connect(_ transfer: Transfer) {
        // libcurl might send the request before the abort job runs.
        guard !transfer.isTaskOver else { return }
        guard !transfer.isSuspended else {
            // It may have been admitted to open one before its body was hashed.
            leaveSharing(transfer)
            transfer.enter(.readyToConnect)
            return
        }
        do throws(URLError) {
            guard !transfer.isGetWithBody else { throw transfer.getWithBody }
            guard try admit(transfer) == .admitted else { return }
            try beginBody(of: transfer)
            // `connect` is called again with the hash.
            guard authorize(transfer) == .authorized else { return }
            guard let easy = takeHandle() else {
                throw URLError(.unknown, underlyingText: "no memory for a transfer")
            }
            try easy.configure(makeConfiguration(for: transfer))
            transfer.attempt.installCallbacks(on: easy)
            transfer.attempt.easy = easy
            transfer.attempt.timings.handedOver = now
            transfer.enter(.connecting)
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
}

extension URLRequest {
    /// The error for a URL that cannot be loaded.
    fileprivate var unsupportedURL: URLError {
        let isHTTP = ["http", "https"].contains(url?.scheme?.lowercased())
        return URLError(isHTTP ? .badURL : .unsupportedURL, failingURL: url?.withoutCredentials)
    }
}

extension Transfer {
    /// Whether the task was cancelled: nothing more may begin, and its abort job closes the transfer.
    var isTaskOver: Bool { task.status.withLock { $0.life.isOver } }

    /// Whether it was given a slot while it was queued, and has not opened its body yet.
    var isAdmitted: Bool { isQueued && slot.isTaken }

    fileprivate var getWithBody: URLError {
        URLError(
            .dataLengthExceedsMaximum, failingURL: request.url,
            underlyingText: "a GET has no body")
    }
}
