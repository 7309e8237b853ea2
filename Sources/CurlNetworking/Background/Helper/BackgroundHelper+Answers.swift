import FoundationEssentials
import Glibc

// What an attempt brings: the answer's head, and its body on the way to a file.

extension BackgroundHelper {
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
            case .unavailable(let error):
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

    func dropPart(of transfer: HelperTransfer) {
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
    func resumeData(of transfer: HelperTransfer) -> ResumeData? {
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
}
