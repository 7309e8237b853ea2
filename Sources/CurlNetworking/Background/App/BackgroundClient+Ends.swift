import FoundationEssentials
import Glibc
import Synchronization

// How tasks ended, as the delegate is told of it: a download by its file, an upload by its answer.

extension BackgroundClient {
    /// How a task ended.
    func end(
        _ errand: Errand, _ state: BackgroundTaskRecord.State, _ history: BackgroundHistory
    ) {
        noteMovement()
        errand.task.status.withLock { status in
            status.transactions = history.transactions.compactMap(\.metrics)
            status.followedRedirects = history.redirectCount
        }
        errand.hasEnded = true
        errand.isKept = true
        let task = errand.task
        switch state {
        case .finished(let answer, let file):
            guard let response = answer.response, file.map(PrivateFolder.isPlain) ?? true else {
                return fail(errand, URLError(.cannotParseResponse))
            }
            let path = file.map { places.results + "/" + $0 }
            if task is URLSessionDownloadTask {
                finishDownload(errand, response, path)
            } else {
                finishUpload(errand, response, path)
            }
        case .failed(let code, let text, let resumeData):
            if let resumeData, task is URLSessionUploadTask {
                // To go on with the data alone, as one may in the process that has made it.
                UploadBodies.remember(resumeData, request: task.firstRequest, source: task.source)
            }
            let error = URLError(
                URLError.Code(rawValue: code), failingURL: task.currentRequest?.url,
                underlyingText: text)
            fail(errand, error.with(resumeData: resumeData, of: task))
        case .queued, .running, .delivered:
            errand.hasEnded = false
        }
    }

    private func finishDownload(_ errand: Errand, _ response: HTTPURLResponse, _ path: String?) {
        let announcements = BackgroundAnnouncements(places)
        let (identifier, number, key) = (identifier, errand.task.taskIdentifier, errand.key)
        var facts = stat()
        guard let path, lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            if announcements.contains(number, of: identifier, key: key) {
                // The program was told of it, has taken it, and ended before it could say so.
                return errand.task.post(.completed(TaskResult())) { status in
                    status.response = response
                    status.receivedByteCount = max(0, response.expectedContentLength)
                    status.expectedToReceive = response.expectedContentLength
                }
            }
            return fail(
                errand,
                URLError(
                    .fileDoesNotExist, failingURL: response.url,
                    underlyingText: "the file was removed by somebody else"))
        }
        // The helper removes it when it hears that all is told. A program that ends before that is told
        // again, and finds the file still there.
        let file = TemporaryFile(path: path) {
            announcements.add(number, of: identifier, key: key)
        }
        file.keep()
        errand.task.post(.completed(TaskResult(file: file))) { status in
            status.response = response
            status.receivedByteCount = Int64(facts.st_size)
            status.expectedToReceive = response.expectedContentLength
        }
    }

    /// Tells the answer to an upload as that to any: head, body, end.
    private func finishUpload(_ errand: Errand, _ response: HTTPURLResponse, _ path: String?) {
        let task = errand.task
        errand.body = path.flatMap(BackgroundBody.init)
        if path != nil, errand.body == nil {
            return fail(
                errand,
                URLError(
                    .fileDoesNotExist, failingURL: response.url,
                    underlyingText: "the body of the answer was removed by somebody else"))
        }
        task.status.withLock { status in
            status.response = response
            status.expectedToReceive = response.expectedContentLength
        }
        guard task.asksAboutResponse else { return pump(errand) }
        task.post(
            .response(
                response,
                Reply { [weak self] disposition in
                    if disposition == .cancel {
                        task.cancel()
                    } else {
                        self?.submit { client in
                            guard let errand = client.errands[task.taskIdentifier] else { return }
                            client.pump(errand)
                        }
                    }
                }))
    }

    /// The delegate has caught up.
    func flowOpened(for task: URLSessionTask) {
        guard let errand = errands[task.taskIdentifier] else { return }
        pump(errand)
    }

    private func pump(_ errand: Errand) {
        let task = errand.task
        while let body = errand.body {
            let piece = body.next()
            if piece.isEmpty {
                errand.body = nil
                break
            }
            task.status.withLock { $0.receivedByteCount += Int64(piece.count) }
            if task.post(piece) { return }
        }
        task.post(.completed(TaskResult()))
    }
}
