import FoundationEssentials
import Synchronization

// Uploads that survive a lost connection. What an answer or a loss means is decided by
// `UploadResumption`.

extension Engine {
    /// From how many bytes on an upload asks to be resumable: to send less again costs nothing.
    static var leastResumableByteCount: Int64 { 64 << 10 }

    /// Whether a task that starts goes on with an upload; then it lines up to ask how far that is.
    func resumeUpload(_ transfer: Transfer) {
        guard let start = (transfer.task as? URLSessionUploadTask)?.resumption,
            let data = start.data
        else { return }
        let upload = UploadResumption(data, request: start.request, startsOver: start.hasRequest)
        transfer.upload = upload
        if let next = upload.next { transfer.request = next }
    }

    /// The body is open and a attempt begins: finds out where in the body.
    ///
    /// - Returns: false when the body is not the one that was begun with; the task has failed then.
    func prepareUpload(of transfer: Transfer) -> Bool {
        guard transfer.task is URLSessionUploadTask else { return true }
        if transfer.upload?.step == nil { transfer.upload = makeUpload(for: transfer) }
        guard let attempt = transfer.upload?.step, let offset = attempt.bodyOffset else {
            return true
        }
        guard let upload = transfer.upload, upload.isOf(transfer.body.byteCount) else {
            fail(
                transfer,
                with: URLError(
                    .requestBodyStreamExhausted, failingURL: transfer.task.currentRequest?.url,
                    underlyingText: "the body is not as long as when the upload began"))
            return false
        }
        transfer.upload?.beginAttempt()
        guard offset > 0, transfer.bodyOffset == 0 else { return true }
        transfer.bodyOffset = offset
        _ = transfer.seek(to: 0)
        transfer.postedSent = offset
        transfer.sendsAgain = true
        return true
    }

    /// Asks the delegate for the rest of a body that another process has begun to send.
    func askForRest(of transfer: Transfer) {
        let task = transfer.task
        let attempt = transfer.attempt
        task.post(
            .needsRestOfBody(
                from: transfer.upload?.offset ?? 0,
                Reply { stream in
                    let opened: Result<BodyReader, URLError> =
                        stream.map {
                            .success(
                                BodyReader(
                                    stream: $0, byteCount: -1, wake: Self.waker(for: task)))
                        }
                        ?? .failure(
                            URLError(
                                .requestBodyStreamExhausted,
                                underlyingText: "the delegate gave no rest of the body"))
                    Self.shared.submit { $0.take(opened, for: task, attempt: attempt) }
                }))
    }

    private func makeUpload(for transfer: Transfer) -> UploadResumption? {
        switch transfer.body {
        case .none, .pipe: return nil
        case .reader(let reader) where !reader.canRewind: return nil
        case .data, .reader: break
        }
        guard transfer.body.byteCount >= Self.leastResumableByteCount,
            ["POST", "PUT", "PATCH"].contains(transfer.request.method)
        else { return nil }
        return UploadResumption(transfer.request, byteCount: transfer.body.byteCount)
    }

    /// Takes the head of an answer to a attempt of an upload.
    ///
    /// - Returns: false when it is to be treated as any answer.
    func isUploadAnswer(_ head: ResponseHead, to transfer: Transfer) -> Bool {
        guard let isFirst = transfer.upload?.isCreating, transfer.upload?.step != nil,
            let response = transfer.response, let decision = transfer.upload?.take(head)
        else { return false }
        switch decision {
        case .deliver where isFirst: return false
        case .deliver, .deliverWithoutBody: deliver(response, of: transfer)
        case .send: transfer.nextRequest = transfer.upload?.next
        case .fail(let error): fail(transfer, with: error)
        }
        return true
    }

    /// Whether an upload goes on after a failure; then all that follows is done.
    func survives(_ transfer: Transfer, _ error: URLError) -> Bool {
        let hasSentAll = transfer.hasSentBody
        guard transfer.upload?.step != nil, transfer.response == nil,
            [.networkConnectionLost, .timedOut, .cannotConnectToHost].contains(error.code),
            transfer.resourceTimer.deadline.map({ $0 > now }) ?? true,
            let decision = transfer.upload?.takeLoss(error, hasSentAll: hasSentAll),
            case .send = decision,
            let next = transfer.upload?.next
        else { return false }
        detach(transfer)
        transfer.beginAttempt()
        transfer.request = next
        transfer.needsFreshConnection = true
        let rest = transfer.upload?.backoffSeconds ?? 0
        if rest > 0 {
            transfer.retryDate = now + UInt64(rest * 1e9)
            deadlineChanged(of: transfer)
        } else {
            prepareBody(of: transfer)
        }
        return true
    }

    /// What a later task needs to go on with a transfer's upload.
    func uploadResumeData(of transfer: Transfer) -> Data? {
        guard let data = transfer.upload?.resumeData, let blob = try? data.blob else { return nil }
        UploadBodies.remember(
            blob, request: transfer.upload?.request ?? transfer.request,
            source: transfer.task.source)
        return blob
    }
}
