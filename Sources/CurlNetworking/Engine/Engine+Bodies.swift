import FoundationEssentials
import Synchronization

// Request bodies that have to be opened first: files, and streams that the delegate provides.

extension Engine {
    func openSource(of transfer: Transfer) {
        let task = transfer.task
        let wake = waker(for: task)
        switch transfer.source {
        case .none, .data:
            break
        case .file(let url):
            let opened = bodyOpened(of: transfer)
            FileQueue.run {
                opened(
                    Result { () throws(URLError) in try BodyReader.open(file: url, wake: wake) })
            }
        case .produced(let producer):
            let pipe = BodyPipe(byteCount: producer.byteCount ?? -1, wake: wake)
            producer.begin(BodyWriter(pipe))
            connect(transfer, sending: .produced(pipe))
        case .pipe(let pipe):
            pipe.connect(wake: wake)
            connect(transfer, sending: .pipe(pipe))
        case .given(let stream):
            transfer.source = .stream
            let byteCount = transfer.request.announcedByteCount
            connect(
                transfer,
                sending: .reader(BodyReader(stream: stream, byteCount: byteCount, wake: wake)))
        case .stream where transfer.upload?.hasArrived == true:
            let reply = streamReply(
                to: transfer, byteCount: -1, without: "the delegate gave no rest of the body")
            task.post(.needsRestOfBody(from: transfer.upload?.offset ?? 0, reply))
        case .stream:
            let reply = streamReply(
                to: transfer, byteCount: transfer.request.announcedByteCount,
                without: "the delegate gave no body stream")
            task.post(.needsBodyStream(reply))
        }
    }

    private func streamReply(
        to transfer: Transfer, byteCount: Int64, without text: String
    ) -> Reply<BodyStream?> {
        let wake = waker(for: transfer.task)
        let opened = bodyOpened(of: transfer)
        return Reply { stream in
            guard let stream else {
                return opened(
                    .failure(URLError(.requestBodyStreamExhausted, underlyingText: text)))
            }
            opened(.success(BodyReader(stream: stream, byteCount: byteCount, wake: wake)))
        }
    }

    private func bodyOpened(
        of transfer: Transfer
    ) -> @Sendable (Result<BodyReader, URLError>) -> Void {
        callback(for: transfer) { engine, transfer, opened in
            guard transfer.state.isOpeningBody else { return }
            switch opened {
            case .success(let reader):
                engine.connect(transfer, sending: .reader(reader))
            case .failure(let error):
                let url = transfer.request.url
                engine.fail(transfer, with: error.failingURL == nil ? error.for(url) : error)
            }
        }
    }

    /// Continues with an open body.
    private func connect(_ transfer: Transfer, sending content: OutgoingBody.Content) {
        transfer.attempt.body = OutgoingBody(content)
        connect(transfer)
    }

    // MARK: - Continuing a body

    /// A body may outlive its attempt: if nothing of it was sent, the next one has it.
    private func waker(for task: URLSessionTask) -> @Sendable () -> Void {
        let arrived = callback(forAnyAttemptOf: task) { (engine, transfer, _: Void) in
            engine.bodyArrived(for: transfer)
        }
        return { arrived(()) }
    }

    /// Called when the task's rate limit allows more of the body to be sent.
    func sendMore(of transfer: Transfer) {
        transfer.attempt.body.rateLimiter.resumption = nil
        guard transfer.attempt.body.isAwaited else { return }
        transfer.attempt.body.isAwaited = false
        applyPauses(to: transfer)
    }

    /// Called when the end of a body that was held back may be sent.
    func bodyReleased(of task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)] else { return }
        bodyArrived(for: transfer)
    }

    private func bodyArrived(for transfer: Transfer) {
        guard transfer.attempt.body.isAwaited else { return }
        transfer.attempt.body.isAwaited = false
        applyPauses(to: transfer)
    }
}
