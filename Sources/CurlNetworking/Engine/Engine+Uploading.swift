import FoundationEssentials
import Synchronization

// Uploads that can be resumed. `UploadResumption` decides what a response or a lost connection means.

extension Engine {
    /// The minimum length of a resumable upload; a shorter one is sent again.
    fileprivate static var minimumResumableByteCount: Int64 { 64 << 10 }

    /// Continues the upload of an earlier task, if there is one, by first asking the server for its offset.
    func resumeUpload(of transfer: Transfer, _ start: UploadStart) {
        guard let data = start.data else { return }
        let upload = UploadResumption(data, request: start.request, startsOver: start.hasRequest)
        transfer.upload = upload
        if let next = upload.next { transfer.makeAttempt(continuing: next) }
    }

    /// Records the length of the open body and the offset at which the attempt starts.
    ///
    /// - Throws: `.requestBodyStreamExhausted` if the body is not the one that the upload began with.
    func beginBody(of transfer: Transfer) throws(URLError) {
        let attempt = transfer.attempt
        guard transfer.task is URLSessionUploadTask else {
            guard transfer.webSocket == nil, !attempt.body.isNone else { return }
            let expected = attempt.body.byteCount
            return transfer.task.status.withLock { $0.counts.expectedToSend = expected }
        }
        if transfer.upload?.step == nil { transfer.upload = transfer.makeUpload() }
        if transfer.upload?.step?.isUpload != false {
            let expected = attempt.body.byteCount
            transfer.task.status.withLock { $0.counts.expectedToSend = expected }
        }
        guard let offset = transfer.upload?.step?.bodyOffset else { return }
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
        transfer.uploadProgress.handedOverByteCount = offset
        transfer.uploadProgress.isRepeated = true
    }

    /// Reports acknowledged bytes to the delegate, and counts those that were handed to the system.
    func reportUploadProgress(of transfer: Transfer) {
        let attempt = transfer.attempt
        guard !attempt.body.isNone, transfer.upload?.step?.isUpload != false,
            transfer.webSocket == nil
        else { return }
        let (taken, handedOver) = (attempt.takenBodyByteCount, attempt.sentBodyByteCount)
        scheduleUploadCheck(of: transfer, taken: taken, handedOver: handedOver)
        let reported = transfer.uploadProgress.reportedByteCount
        guard taken > reported || handedOver > transfer.uploadProgress.handedOverByteCount else {
            return
        }
        transfer.uploadProgress.reportedByteCount = max(taken, reported)
        transfer.uploadProgress.handedOverByteCount = handedOver
        if transfer.uploadProgress.isRepeated {
            transfer.uploadProgress.isRepeated = false
            transfer.task.post(.sendsAgain(from: attempt.body.start))
        }
        let total = max(taken, reported)
        transfer.task.post(.sent(total: total, expected: attempt.body.byteCount)) {
            $0.counts.sent = total
            $0.counts.handedOver = handedOver
        }
        transfer.task.updateProgress()
    }

    /// In nanoseconds.
    private static var uploadCheckInterval: UInt64 { 100_000_000 }

    /// Schedules a check: nothing signals when the kernel's buffered bytes are acknowledged.
    private func scheduleUploadCheck(of transfer: Transfer, taken: Int64, handedOver: Int64) {
        guard taken < handedOver, transfer.attempt.isOnTheWire, !transfer.isSuspended else {
            return transfer.uploadProgress.nextCheck = nil
        }
        transfer.uploadProgress.nextCheck = now + Self.uploadCheckInterval
        updateTimers(of: transfer)
    }

    /// Reports newly acknowledged bytes, and restarts the request's timer if there are any.
    func checkUpload(of transfer: Transfer) {
        transfer.uploadProgress.nextCheck = nil
        guard !transfer.state.isFinished, transfer.attempt.isOnTheWire, !transfer.isSuspended
        else { return }
        let before = transfer.uploadProgress.reportedByteCount
        reportUploadProgress(of: transfer)
        if transfer.uploadProgress.reportedByteCount > before {
            transfer.timers.request.restart(at: now)
        }
    }

    /// Asks the server for its offset, if it has provided an upload URL, and sends the rest.
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
            transfer.enter(.backingOff(until: now + UInt64(seconds * 1e9)))
            updateTimers(of: transfer)
        } else {
            openBody(of: transfer)
        }
        return .underway
    }

    /// The resume data of a transfer's upload.
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
    /// nil if the upload cannot be resumed.
    fileprivate func makeUpload() -> UploadResumption? {
        switch attempt.body.content {
        case .none, .pipe, .produced: return nil
        case .reader(let reader) where !reader.canRewind: return nil
        case .data, .reader: break
        }
        let byteCount = attempt.body.byteCount
        guard byteCount >= Engine.minimumResumableByteCount,
            Engine.resumableMethods.contains(request.method)
        else { return nil }
        return UploadResumption(request, byteCount: byteCount)
    }
}
