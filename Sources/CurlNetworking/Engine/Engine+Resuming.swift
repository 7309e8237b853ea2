import FoundationEssentials
import Synchronization

// Downloads that continue an earlier task. `DownloadResumption` decides what a response means for the partial
// file.

extension Engine {
    /// Opens the partial file of a download, then begins the first attempt.
    func openPartialFile(of transfer: Transfer, _ data: ResumeData) {
        let task = transfer.task
        let opening = PartialFileOpening()
        transfer.enter(.openingPartialFile(opening))
        let take = callback(for: transfer) {
            (engine, transfer, opened: Result<DownloadFile, URLError>) in
            engine.partialFileOpened(opened, transfer)
        }
        // All of it is read, and can be many gigabytes.
        FileQueue.runLongRead {
            let opened = Result { () throws(URLError) in
                try DownloadFile(goingOnWith: data, for: task, opening)
            }
            take(opened)
        }
    }

    private func partialFileOpened(
        _ opened: Result<DownloadFile, URLError>, _ transfer: Transfer
    ) {
        let task = transfer.task
        guard case .openingPartialFile(let opening) = transfer.state,
            let start = (task as? URLSessionDownloadTask)?.resumption, let data = start.data
        else {
            if case .success(let file) = opened { file.discard() }
            return
        }
        if opening.isCancelled {
            transfer.answer.file = try? opened.get()
            return stopOpened(transfer)
        }
        switch opened {
        case .success(let file):
            let download = DownloadResumption(data, at: file.byteCount)
            transfer.answer.file = file
            transfer.download = download
            transfer.makeAttempt(continuing: start.complete(download.request))
            let request = transfer.request
            task.status.withLock { $0.currentRequest = request }
            beginAttempt(transfer)
        case .failure(let error):
            fail(transfer, with: error)
        }
    }

    enum Continuation {
        /// The response is to be delivered.
        case delivered
        /// The whole file is requested instead.
        case wholeRequested
    }

    /// Prepares the partial file for the body of the response.
    func continueDownload(
        of transfer: Transfer, _ decision: DownloadResumption.Decision
    ) -> Continuation {
        guard var download = transfer.download, let response = transfer.attempt.response else {
            return .delivered
        }
        let task = transfer.task
        switch decision {
        case .proceed(let offset, let total):
            var data = download.data
            data.totalByteCount = total
            transfer.answer.file?.begin(at: offset, total: total, .resumes(data))
            task.post(.resumed(at: offset, expected: total ?? -1)) {
                $0.counts.resumedOffset = offset
            }
        case .startOver:
            transfer.answer.file?.begin(
                at: 0, total: nil,
                .make(
                    for: transfer.request, originalURL: download.data.originalURL,
                    ResponseHead(response)))
            transfer.download = nil
        case .askForWhole:
            download.startOver()
            transfer.download = download
            transfer.attempt.nextRequest =
                (task as? URLSessionDownloadTask)?.resumption.map {
                    transfer.withoutStrayCredentials($0.complete(download.request))
                }
            return .wholeRequested
        case .deliver, .unavailable:
            transfer.answer.file?.discard()  // keeps the file that the resume data names
            transfer.answer.file = nil
            transfer.download = nil
        }
        return .delivered
    }

    /// Creates the file for the body of the response.
    func makeFile(for transfer: Transfer) {
        guard transfer.answer.file == nil else { return }
        // A stored response has no head from the server, and needs no resuming.
        transfer.answer.file = DownloadFile(
            for: transfer.task,
            recipe: transfer.attempt.head.head.flatMap { head in
                .make(for: transfer.request, originalURL: transfer.task.originalRequest?.url, head)
            })
    }

    /// Reports a failure, with resume data if there is any.
    func reportFailure(of transfer: Transfer, _ error: URLError) {
        let task = transfer.task
        guard let file = transfer.answer.file else {
            let blob = uploadResumeData(of: transfer)
            return task.post(
                .completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
        file.stop { blob in
            task.post(.completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
    }

    /// Ends a cancelled transfer, with resume data if it was requested. Its completion follows once the partial
    /// file is closed: the next task may open it at once.
    func stop(_ transfer: Transfer) {
        if case .openingPartialFile(let opening) = transfer.state {
            return opening.cancel()  // `partialFileOpened` ends it
        }
        let task = transfer.task
        closeTransfer(transfer)
        if task.wantsResumeData {
            if let file = transfer.answer.file {
                return file.stop { task.finishCancelling(resumeData: $0) }
            }
            return task.finishCancelling(
                resumeData: uploadResumeData(of: transfer) ?? task.givenResumeData)
        }
        guard let file = transfer.answer.file else { return task.finishCancelling() }
        file.discard { task.finishCancelling() }
    }

    /// Ends a transfer that was cancelled before its partial file was verified: the given resume data stays
    /// valid.
    private func stopOpened(_ transfer: Transfer) {
        let task = transfer.task
        closeTransfer(transfer)
        let finish: @Sendable () -> Void = {
            task.finishCancelling(resumeData: task.wantsResumeData ? task.givenResumeData : nil)
        }
        guard let file = transfer.answer.file else { return finish() }
        file.discard(completion: finish)
    }
}

extension Transfer {
    /// Creates the first attempt at the place that an earlier task was led to. The task's credentials are for
    /// the origin of its own request.
    func makeAttempt(continuing request: URLRequest) {
        let request = settings.secured(request)
        if let origin = request.url.flatMap(Origin.init(of:)), origin != slot.place.origin {
            history.hasLeftOrigin = true
            slot.place.origin = origin
        }
        makeAttempt(withoutStrayCredentials(request))
    }

    /// The request without credentials if it is for another origin than the task's own.
    fileprivate func withoutStrayCredentials(_ request: URLRequest) -> URLRequest {
        guard history.hasLeftOrigin else { return request }
        var request = request
        for name in RedirectPolicy.originFields { request.headers[name] = nil }
        return request
    }
}
