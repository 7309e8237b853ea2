import FoundationEssentials
import CurlNetworkingPlatform

// The attempts of a task: one after another, until it completes.

extension BackgroundHelper {
    func startAttempt(_ transfer: HelperTransfer) {
        transfer.reset()
        let id = transfer.id
        guard let record = journal[id.session, id.number], !record.isSuspended else { return }
        guard !transfer.isPastDeadline(at: Self.now) else { return expire(transfer) }
        let delay = record.delay(at: .now)
        guard delay == 0 else {
            // Looked at again each minute: the clock may be set, and the machine may sleep.
            transfer.retryAt = Self.now + UInt64(min(delay, 60) * 1e9)
            return
        }
        guard case .download = record.kind, let blob = record.part.resumeData,
            let data = try? ResumeData(blob: blob)
        else { return start(transfer) }
        guard let file = try? parts.openFile(data.fileName) else {
            // Without it the download restarts, unless the program has asked to resume.
            guard case .download(.some) = record.kind, record.attempts == 0 else {
                return start(transfer)
            }
            return fail(
                transfer,
                URLError(
                    .cannotOpenFile,
                    underlyingText: "the partial file is missing, or another task uses it"))
        }
        check(file, data, for: transfer, record)
    }

    /// Verifies how much of a part is intact.
    private func check(
        _ file: HelperFile, _ data: ResumeData, for transfer: HelperTransfer,
        _ record: BackgroundTaskRecord
    ) {
        let id = transfer.id
        lastCheck += 1
        let number = lastCheck
        transfer.attempt.check = number
        transfer.attempt.file = file
        let marks = data.marks + PartialFileMarks.read(ofPartAt: file.path)
        // Without checksums, only what was synced is certain to be on disk, unless the machine has not been
        // restarted since.
        let hasAll = !marks.isEmpty || record.isPartOfThisBoot
        let limit = hasAll ? file.byteCount : min(data.byteCount, file.byteCount)
        let descriptor = file.duplicate()
        FileQueue.run {
            let found = PartialFileChecks.find(
                in: descriptor, upTo: limit, total: data.totalByteCount, marks)
            close(descriptor)
            self.submit { helper in
                guard let transfer = helper.transfers[id], transfer.attempt.check == number else {
                    return
                }
                helper.take(found, data, for: transfer)
            }
        }
    }

    private func take(
        _ found: PartialFileChecks.Finding, _ data: ResumeData, for transfer: HelperTransfer
    ) {
        transfer.attempt.check = nil
        guard let file = transfer.attempt.file else { return start(transfer) }
        var data = data
        if found.byteCount < data.byteCount {
            log.note("of a part only the first \(found.byteCount) bytes are as they were written")
        }
        file.accept(found)
        data.byteCount = found.byteCount
        if found.byteCount > 0,
            let resumption = try? DownloadResumption(data, fileByteCount: found.byteCount)
        {
            transfer.attempt.resumption = resumption
        } else {
            dropPart(of: transfer)
        }
        start(transfer)
    }

    /// Sends the request, for the whole body or for the rest of it.
    private func start(_ transfer: HelperTransfer) {
        let id = transfer.id
        guard let record = journal[id.session, id.number], let request = record.request.request
        else { return }
        guard !record.isSuspended else { return transfer.reset() }
        var started = record
        if let resumption = transfer.attempt.resumption { started.note(reached: resumption.offset) }
        guard started.interruptions < BackgroundTaskRecord.maximumInterruptions else {
            return fail(
                transfer,
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: "the process that ran it has ended unexpectedly too often"))
        }
        let upload = prepareUpload(of: transfer, record)
        // A continued upload asks first how much has arrived.
        guard upload != nil || record.mayBeSent != true else {
            return fail(transfer, Self.lostAnswer)
        }
        let newPart = makePartName(for: transfer, record)
        let mayBeSent = mayBeSent(transfer, record, resuming: upload)
        let change = { (record: inout BackgroundTaskRecord) in
            if let offset = transfer.attempt.resumption?.offset { record.note(reached: offset) }
            record.part.newFile = newPart
            record.upload = upload
            record.mayBeSent = mayBeSent
        }
        do {
            switch try journal.note(.start, of: id.number, in: id.session, along: change) {
            case .applied: break
            // An attempt that restarts with the whole body is running already.
            case .notAllowed: try journal.change(id.number, in: id.session, change)
            }
        } catch {
            return fail(transfer, error as? URLError ?? URLError(.unknown))
        }
        let worker = worker(for: record)
        let inner: URLSessionTask
        switch record.kind {
        case .upload(let path):
            let file = URL(filePath: path, directoryHint: .notDirectory)
            inner =
                upload.map {
                    worker.uploadTask(
                        withResumeData: $0.resumeData, request: request, fromFile: file)
                } ?? worker.uploadTask(with: request, fromFile: file)
        case .download:
            inner = worker.dataTask(
                with: transfer.attempt.resumption?.continuing(request) ?? request)
        }
        inner.priority = record.priority
        if !LostRequest.isIdempotent(request.method) {
            inner.holdLastPart(of: Self.lastPartByteCount)
        }
        transfer.attempt.inner = inner
        carried[ObjectIdentifier(inner)] = transfer
        inner.resume()
    }

    /// Chooses a file name for a download that starts at its first byte, and removes the file of an earlier
    /// attempt.
    private func makePartName(
        for transfer: HelperTransfer, _ record: BackgroundTaskRecord
    ) -> String? {
        guard case .download = record.kind else { return nil }
        let kept = transfer.attempt.resumption?.data.fileName
        if let old = record.part.newFile, old != kept { parts.remove(old) }
        // A part from the program's resume data may belong to another task, and is never removed.
        return kept.map { $0 == record.part.newFile ? $0 : nil } ?? PartialFiles.makeName()
    }

    // MARK: - Completion

    func attemptEnded(_ transfer: HelperTransfer, _ error: URLError?) {
        guard let error = error ?? lengthError(of: transfer) else { return finish(transfer) }
        if let total = transfer.attempt.total, transfer.attempt.file?.byteCount ?? 0 > total {
            dropPart(of: transfer)
        }
        if error.isPassing, !mayBeDone(transfer, error) {
            stop(transfer)
            retry(transfer, after: error)
        } else {
            fail(transfer, error)
        }
    }

    /// Why the rest of a body is not what its range says, although the response has ended.
    private func lengthError(of transfer: HelperTransfer) -> URLError? {
        guard let total = transfer.attempt.total, let file = transfer.attempt.file,
            file.byteCount != total
        else { return nil }
        return URLError(
            .networkConnectionLost,
            underlyingText: "the range ended after \(file.byteCount) of \(total) bytes")
    }

    /// Cancels the running attempt. What it has received is kept.
    func stop(_ transfer: HelperTransfer) {
        guard let inner = transfer.attempt.inner else { return }
        carried[ObjectIdentifier(inner)] = nil
        inner.cancel()
        transfer.attempt.inner = nil
        transfer.attempt.questions = [:]
    }

    func retry(_ transfer: HelperTransfer, after error: URLError) {
        let id = transfer.id
        let delay = transfer.nextDelay()
        discardUnusable(transfer)
        transfer.reset()
        transfer.retryAt = Self.now + delay
        _ = try? journal.note(.pause, of: id.number, in: id.session) { record in
            // What the server has of a resumable upload, the next attempt asks.
            if record.upload == nil { record.mayBeSent = nil }
        }
        log.note("task \(id.number) of \(id.session) waits: \(error.errorCode)")
    }

    /// Removes what has arrived, unless a later attempt can resume it.
    private func discardUnusable(_ transfer: HelperTransfer) {
        guard let file = transfer.attempt.file else { return }
        file.mark()
        let noted = journal[transfer.id.session, transfer.id.number]?.part.resumeData.flatMap {
            try? ResumeData(blob: $0)
        }
        if noted?.fileName != file.name { file.remove() }
    }

    /// Stops a task and leaves it in the journal for the next helper.
    func park(_ transfer: HelperTransfer) {
        guard transfer.attempt.inner != nil else { return }
        let id = transfer.id
        let record = journal[id.session, id.number]
        guard record?.mayBeSent != true || record?.upload != nil else {
            return fail(transfer, Self.lostAnswer)
        }
        discardUnusable(transfer)
        stop(transfer)
        _ = try? journal.note(.pause, of: id.number, in: id.session)
    }
}

extension DownloadResumption {
    /// The task's own request with the fields for resuming: unlike `request` it follows redirects and
    /// authenticates again.
    func continuing(_ whole: URLRequest) -> URLRequest {
        var request = whole
        for name in ["Range", "If-Range", "Accept-Encoding"] {
            request.headers[name] = self.request.headers[name]
        }
        return request
    }
}
