import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

// Reports completed tasks to the delegate: a download by its file, an upload by its response.

extension BackgroundClient {
    /// Reports how a task ended.
    func end(
        _ entry: BackgroundTaskEntry, _ state: BackgroundTaskRecord.State,
        _ history: BackgroundHistory
    ) {
        noteMovement()
        entry.task.status.withLock { status in
            status.metrics.transactions = history.transactions.compactMap(\.metrics)
            status.metrics.followedRedirects = history.redirectCount
        }
        entry.hasEnded = true
        entry.isKept = true
        let task = entry.task
        switch state {
        case .finished(let answer, let file):
            guard let response = answer.response, file.map(PrivateFolder.isPlain) ?? true else {
                return fail(entry, URLError(.cannotParseResponse))
            }
            let path = file.map { paths.results + "/" + $0 }
            if task is URLSessionDownloadTask {
                finishDownload(entry, response, path)
            } else {
                finishUpload(entry, response, path)
            }
        case .failed(let code, let text, let resumeData):
            if let resumeData, task is URLSessionUploadTask {
                // So that this data alone can resume the upload, as in the process that created it.
                UploadBodies.remember(resumeData, request: task.firstRequest, source: task.source)
            }
            let error = URLError(
                URLError.Code(number: code), failingURL: task.currentRequest?.url,
                underlyingText: text)
            fail(entry, error.with(resumeData: resumeData, of: task))
        case .queued, .running, .delivered:
            entry.hasEnded = false
        }
    }

    private func finishDownload(
        _ entry: BackgroundTaskEntry, _ response: HTTPURLResponse, _ path: String?
    ) {
        let reportedTasks = ReportedTasks(paths)
        let (identifier, number, key) = (identifier, entry.task.taskIdentifier, entry.key)
        var facts = stat()
        guard let path, lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            if reportedTasks.contains(number, of: identifier, key: key) {
                // The delegate was called and has moved the file, but the program ended before it could
                // acknowledge that.
                return entry.task.post(.completed(TaskResult())) { status in
                    status.response = response
                    status.counts.received = max(0, response.expectedContentLength)
                    status.counts.expectedToReceive = response.expectedContentLength
                }
            }
            return fail(
                entry,
                URLError(
                    .fileDoesNotExist, failingURL: response.url,
                    underlyingText: "the file was removed by another program"))
        }
        // The helper removes the file when the program has acknowledged the task. If the program ends before
        // that, the task is reported again, with the file still there.
        let file = TemporaryFile(path: path) {
            reportedTasks.add(number, of: identifier, key: key)
        }
        file.keep()
        entry.task.post(.completed(TaskResult(file: file))) { status in
            status.response = response
            status.counts.received = Int64(facts.st_size)
            status.counts.expectedToReceive = response.expectedContentLength
        }
    }

    /// Reports the response to an upload: head, body, completion.
    private func finishUpload(
        _ entry: BackgroundTaskEntry, _ response: HTTPURLResponse, _ path: String?
    ) {
        let task = entry.task
        entry.body = path.flatMap(BackgroundBody.init)
        if path != nil, entry.body == nil {
            return fail(
                entry,
                URLError(
                    .fileDoesNotExist, failingURL: response.url,
                    underlyingText: "the body of the response was removed by another program"))
        }
        reportWholeBody(of: entry, response)
        task.status.withLock { status in
            status.response = response
            status.counts.expectedToReceive = response.expectedContentLength
        }
        guard task.asksAboutResponse else { return pump(entry) }
        task.post(
            .response(
                response,
                Reply { [weak self] disposition in
                    if disposition == .cancel {
                        task.cancel()
                    } else {
                        self?.submit { client in
                            guard let entry = client.entries[task.taskIdentifier] else { return }
                            client.pump(entry)
                        }
                    }
                }))
    }

    /// Reports that all of an upload was sent, before it completes: a helper that completed the task before
    /// this program was connected had no program to report that to. Only what the server has accepted is
    /// known to be complete.
    private func reportWholeBody(of entry: BackgroundTaskEntry, _ response: HTTPURLResponse) {
        guard (200...299).contains(response.statusCode) else { return }
        let counts = entry.task.status.withLock { $0.counts }
        guard counts.expectedToSend > counts.sent else { return }
        noteSent(entry, counts.expectedToSend, counts.expectedToSend)
    }

    /// Called when the delegate has caught up.
    func flowOpened(for task: URLSessionTask) {
        guard let entry = entries[task.taskIdentifier] else { return }
        pump(entry)
    }

    private func pump(_ entry: BackgroundTaskEntry) {
        let task = entry.task
        while let body = entry.body {
            let piece = body.next()
            if piece.isEmpty {
                entry.body = nil
                break
            }
            task.status.withLock { $0.counts.received += Int64(piece.count) }
            if task.post(piece) == .full { return }
        }
        task.post(.completed(TaskResult()))
    }
}
