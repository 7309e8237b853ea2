import FoundationEssentials
import Synchronization

// Request bodies: how far they are, and what must not be sent a second time.
//
// A server may process a request that is not idempotent once it has all of it. So that a later helper knows, the
// journal says so before that: the end of the body is held back until it is on disk.

extension BackgroundHelper {
    /// How much of a body is held back.
    static let lastPartByteCount: Int64 = 64 << 10

    /// Whether the server may have received all of a request as soon as its attempt starts; nil for no.
    ///
    /// - Parameter upload: An upload that goes on. What is known of it does not change.
    func mayBeSent(
        _ transfer: HelperTransfer, _ record: BackgroundTaskRecord,
        resuming upload: BackgroundTaskRecord.Upload?
    ) -> Bool? {
        guard upload == nil else { return record.mayBeSent }
        guard !LostRequest.isIdempotent(record.request.method) else { return nil }
        let byteCount =
            switch record.kind {
            case .download: record.request.body?.count ?? 0
            case .upload: transfer.attempt.stamp?.byteCount ?? 0
            }
        // Without a body there is nothing to hold back.
        return byteCount == 0 ? true : nil
    }

    /// Records that a request may be complete, then sends the last part of its body.
    func heldPartReached(by transfer: HelperTransfer) {
        do {
            try journal.change(transfer.id.number, in: transfer.id.session) { record in
                record.mayBeSent = true
                record.upload?.noteMayBeDone()
            }
        } catch {
            // The disk may be full for a moment; without its last part the request has no effect.
            stop(transfer)
            return retry(transfer, after: error as? URLError ?? URLError(.unknown))
        }
        transfer.attempt.inner?.sendHeldPart()
    }

    /// - Parameter byteCount: Sent since the last call; part of `total`.
    func sent(
        _ transfer: HelperTransfer, _ byteCount: Int64, of total: Int64, expected: Int64
    ) {
        let id = transfer.id
        if transfer.attempt.awaitsOffset {
            // The first report of a continued upload includes what the server had already.
            transfer.attempt.awaitsOffset = false
            keep(id.number, in: id.session) { $0.note(reached: total - byteCount) }
        }
        transfer.attempt.movedByteCount = total
        _ = try? journal.note(
            .progress(moved: total, expected: max(-1, expected)), of: id.number, in: id.session)
        notifyProgress(of: transfer, .sent(id.number, total: total, expected: expected))
    }

    // MARK: - Resumable uploads

    /// Called when the server can resume the upload (104), with its location.
    func informed(_ transfer: HelperTransfer, _ response: HTTPURLResponse) {
        let id = transfer.id
        guard let record = journal[id.session, id.number], case .upload(let path) = record.kind,
            let stamp = transfer.attempt.stamp, AtomicFile.stamp(of: path) == stamp,
            let request = transfer.attempt.inner?.currentRequest
        else { return }
        var upload = UploadResumption(request, byteCount: Int64(stamp.byteCount))
        upload.take(
            interim: ResponseHead(status: response.statusCode, headers: response.headers))
        if record.mayBeSent == true { upload.noteMayBeDone() }
        // After a redirect, it may be on another server than the task's request.
        guard let data = upload.resumeData, let blob = try? data.blob,
            let url = URL(string: record.request.url), Origin(of: url) == Origin(of: data.location)
        else { return }
        keep(id.number, in: id.session) { $0.upload = .init(resumeData: blob, stamp: stamp) }
    }

    /// Resume data of an upload; nil when it starts at the first byte.
    func prepareUpload(
        of transfer: HelperTransfer, _ record: BackgroundTaskRecord
    ) -> BackgroundTaskRecord.Upload? {
        guard case .upload(let path) = record.kind else { return nil }
        transfer.attempt.stamp = AtomicFile.stamp(of: path)
        guard let upload = record.upload, upload.stamp == transfer.attempt.stamp else { return nil }
        transfer.attempt.awaitsOffset = true
        return upload
    }

    // MARK: - What must not be repeated

    /// Whether the whole of a non-idempotent request was sent (RFC 9110 §9.2.2) and only the response is
    /// missing. A server does not act on an incomplete body.
    func mayBeDone(_ transfer: HelperTransfer, _ error: URLError) -> Bool {
        guard error.code == .timedOut || error.code == .networkConnectionLost,
            let inner = transfer.attempt.inner, mustNotBeRepeated(transfer)
        else { return false }
        // What the server has acknowledged says less: its acknowledgements may be on their way, or lost.
        let counts = inner.status.withLock(\.counts)
        return counts.handedOver >= counts.expectedToSend
    }

    /// Whether the request must not be sent a second time. A resumed upload asks first how much has arrived.
    private func mustNotBeRepeated(_ transfer: HelperTransfer) -> Bool {
        guard let method = transfer.attempt.inner?.currentRequest?.httpMethod else { return false }
        return !LostRequest.isIdempotent(method)
            && journal[transfer.id.session, transfer.id.number]?.upload == nil
    }

    static var lostAnswer: URLError {
        URLError(
            .networkConnectionLost,
            underlyingText:
                "the process that ran it ended before the response arrived; the request may have been "
                + "carried out, and is not sent again")
    }
}

extension BackgroundTaskRecord.Upload {
    /// Records that the server may have received all of it.
    fileprivate mutating func noteMayBeDone() {
        guard var data = try? UploadResumeData(blob: resumeData) else { return }
        data.mayBeDone = true
        if let blob = try? data.blob { resumeData = blob }
    }
}
