import FoundationEssentials
import Synchronization

// Downloads that go on where an earlier task has stopped. What an answer means for what is there is
// decided by `DownloadResumption`.

extension Engine {
    /// Whether a task that starts goes on with the part of a download; then it lines up when that is
    /// open.
    func opensPart(for load: Load) -> Bool {
        let task = load.task
        guard let data = (task as? URLSessionDownloadTask)?.resumption?.data else { return false }
        load.stage = .preparing
        FileQueue.run {
            let opened = Result { () throws(URLError) in
                try DownloadFile(goingOnWith: data, for: task)
            }
            Self.shared.submit { $0.take(opened, for: task) }
        }
        return true
    }

    private func take(_ opened: Result<DownloadFile, URLError>, for task: URLSessionTask) {
        guard let load = loads[ObjectIdentifier(task)], load.stage == .preparing,
            let given = (task as? URLSessionDownloadTask)?.resumption, let data = given.data
        else {
            if case .success(let file) = opened { file.discard() }
            return
        }
        switch opened {
        case .success(let file):
            let resumption = DownloadResumption(data, at: file.byteCount)
            load.file = file
            load.resumption = resumption
            load.request = given.complete(resumption.request)
            let request = load.request
            task.status.withLock { $0.currentRequest = request }
            begin(load)
        case .failure(let error):
            end(load, with: error)
        }
    }

    /// Compares the answer with what is there.
    ///
    /// - Returns: Whether it is to be delivered; if not, all that follows is done.
    func goesOn(_ load: Load, with response: HTTPURLResponse) -> Bool {
        guard var resumption = load.resumption else { return true }
        let task = load.task
        let head = ResponseHead(status: response.statusCode, headers: response.headers)
        switch resumption.decide(on: head) {
        case .proceed(let offset, let total):
            var data = resumption.data
            data.totalByteCount = total
            load.file?.begin(at: offset, total: total, .goesOn(data))
            task.post(.resumed(at: offset, expected: total ?? -1)) { $0.resumedOffset = offset }
            return true
        case .startOver:
            load.file?.begin(
                at: 0, total: nil,
                .make(for: load.request, originalURL: resumption.data.originalURL, head))
            load.resumption = nil
            return true
        case .askForWhole:
            resumption.startOver()
            load.resumption = resumption
            load.following =
                (task as? URLSessionDownloadTask)?.resumption?.complete(resumption.request)
            return false
        case .deliver, .unavailable:
            load.file?.discard()  // but not what the resume data names
            load.file = nil
            load.resumption = nil
            return true
        }
    }

    /// The file for the body of an answer.
    func makeFile(for load: Load) {
        guard load.file == nil else { return }
        // A stored answer comes without a head from the server, and needs no going on with.
        load.file = DownloadFile(
            for: load.task,
            recipe: load.head.head.flatMap { head in
                .make(for: load.request, originalURL: load.task.originalRequest?.url, head)
            })
    }

    /// Tells that a load has failed, with what a later task needs to go on.
    func tellFailure(of load: Load, _ error: URLError) {
        let task = load.task
        guard let file = load.file else {
            let blob = uploadResumeData(of: load)
            return task.post(
                .completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
        file.stop { blob in
            task.post(.completed(TaskResult(error: error.with(resumeData: blob, of: task))))
        }
    }

    /// Lets go of a cancelled load, and makes resume data if its user asked for it.
    func stop(_ load: Load) {
        let task = load.task
        leave(load)
        if task.wantsResumeData {
            if let file = load.file { return file.stop { task.finishCancelling(resumeData: $0) } }
            return task.finishCancelling(
                resumeData: uploadResumeData(of: load) ?? task.givenResumeData)
        }
        load.file?.discard()
        task.finishCancelling()
    }
}
