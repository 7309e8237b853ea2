import FoundationEssentials

// An attempt to load what a task wants: one after another, until it has an end.

extension BackgroundHelper {
    func begin(_ transfer: HelperTransfer) {
        transfer.reset()
        let id = transfer.id
        guard let record = journal[id.session, id.number], let request = record.request.request,
            !record.isSuspended
        else { return }
        guard !transfer.isTooLate(at: Self.now) else { return expire(transfer) }
        guard record.interruptions < BackgroundTaskRecord.mostInterruptions else {
            return fail(
                transfer,
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: "the process that carried it ended all of a sudden too often"))
        }
        do {
            _ = try journal.note(.start, of: id.number, in: id.session)
        } catch {
            return fail(transfer, error as? URLError ?? URLError(.unknown))
        }
        let worker = worker(for: record)
        let inner: URLSessionTask
        switch record.kind {
        case .upload(let file):
            inner = worker.uploadTask(
                with: request, fromFile: URL(filePath: file, directoryHint: .notDirectory))
        case .download:
            do throws(URLError) {
                try prepareResumption(of: transfer, record)
            } catch {
                return fail(transfer, error)
            }
            inner = worker.dataTask(with: transfer.resumption?.goOn(request) ?? request)
        }
        inner.priority = record.priority
        transfer.inner = inner
        carried[ObjectIdentifier(inner)] = transfer
        inner.resume()
    }

    /// Finds what has arrived of a download in earlier attempts. Without it the download starts anew,
    /// unless going on is what its program has asked for.
    private func prepareResumption(
        of transfer: HelperTransfer, _ record: BackgroundTaskRecord
    ) throws(URLError) {
        guard let blob = record.part, var data = try? ResumeData(blob: blob) else { return }
        guard let file = try? parts.openFile(data.fileName) else {
            guard case .download(.some) = record.kind, record.attempts == 0 else { return }
            throw URLError(
                .cannotOpenFile,
                underlyingText: "the part is gone, or another task goes on with it")
        }
        if record.isPartOfThisBoot {
            // The kernel has all that was written, noted or not.
            data.byteCount = file.byteCount
        }
        // If all is there, the last byte is asked for once more: there has to be an answer.
        if let total = data.totalByteCount { data.byteCount = min(data.byteCount, total - 1) }
        guard data.byteCount > 0,
            let resumption = try? DownloadResumption(data, fileByteCount: file.byteCount)
        else { return file.remove() }
        transfer.resumption = resumption
        transfer.file = file
    }

    // MARK: - Its end

    func attemptEnded(_ transfer: HelperTransfer, _ error: URLError?) {
        guard let error else { return finish(transfer) }
        if error.isPassing {
            stop(transfer)
            tryAgain(transfer, after: error)
        } else {
            let data = try? resumeData(of: transfer)?.blob
            stop(transfer)
            fail(transfer, error, resumeData: data)
        }
    }

    /// Takes an attempt off its session. What it has brought stays.
    func stop(_ transfer: HelperTransfer) {
        guard let inner = transfer.inner else { return }
        carried[ObjectIdentifier(inner)] = nil
        inner.cancel()
        transfer.inner = nil
        transfer.questions = [:]
    }

    func tryAgain(_ transfer: HelperTransfer, after error: URLError) {
        let id = transfer.id
        let delay = transfer.nextDelay()
        removeUseless(transfer)
        transfer.reset()
        transfer.retryAt = Self.now + delay
        _ = try? journal.note(.pause, of: id.number, in: id.session)
        log.note("task \(id.number) of \(id.session) waits: \(error.errorCode)")
    }

    /// What has arrived, unless a later attempt can go on with it.
    private func removeUseless(_ transfer: HelperTransfer) {
        guard let file = transfer.file else { return }
        let noted = journal[transfer.id.session, transfer.id.number]?.part.flatMap {
            try? ResumeData(blob: $0)
        }
        if noted?.fileName != file.name { file.remove() }
    }

    /// Leaves a task in the journal for another helper.
    func park(_ transfer: HelperTransfer) {
        guard transfer.inner != nil else { return }
        removeUseless(transfer)
        stop(transfer)
        _ = try? journal.note(.pause, of: transfer.id.number, in: transfer.id.session)
    }
}

extension DownloadResumption {
    /// A task's own request, with what it needs to go on: unlike `request` it goes the whole way again,
    /// redirects and credentials included.
    func goOn(_ whole: URLRequest) -> URLRequest {
        var request = whole
        for name in ["Range", "If-Range", "Accept-Encoding"] {
            request.headers[name] = self.request.headers[name]
        }
        return request
    }
}
