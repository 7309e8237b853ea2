import FoundationEssentials
import Synchronization

// From a task that runs to a request on its way.

extension Engine {
    // MARK: - Towards a connection

    func enqueue(_ transfer: Transfer) {
        transfer.stage = .waiting
        guard !transfer.pauses.contains(.suspended) else { return }
        let task = transfer.task
        if slots.enter(
            transfer.id, at: transfer.place, limit: transfer.connectionLimit,
            priority: task.priority)
        {
            transfer.hasConnection = true
            prepareBody(of: transfer)
        } else {
            transfer.isQueued = true
        }
    }

    func giveUpConnection(of transfer: Transfer) {
        if transfer.isQueued {
            slots.withdraw(transfer.id, from: transfer.place)
            transfer.isQueued = false
        }
        guard transfer.hasConnection else { return }
        transfer.hasConnection = false
        guard let next = slots.release(transfer.place), let next = transfers[next] else { return }
        next.isQueued = false
        next.hasConnection = true
        prepareBody(of: next)
    }

    func prepareBody(of transfer: Transfer) {
        transfer.stage = .preparing
        let task = transfer.task
        let attempt = transfer.attempt
        if transfer.upload?.step?.isUpload == false {
            transfer.body = .none
            return connect(transfer)
        }
        switch transfer.source {
        case .none:
            transfer.body = .none
            connect(transfer)
        case .data(let data):
            transfer.body = .data(data, position: 0)
            connect(transfer)
        case .file(let url):
            FileQueue.run {
                let opened = Result { () throws(URLError) in
                    try BodyReader.open(file: url, wake: Self.waker(for: task))
                }
                Self.shared.submit { $0.take(opened, for: task, attempt: attempt) }
            }
        case .pipe(let pipe):
            pipe.connect(wake: Self.waker(for: task))
            transfer.body = .pipe(pipe)
            connect(transfer)
        case .given(let stream):
            transfer.source = .stream
            transfer.body = .reader(
                BodyReader(
                    stream: stream, byteCount: transfer.request.announcedByteCount,
                    wake: Self.waker(for: task)))
            connect(transfer)
        case .stream where transfer.upload?.hasArrived == true:
            askForRest(of: transfer)
        case .stream:
            let byteCount = transfer.request.announcedByteCount
            task.post(
                .needsBodyStream(
                    Reply { stream in
                        let opened: Result<BodyReader, URLError> =
                            stream.map {
                                .success(
                                    BodyReader(
                                        stream: $0, byteCount: byteCount,
                                        wake: Self.waker(for: task)))
                            }
                            ?? .failure(
                                URLError(
                                    .requestBodyStreamExhausted,
                                    underlyingText: "the delegate gave no body stream"))
                        Self.shared.submit { $0.take(opened, for: task, attempt: attempt) }
                    }))
        }
    }

    static func waker(for task: URLSessionTask) -> @Sendable () -> Void {
        { [weak task] in
            guard let task else { return }
            shared.submit { $0.bodyArrived(for: task) }
        }
    }

    func take(
        _ opened: Result<BodyReader, URLError>, for task: URLSessionTask, attempt: Int
    ) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.attempt == attempt,
            transfer.stage == .preparing
        else { return }
        switch opened {
        case .success(let reader):
            transfer.body = .reader(reader)
            connect(transfer)
        case .failure(let error):
            fail(transfer, with: error.failingURL == nil ? error.for(transfer.request.url) : error)
        }
    }

    func bodyArrived(for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task.successor ?? task)],
            transfer.isAwaitingBody
        else {
            return
        }
        transfer.isAwaitingBody = false
        applyPauses(to: transfer)
    }

    func connect(_ transfer: Transfer) {
        guard !transfer.pauses.contains(.suspended) else {
            transfer.stage = .held
            return
        }
        guard !transfer.isGetWithBody else {
            return fail(
                transfer,
                with: URLError(
                    .dataLengthExceedsMaximum, failingURL: transfer.request.url,
                    underlyingText: "a GET has no body"))
        }
        guard prepareUpload(of: transfer), authorize(transfer) else { return }
        guard let easy = takeHandle() else {
            return fail(
                transfer, with: URLError(.unknown, underlyingText: "no memory for a transfer"))
        }
        do throws(URLError) {
            try easy.configure(for: transfer, headers: fieldsToSend(for: transfer))
        } catch {
            return fail(transfer, with: error)
        }
        if transfer.upload?.step?.isUpload != false {
            let expected = transfer.body.byteCount
            transfer.task.status.withLock { $0.expectedToSend = expected }
        }
        transfer.easy = easy
        transfer.stage = .connecting
        transfer.timings.handedOver = now
        transfer.updateTimers(at: now)
        deadlineChanged(of: transfer)
        guard multi.add(easy) else {
            transfer.easy = nil
            return fail(
                transfer, with: URLError(.unknown, underlyingText: "libcurl refused the transfer"))
        }
        if transfer.handshake != nil { multi.handshakes.begin(easy) }
    }
}
