import FoundationEssentials
import Synchronization

// Downloads that go on where an earlier task has stopped. What an answer means for what is there is
// decided by `DownloadResumption`.

extension Engine {
    /// Whether a task that starts goes on with the part of a download; then it lines up when that is
    /// open.
    func openPartialFile(for transfer: Transfer) -> Bool {
        let task = transfer.task
        guard let data = (task as? URLSessionDownloadTask)?.resumption?.data else { return false }
        transfer.stage = .preparing
        FileQueue.run {
            let opened = Result { () throws(URLError) in
                try DownloadFile(goingOnWith: data, for: task)
            }
            Self.shared.submit { $0.take(opened, for: task) }
        }
        return true
    }

    private func take(_ opened: Result<DownloadFile, URLError>, for task: URLSessionTask) {
        guard let transfer = transfers[ObjectIdentifier(task)], transfer.stage == .preparing,
            let given = (task as? URLSessionDownloadTask)?.resumption, let data = given.data
        else {
            if case .success(let file) = opened { file.discard() }
            return
        }
        switch opened {
        case .success(let file):
            let resumption = DownloadResumption(data, at: file.byteCount)
            transfer.file = file
            transfer.resumption = resumption
            transfer.request = given.complete(resumption.request)
            let request = transfer.request
            task.status.withLock { $0.currentRequest = request }
            begin(transfer)
        case .failure(let error):
            fail(transfer, with: error)
        }
    }

    /// Compares the answer with what is there.
    ///
    /// - Returns: Whether it is to be delivered; if not, all that follows is done.
    func goesOn(_ transfer: Transfer, with response: HTTPURLResponse) -> Bool {
        guard var resumption = transfer.resumption else { return true }
        let task = transfer.task
        let head = ResponseHead(status: response.statusCode, headers: response.headers)
        switch resumption.decide(on: head) {
        case .proceed(let offset, let total):
            var data = resumption.data
            data.totalByteCount = total
            transfer.file?.begin(at: offset, total: total, .goesOn(data))
            task.post(.resumed(at: offset, expected: total ?? -1)) { $0.resumedOffset = offset }
            return true
        case .startOver:
            transfer.file?.begin(
                at: 0, total: nil,
                .make(for: transfer.request, originalURL: resumption.data.originalURL, head))
            transfer.resumption = nil
            return true
        case .askForWhole:
            resumption.startOver()
            transfer.resumption = resumption
            transfer.nextRequest =
                (task as? URLSessionDownloadTask)?.resumption?.complete(resumption.request)
            return false
        case .deliver, .unavailable:
            transfer.file?.discard()  // but not what the resume data names
            transfer.file = nil
            transfer.resumption = nil
            return true
        }
    }

    /// The file for the body of an answer.
    func makeFile(for transfer: Transfer) {
        guard transfer.file == nil else { return }
        // A stored answer comes without a head from the server, and needs no going on with.
        transfer.file = DownloadFile(
            for: transfer.task,
            recipe: transfer.head.head.flatMap { head in
                .make(for: transfer.request, originalURL: transfer.task.originalRequest?.url, head)
            })
    }

    /// Tells that a transfer has failed, with what a later task needs to go on.
    func reportFailure(of transfer: Transfer, _ error: URLError) {
        let task = transfer.task
        guard let file = transfer.file else {
            let blob = uploadResumeData(of: transfer)
            return task.post(
                .completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
        file.stop { blob in
            task.post(.completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
    }

    /// Lets go of a cancelled transfer, and makes resume data if its user asked for it.
    func stop(_ transfer: Transfer) {
        let task = transfer.task
        remove(transfer)
        if task.wantsResumeData {
            if let file = transfer.file {
                return file.stop { task.finishCancelling(resumeData: $0) }
            }
            return task.finishCancelling(
                resumeData: uploadResumeData(of: transfer) ?? task.givenResumeData)
        }
        transfer.file?.discard()
        task.finishCancelling()
    }
}
