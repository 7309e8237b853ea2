import FoundationEssentials
import Synchronization

// Uploads that survive a lost connection. What an answer or a loss means is decided by
// `UploadResumption`.

extension Engine {
    /// From how many bytes on an upload asks to be resumable: to send less again costs nothing.
    fileprivate static var leastResumableByteCount: Int64 { 64 << 10 }

    /// Continues an upload of an earlier task, if the new one was made for that: first asks the server
    /// how much it has.
    func resumeUpload(of transfer: Transfer, _ start: UploadStart) {
        guard let data = start.data else { return }
        let upload = UploadResumption(data, request: start.request, startsOver: start.hasRequest)
        transfer.upload = upload
        if let next = upload.next { transfer.makeAttempt(next) }
    }

    /// The body is open: finds out where in it the attempt begins.
    ///
    /// - Throws: `.requestBodyStreamExhausted` when it is not the body that was begun with.
    func positionUpload(of transfer: Transfer) throws(URLError) {
        guard transfer.task is URLSessionUploadTask else { return }
        if transfer.upload?.step == nil { transfer.upload = transfer.makeUpload() }
        guard let offset = transfer.upload?.step?.bodyOffset else { return }
        let attempt = transfer.attempt
        guard let upload = transfer.upload, upload.isOf(attempt.body.byteCount) else {
            throw URLError(
                .requestBodyStreamExhausted, failingURL: transfer.task.currentRequest?.url,
                underlyingText: "the body is not as long as when the upload began")
        }
        transfer.upload?.beginAttempt()
        guard offset > 0, attempt.body.start == 0 else { return }
        attempt.body.start = offset
        _ = attempt.body.seek(to: 0)
        transfer.uploadProgress.reportedByteCount = offset
        transfer.uploadProgress.isRepeated = true
    }

    func noteExpectedUpload(of transfer: Transfer) {
        guard transfer.upload?.step?.isUpload != false else { return }
        let expected = transfer.attempt.body.byteCount
        transfer.task.status.withLock { $0.counts.expectedToSend = expected }
    }

    func reportUploadProgress(of transfer: Transfer) {
        let body = transfer.attempt.body
        let sent = body.start + body.sentByteCount
        guard sent != transfer.uploadProgress.reportedByteCount,
            transfer.upload?.step?.isUpload != false, transfer.webSocket == nil
        else { return }
        transfer.uploadProgress.reportedByteCount = sent
        if transfer.uploadProgress.isRepeated {
            transfer.uploadProgress.isRepeated = false
            transfer.task.post(.sendsAgain(from: body.start))
        }
        transfer.task.post(.sent(total: sent, expected: body.byteCount)) {
            $0.counts.sent = sent
        }
        transfer.task.updateProgress()
    }

    /// Asks the server how much it has, if it has said where, and sends the rest.
    func continueUpload(of transfer: Transfer, after error: URLError) -> Recovery {
        let hasSentAll = transfer.hasSentBody
        guard transfer.upload?.step != nil, transfer.attempt.response == nil,
            [.networkConnectionLost, .timedOut, .cannotConnectToHost].contains(error.code),
            transfer.timers.resource.deadline.map({ $0 > now }) ?? true,
            let decision = transfer.upload?.takeLoss(error, hasSentAll: hasSentAll),
            case .send = decision, let next = transfer.upload?.next
        else { return .impossible }
        closeAttempt(of: transfer)
        transfer.makeAttempt(next)
        transfer.history.needsFreshConnection = true
        let seconds = transfer.upload?.backoffSeconds ?? 0
        if seconds > 0 {
            transfer.state = .backingOff(until: now + UInt64(seconds * 1e9))
            deadlineChanged(of: transfer)
        } else {
            openBody(of: transfer)
        }
        return .underway
    }

    /// What a later task needs to continue a transfer's upload.
    func uploadResumeData(of transfer: Transfer) -> Data? {
        guard let data = transfer.upload?.resumeData, let blob = try? data.blob else {
            return nil
        }
        UploadBodies.remember(
            blob, request: transfer.upload?.request ?? transfer.request,
            source: transfer.task.source)
        return blob
    }

    fileprivate static var resumableMethods: [String] { ["POST", "PUT", "PATCH"] }
}

extension Transfer {
    /// Nil for an upload that cannot be continued.
    fileprivate func makeUpload() -> UploadResumption? {
        switch attempt.body.content {
        case .none, .pipe: return nil
        case .reader(let reader) where !reader.canRewind: return nil
        case .data, .reader: break
        }
        let byteCount = attempt.body.byteCount
        guard byteCount >= Engine.leastResumableByteCount,
            Engine.resumableMethods.contains(request.method)
        else { return nil }
        return UploadResumption(request, byteCount: byteCount)
    }
}
