import FoundationEssentials
import Glibc

// An attempt to load what a task wants: one after another, until it has an end.

extension BackgroundHelper {
    func startAttempt(_ transfer: HelperTransfer) {
        transfer.reset()
        let id = transfer.id
        guard let record = journal[id.session, id.number], !record.isSuspended else { return }
        guard !transfer.isPastDeadline(at: Self.now) else { return expire(transfer) }
        guard case .download = record.kind, let blob = record.part,
            let data = try? ResumeData(blob: blob)
        else { return start(transfer) }
        guard let file = try? parts.openFile(data.fileName) else {
            // Without it the download starts anew, unless going on is what its program has asked for.
            guard case .download(.some) = record.kind, record.attempts == 0 else {
                return start(transfer)
            }
            return fail(
                transfer,
                URLError(
                    .cannotOpenFile,
                    underlyingText: "the part is gone, or another task goes on with it"))
        }
        check(file, data, for: transfer, record)
    }

    /// Finds out how much of a part is as it was written.
    private func check(
        _ file: HelperFile, _ data: ResumeData, for transfer: HelperTransfer,
        _ record: BackgroundTaskRecord
    ) {
        let id = transfer.id
        lastCheck += 1
        let number = lastCheck
        transfer.check = number
        transfer.file = file
        let marks = data.marks + PartialFileMarks.read(ofPartAt: file.path)
        // Without marks, only what was noted is sure to have reached the disk; but the kernel that has
        // taken all that was written is the one that is asked.
        let hasAll = !marks.isEmpty || record.isPartOfThisBoot
        let limit = hasAll ? file.byteCount : min(data.byteCount, file.byteCount)
        let descriptor = file.duplicate()
        FileQueue.run {
            let found = PartialFileChecks.find(
                in: descriptor, upTo: limit, total: data.totalByteCount, marks)
            close(descriptor)
            self.submit { helper in
                guard let transfer = helper.transfers[id], transfer.check == number else { return }
                helper.take(found, data, for: transfer)
            }
        }
    }

    private func take(
        _ found: PartialFileChecks.Finding, _ data: ResumeData, for transfer: HelperTransfer
    ) {
        transfer.check = nil
        guard let file = transfer.file else { return start(transfer) }
        var data = data
        if found.byteCount < data.byteCount {
            log.note("of a part only the first \(found.byteCount) bytes are as they were written")
        }
        file.accept(found)
        data.byteCount = found.byteCount
        if found.byteCount > 0,
            let resumption = try? DownloadResumption(data, fileByteCount: found.byteCount)
        {
            transfer.resumption = resumption
        } else {
            dropPart(of: transfer)
        }
        start(transfer)
    }

    /// Sends the request: for the whole, or for what has not arrived yet.
    private func start(_ transfer: HelperTransfer) {
        let id = transfer.id
        guard let record = journal[id.session, id.number], let request = record.request.request
        else { return }
        guard !record.isSuspended else { return transfer.reset() }
        var started = record
        if let resumption = transfer.resumption { started.note(reached: resumption.offset) }
        guard started.interruptions < BackgroundTaskRecord.mostInterruptions else {
            return fail(
                transfer,
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: "the process that carried it ended all of a sudden too often"))
        }
        let upload = prepareUpload(of: transfer, record)
        // A continued upload asks first how much has arrived.
        guard upload != nil || record.mayBeSent != true else {
            return fail(transfer, Self.lostAnswer)
        }
        let newPart = makePartName(for: transfer, record)
        let change = { (record: inout BackgroundTaskRecord) in
            if let offset = transfer.resumption?.offset { record.note(reached: offset) }
            record.newPart = newPart
            record.upload = upload
            // Without a body there is nothing to wait for.
            let hasBody = upload != nil || record.request.body?.isEmpty == false
            record.mayBeSent =
                record.isDownload && !hasBody && !LostRequest.isIdempotent(request.method)
                ? true : nil
        }
        do {
            // One that asks for the whole after all has been started already.
            if try !journal.note(.start, of: id.number, in: id.session, along: change) {
                try journal.change(id.number, in: id.session, change)
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
            inner = worker.dataTask(with: transfer.resumption?.continuing(request) ?? request)
        }
        inner.priority = record.priority
        transfer.inner = inner
        carried[ObjectIdentifier(inner)] = transfer
        inner.resume()
    }

    /// What an upload is gone on with; nil when it begins at its first byte.
    private func prepareUpload(
        of transfer: HelperTransfer, _ record: BackgroundTaskRecord
    ) -> BackgroundTaskRecord.Upload? {
        guard case .upload(let path) = record.kind else { return nil }
        transfer.stamp = AtomicFile.stamp(of: path)
        guard let upload = record.upload, upload.stamp == transfer.stamp else { return nil }
        transfer.awaitsOffset = true
        return upload
    }

    /// Chooses a name for the body of a download that begins at its first byte, and removes what an
    /// attempt before has left under another one.
    private func makePartName(
        for transfer: HelperTransfer, _ record: BackgroundTaskRecord
    ) -> String? {
        guard case .download = record.kind else { return nil }
        let kept = transfer.resumption?.data.fileName
        if let old = record.newPart, old != kept { parts.remove(old) }
        // A part that the program has named may be another task's, too, and is never removed as ours.
        return kept.map { $0 == record.newPart ? $0 : nil } ?? PartialFiles.makeName()
    }

    // MARK: - Its end

    func attemptEnded(_ transfer: HelperTransfer, _ error: URLError?) {
        guard let error else { return finish(transfer) }
        if error.isPassing, !mayBeDone(transfer, error) {
            stop(transfer)
            retry(transfer, after: error)
        } else {
            fail(transfer, error)
        }
    }

    /// Whether the server has all of a request that must not be carried out twice (RFC 9110 §9.2.2), and
    /// only its answer is missing. Of less than the whole body a server makes nothing.
    private func mayBeDone(_ transfer: HelperTransfer, _ error: URLError) -> Bool {
        guard error.code == .timedOut || error.code == .networkConnectionLost,
            let inner = transfer.inner, mustNotBeRepeated(transfer)
        else { return false }
        return inner.countOfBytesSent >= inner.countOfBytesExpectedToSend
    }

    /// Whether its request may be sent whole only once. A continued upload asks first how much has arrived.
    func mustNotBeRepeated(_ transfer: HelperTransfer) -> Bool {
        guard let method = transfer.inner?.currentRequest?.httpMethod else { return false }
        return !LostRequest.isIdempotent(method)
            && journal[transfer.id.session, transfer.id.number]?.upload == nil
    }

    private static var lostAnswer: URLError {
        URLError(
            .networkConnectionLost,
            underlyingText:
                "the process that carried it ended before the answer came; the request may have been "
                + "carried out, and is not sent again")
    }

    /// Takes an attempt off its session. What it has brought stays.
    func stop(_ transfer: HelperTransfer) {
        guard let inner = transfer.inner else { return }
        carried[ObjectIdentifier(inner)] = nil
        inner.cancel()
        transfer.inner = nil
        transfer.questions = [:]
    }

    func retry(_ transfer: HelperTransfer, after error: URLError) {
        let id = transfer.id
        let delay = transfer.nextDelay()
        discardUnusable(transfer)
        transfer.reset()
        transfer.retryAt = Self.now + delay
        _ = try? journal.note(.pause, of: id.number, in: id.session) { $0.mayBeSent = nil }
        log.note("task \(id.number) of \(id.session) waits: \(error.errorCode)")
    }

    /// Removes what has arrived, unless a later attempt can go on with it.
    private func discardUnusable(_ transfer: HelperTransfer) {
        guard let file = transfer.file else { return }
        file.mark()
        let noted = journal[transfer.id.session, transfer.id.number]?.part.flatMap {
            try? ResumeData(blob: $0)
        }
        if noted?.fileName != file.name { file.remove() }
    }

    /// Leaves a task in the journal for another helper.
    func park(_ transfer: HelperTransfer) {
        guard transfer.inner != nil else { return }
        let id = transfer.id
        guard journal[id.session, id.number]?.mayBeSent != true else {
            return fail(transfer, Self.lostAnswer)
        }
        discardUnusable(transfer)
        stop(transfer)
        _ = try? journal.note(.pause, of: id.number, in: id.session)
    }
}

extension DownloadResumption {
    /// A task's own request, with what it needs to go on: unlike `request` it goes the whole way again,
    /// redirects and credentials included.
    func continuing(_ whole: URLRequest) -> URLRequest {
        var request = whole
        for name in ["Range", "If-Range", "Accept-Encoding"] {
            request.headers[name] = self.request.headers[name]
        }
        return request
    }
}
