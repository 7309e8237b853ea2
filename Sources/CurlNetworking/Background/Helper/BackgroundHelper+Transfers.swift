import Dispatch
import FoundationEssentials
import Glibc

// The life of a transfer in the helper: taken up, tried, tried again, and brought to an end that is on
// the disk before anybody is told.

extension BackgroundHelper {
    /// Whether it keeps the helper here. One that is suspended and nobody's waits in the journal.
    func isAtWork(_ transfer: HelperTransfer) -> Bool {
        if transfer.isFinishing { return true }
        guard transfer.inner != nil || transfer.retryAt != nil else { return false }
        return journal[transfer.id.session, transfer.id.number]?.isSuspended == false
    }

    /// Begins to carry a task of the journal.
    func take(up record: BackgroundTaskRecord) {
        let transfer = HelperTransfer(.init(session: record.session, number: record.number))
        transfers[transfer.id] = transfer
        guard !record.isSuspended else { return }
        setDeadline(of: transfer, record)
        begin(transfer)
    }

    private func setDeadline(of transfer: HelperTransfer, _ record: BackgroundTaskRecord) {
        let limit = record.settings.resourceTimeout
        guard limit > 0 else { return }
        let left = Double(record.created) + limit - Date.now.timeIntervalSince1970
        transfer.deadline = Self.now + UInt64(max(0, min(left, 1e9)) * 1e9)
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The timer has fired: what is due?
    func wakeTransfers() {
        let now = Self.now
        for transfer in Array(transfers.values) {
            if let deadline = transfer.deadline, deadline <= now, !transfer.isFinishing {
                let data = try? resumeData(of: transfer)?.blob
                stop(transfer)
                fail(
                    transfer,
                    URLError(.timedOut, underlyingText: "timeoutIntervalForResource has run out"),
                    resumeData: data)
            } else if let retryAt = transfer.retryAt, retryAt <= now {
                begin(transfer)
            }
        }
    }

    // MARK: - An attempt

    func begin(_ transfer: HelperTransfer) {
        transfer.reset()
        let id = transfer.id
        guard let record = journal[id.session, id.number], let request = record.request.request,
            !record.isSuspended
        else { return }
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

    func redirected(_ transfer: HelperTransfer, to request: URLRequest) {
        guard let request = BackgroundTaskRecord.Request(request) else { return }
        tell(transfer.id.session, .redirected(transfer.id.number, request))
    }

    func sent(_ transfer: HelperTransfer, _ total: Int64, expected: Int64) {
        let id = transfer.id
        transfer.movedByteCount = total
        _ = try? journal.note(
            .progress(moved: total, expected: max(-1, expected)), of: id.number, in: id.session)
        tellProgress(of: transfer, .sent(id.number, total: total, expected: expected))
    }

    func answered(_ transfer: HelperTransfer, _ response: HTTPURLResponse) {
        do throws(URLError) {
            try take(response, transfer)
        } catch {
            stop(transfer)
            fail(transfer, error)
        }
    }

    private func take(_ response: HTTPURLResponse, _ transfer: HelperTransfer) throws(URLError) {
        let id = transfer.id
        guard let record = journal[id.session, id.number] else { return }
        transfer.expected = response.expectedContentLength
        if let resumption = transfer.resumption, let file = transfer.file {
            let head = ResponseHead(status: response.statusCode, headers: response.headers)
            switch resumption.decide(on: head) {
            case .proceed(let offset, let total):
                try file.cut(to: offset)
                transfer.expected = total ?? -1
                if case .download(.some) = record.kind, record.attempts == 1 {
                    tell(id.session, .resumed(id.number, offset: offset, expected: total ?? -1))
                }
            case .startOver:
                // Another version: what was noted of the one before is not true of this file any more.
                keep(id.number, in: id.session) { $0.part = nil }
                try file.cut(to: 0)
            case .deliver:
                dropPart(of: transfer)
            case .askForWhole:
                transfer.asksForWhole = true
            case .fail(let error):
                // The server is overtaxed. What is there stays good for the next attempt, unless that
                // has been so for long.
                guard transfer.failedAttempts < 6 else {
                    transfer.asksForWhole = true
                    break
                }
                stop(transfer)
                return tryAgain(transfer, after: error)
            }
            if transfer.asksForWhole {
                stop(transfer)
                dropPart(of: transfer)
                return begin(transfer)
            }
        }
        transfer.answer = response
        if case .download = record.kind {
            if transfer.file == nil { transfer.file = try parts.makeFile() }
        } else {
            transfer.file = try results.makeFile()
        }
        if let answer = BackgroundTaskRecord.Answer(response) {
            tell(id.session, .answered(id.number, answer))
        }
    }

    private func dropPart(of transfer: HelperTransfer) {
        transfer.file?.remove()
        transfer.file = nil
        transfer.resumption = nil
        keep(transfer.id.number, in: transfer.id.session) { $0.part = nil }
    }

    func received(_ transfer: HelperTransfer, _ data: Data) {
        guard let file = transfer.file else { return }
        let id = transfer.id
        do throws(URLError) {
            try file.append(data)
        } catch {
            stop(transfer)
            return fail(transfer, error)
        }
        let isFirst = transfer.movedByteCount == 0
        transfer.movedByteCount += Int64(data.count)
        guard case .download? = journal[id.session, id.number]?.kind else { return }
        if isFirst { notePart(of: transfer) }
        _ = try? journal.note(
            .progress(moved: file.byteCount, expected: transfer.expected), of: id.number,
            in: id.session)
        tellProgress(
            of: transfer,
            .received(id.number, total: file.byteCount, expected: transfer.expected))
    }

    /// Notes what is needed to go on if this process should end now. A small body is not worth it.
    private func notePart(of transfer: HelperTransfer) {
        guard transfer.expected < 0 || transfer.expected > 256 << 10,
            let blob = try? resumeData(of: transfer)?.blob
        else { return }
        keep(transfer.id.number, in: transfer.id.session) { record in
            record.part = blob
            record.partBoot = SystemBoot.current
        }
    }

    /// What has arrived of a download, in this attempt or those before.
    private func resumeData(of transfer: HelperTransfer) -> ResumeData? {
        guard let record = journal[transfer.id.session, transfer.id.number],
            case .download = record.kind
        else { return nil }
        guard let file = transfer.file, let answer = transfer.answer,
            let request = transfer.inner?.currentRequest
        else { return noted(record) }
        return DownloadResumption.data(
            request: request, originalURL: URL(string: record.request.url),
            head: ResponseHead(status: answer.statusCode, headers: answer.headers),
            byteCount: file.byteCount, fileName: file.name)
    }

    private func noted(_ record: BackgroundTaskRecord) -> ResumeData? {
        guard let blob = record.part, var data = try? ResumeData(blob: blob) else { return nil }
        guard record.isPartOfThisBoot else { return data }
        var facts = stat()
        guard stat(parts.folder.path(of: data.fileName), &facts) == 0 else { return nil }
        data.byteCount = min(Int64(facts.st_size), data.totalByteCount ?? Int64(facts.st_size))
        return data
    }

    // MARK: - The end of an attempt

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

    private func tryAgain(_ transfer: HelperTransfer, after error: URLError) {
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

    private func finish(_ transfer: HelperTransfer) {
        guard let response = transfer.answer,
            let answer = BackgroundTaskRecord.Answer(response)
        else { return fail(transfer, URLError(.badServerResponse)) }
        stop(transfer)
        transfer.isFinishing = true
        guard let file = transfer.file else { return end(transfer, .finish(answer, file: nil)) }
        transfer.file = nil
        let name = file.name
        let id = transfer.id
        file.finish(into: results.folder) { error in
            self.submit { helper in
                guard let transfer = helper.transfers[id] else {
                    try? helper.results.folder.remove(name)  // cancelled meanwhile
                    return
                }
                if let error {
                    helper.fail(transfer, error)
                } else {
                    helper.end(transfer, .finish(answer, file: name))
                }
            }
        }
    }

    func fail(_ transfer: HelperTransfer, _ error: URLError, resumeData: Data? = nil) {
        if resumeData == nil { transfer.file?.remove() }
        end(transfer, .fail(error, resumeData: resumeData))
    }

    /// Brings the end of a task to the disk, then tells it. On a full disk it is only told; if nobody
    /// hears it, the task is tried again some day.
    private func end(_ transfer: HelperTransfer, _ event: BackgroundTaskRecord.Event) {
        let id = transfer.id
        transfers[id] = nil
        guard var record = journal[id.session, id.number] else { return }
        do {
            _ = try journal.note(event, of: id.number, in: id.session) { record in
                record.history = transfer.history
            }
        } catch {
            log.note("cannot note the end of task \(id.number): \(error)")
        }
        guard record.take(event) else { return }
        log.note("task \(id.number) of \(id.session) is over: \(record.state.summary)")
        if let untold = transfer.untold { tell(id.session, untold) }
        tell(id.session, .ended(id.number, record.state, transfer.history))
        dismissWorkers(of: id.session)
    }

    // MARK: - What programs want

    func hold(_ id: HelperTransfer.ID, _ isSuspended: Bool) {
        let time = Int64(Date.now.timeIntervalSince1970)
        keep(id.number, in: id.session) { record in
            if isSuspended { record.suspend(at: time) } else { record.resume(at: time) }
        }
        guard let transfer = transfers[id], let record = journal[id.session, id.number] else {
            return
        }
        transfer.deadline = nil
        if !isSuspended { setDeadline(of: transfer, record) }
        if let inner = transfer.inner {
            guard (inner.state == .suspended) != isSuspended else { return }
            if isSuspended { inner.suspend() } else { inner.resume() }
        } else if isSuspended {
            transfer.retryAt = nil
        } else if !transfer.isFinishing {
            begin(transfer)
        }
    }

    func cancel(_ id: HelperTransfer.ID) {
        if let transfer = transfers.removeValue(forKey: id) {
            stop(transfer)
            transfer.file?.remove()
        }
        if let blob = journal[id.session, id.number]?.part,
            let data = try? ResumeData(blob: blob)
        {
            try? parts.folder.remove(data.fileName)
        }
        forget(id)
    }

    /// Ends a download so that another can go on with what has arrived.
    func takeResumeData(_ id: HelperTransfer.ID) -> Data? {
        defer { forget(id) }
        guard let transfer = transfers.removeValue(forKey: id), !transfer.isFinishing else {
            return nil  // it is over
        }
        let data = try? resumeData(of: transfer)?.blob
        stop(transfer)
        if data == nil { transfer.file?.remove() }
        return data
    }

    /// Nothing is left of a task that was delivered or cancelled, its result included.
    func forget(_ id: HelperTransfer.ID) {
        guard let record = journal[id.session, id.number] else { return }
        do {
            try journal.remove(id.number, in: id.session)
            if case .finished(_, let file?) = record.state { try results.folder.remove(file) }
        } catch {
            log.note("cannot remove task \(id.number): \(error)")
        }
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

extension BackgroundTaskRecord {
    /// Whether the kernel that runs now has taken all that was written of the part, noted or not.
    fileprivate var isPartOfThisBoot: Bool {
        guard let boot = SystemBoot.current else { return false }
        return partBoot == boot
    }
}

extension BackgroundTaskRecord.State {
    /// For the log.
    var summary: String {
        switch self {
        case .queued: "queued"
        case .running: "running"
        case .finished(let answer, _): "answered with \(answer.status)"
        case .failed(let code, let text, _): "failed with \(code), \(text ?? "no reason given")"
        case .delivered: "delivered"
        }
    }
}

/// Which start of the machine this is.
enum SystemBoot {
    static let current: String? = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { WholeFile.read(descriptor, into: $0) }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }()
}
