import FoundationEssentials
import CurlNetworkingPlatform

// Handles what an attempt receives: the response, and its body, which goes to a file.

extension BackgroundHelper {
    func redirected(_ transfer: HelperTransfer, to request: URLRequest) {
        guard let request = BackgroundTaskRecord.Request(request) else { return }
        notify(transfer.id.session, .redirected(transfer.id.number, request))
    }

    func answered(_ transfer: HelperTransfer, _ response: HTTPURLResponse) {
        do throws(URLError) {
            try take(response, transfer)
        } catch {
            fail(transfer, error)
        }
    }

    private func take(_ response: HTTPURLResponse, _ transfer: HelperTransfer) throws(URLError) {
        let id = transfer.id
        guard let record = journal[id.session, id.number] else { return }
        transfer.attempt.expected = response.expectedContentLength
        if let resumption = transfer.attempt.resumption, let file = transfer.attempt.file {
            let head = ResponseHead(status: response.statusCode, headers: response.headers)
            switch resumption.decide(on: head) {
            case .proceed(let offset, let total):
                try file.cut(to: offset)
                file.keepMarks()
                transfer.attempt.expected = total ?? -1
                if case .download(.some) = record.kind, record.attempts == 1 {
                    notify(id.session, .resumed(id.number, offset: offset, expected: total ?? -1))
                }
            case .startOver:
                // Another version: what was recorded of the previous one does not apply to this file.
                keep(id.number, in: id.session) { record in
                    record.part.resumeData = nil
                    record.part.firstAnswer = nil
                }
                try file.cut(to: 0)
                transfer.attempt.resumption = nil
            case .deliver:
                dropPart(of: transfer)
            case .askForWhole:
                transfer.attempt.asksForWhole = true
            case .unavailable(let error):
                // The server is overloaded. The partial file is kept for the next attempt, unless several
                // attempts have failed.
                guard transfer.failedAttempts < 6 else {
                    transfer.attempt.asksForWhole = true
                    break
                }
                stop(transfer)
                return retry(transfer, after: error)
            }
            if transfer.attempt.asksForWhole {
                stop(transfer)
                dropPart(of: transfer)
                return startAttempt(transfer)
            }
        }
        transfer.attempt.answer = response
        if case .download = record.kind {
            if transfer.attempt.file == nil {
                transfer.attempt.file = try parts.makeFile(
                    record.part.newFile ?? PartialFiles.makeName())
            }
        } else {
            transfer.attempt.file = try results.makeFile()
        }
        guard let answer = BackgroundTaskRecord.Answer(response) else { return }
        transfer.attempt.shownAnswer = transfer.attempt.isPart ? answer.asWhole(record) : answer
        notify(id.session, .answered(id.number, transfer.attempt.shownAnswer ?? answer))
    }

    func dropPart(of transfer: HelperTransfer) {
        transfer.attempt.file?.remove()
        transfer.attempt.file = nil
        transfer.attempt.resumption = nil
        keep(transfer.id.number, in: transfer.id.session) { record in
            record.part.resumeData = nil
            record.part.firstAnswer = nil
        }
    }

    func received(_ transfer: HelperTransfer, _ data: Data) {
        guard let file = transfer.attempt.file else { return }
        let id = transfer.id
        do throws(URLError) {
            try file.append(data)
        } catch {
            return fail(transfer, error)
        }
        let isFirst = transfer.attempt.movedByteCount == 0
        transfer.attempt.movedByteCount += Int64(data.count)
        guard case .download? = journal[id.session, id.number]?.kind else { return }
        if isFirst { notePart(of: transfer) }
        _ = try? journal.note(
            .progress(moved: file.byteCount, expected: transfer.attempt.expected), of: id.number,
            in: id.session)
        notifyProgress(
            of: transfer,
            .received(id.number, total: file.byteCount, expected: transfer.attempt.expected))
    }

    /// Records resume data in case this process ends. Small bodies are not worth it.
    private func notePart(of transfer: HelperTransfer) {
        guard transfer.attempt.expected < 0 || transfer.attempt.expected > 256 << 10,
            let blob = try? resumeData(of: transfer)?.blob
        else { return }
        keep(transfer.id.number, in: transfer.id.session) { record in
            record.part.resumeData = blob
            record.part.boot = SystemBoot.current
            record.part.firstAnswer = transfer.attempt.shownAnswer.flatMap { $0.isLarge ? nil : $0 }
        }
        transfer.attempt.file?.keepMarks()
    }

    /// Resume data for what has arrived of a download, in this attempt or earlier ones.
    func resumeData(of transfer: HelperTransfer) -> ResumeData? {
        guard let record = journal[transfer.id.session, transfer.id.number],
            case .download = record.kind
        else { return nil }
        guard let file = transfer.attempt.file, transfer.attempt.check == nil else {
            return noted(record)
        }
        if !transfer.attempt.isPart, let answer = transfer.attempt.answer,
            let request = transfer.attempt.inner?.currentRequest
        {
            // A 206 to the program's own `Range` does not begin at the first byte, but the file does.
            guard answer.statusCode != 206 else { return nil }
            return DownloadResumption.data(
                request: request, originalURL: URL(string: record.request.url),
                head: ResponseHead(status: answer.statusCode, headers: answer.headers),
                byteCount: file.byteCount, checksum: file.checksum.value, fileName: file.name)
        }
        guard var data = transfer.attempt.resumption?.data else { return noted(record) }
        data.byteCount = file.byteCount
        data.checksum = file.checksum.value
        data.totalByteCount = transfer.attempt.total ?? data.totalByteCount
        return data.byteCount <= data.totalByteCount ?? .max ? data : nil
    }

    private func noted(_ record: BackgroundTaskRecord) -> ResumeData? {
        guard let blob = record.part.resumeData, var data = try? ResumeData(blob: blob) else {
            return nil
        }
        let path = parts.folder.path(of: data.fileName)
        var facts = stat()
        guard data.checksum == nil else {
            let mark = PartialFileMarks.read(ofPartAt: path).last
            guard stat(path, &facts) == 0 else { return nil }
            if let mark, mark.byteCount > data.byteCount, mark.byteCount <= Int64(facts.st_size),
                mark.byteCount <= data.totalByteCount ?? .max
            {
                data.byteCount = mark.byteCount
                data.checksum = mark.checksum
            }
            return data
        }
        // Of a helper of an earlier version.
        guard record.isPartOfThisBoot else { return data }
        guard stat(path, &facts) == 0 else { return nil }
        data.byteCount = min(Int64(facts.st_size), data.totalByteCount ?? Int64(facts.st_size))
        return data
    }
}
