import FoundationEssentials
import Synchronization

// The first half of a transfer's main line: from `resume()` to libcurl, in the order in which it happens:
//
//     start → startTransfer → begin → enqueue → openBody → connect
//
// (A connection that others may share is opened by one of them; the rest wait for it in `connect`.) The second
// half is in `Engine+Responses.swift`.
//
// What is decided is decided by values (`CachePlan`, `ConnectionSlots` …), and what leaves the line is in the
// files beside this one. As there, every function runs on the engine's thread, never inside a callback of
// libcurl.

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

    /// - Parameter plan: What the cache has said, when it had to look on the disk.
    func begin(_ transfer: Transfer, with plan: CachePlan? = nil) {
        transfer.state = .queued
        guard !transfer.isSuspended else { return }  // until it is resumed
        switch plan.map(CacheConsultation.plan) ?? consultCache(for: transfer) {
        case .underway:
            return
        case .plan(let plan):
            transfer.attempt.cache.plan = plan
            if let answer = plan.answer(at: Date()) { return replay(answer, transfer) }
            if plan.decision == .fail {
                return fail(
                    transfer, with: URLError(.resourceUnavailable, failingURL: transfer.request.url)
                )
            }
        case .uncached:
            break
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
