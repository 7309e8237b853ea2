import CCurl
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

// What tasks want of the helper, and what it tells of them.

extension BackgroundClient {
    // MARK: - From tasks

    func start(_ task: URLSessionTask) {
        guard !task.status.withLock({ $0.life.isOver }) else { return }
        if let other = errands[task.taskIdentifier] {
            guard other.task !== task else { return }
            let error = URLError(
                .backgroundSessionInUseByAnotherProcess, failingURL: task.firstRequest.url,
                underlyingText: "another process has given this session a task of this number")
            return task.post(.completed(TaskResult(error: error)))
        }
        if let error = Errand.refusal(of: task) {
            return task.post(.completed(TaskResult(error: error)))
        }
        let errand = Errand(task)
        errands[task.taskIdentifier] = errand
        if case .attached = stage { add(errand) }
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let errand = errands[task.taskIdentifier], !errand.hasEnded else { return }
        let isHeld = task.status.withLock { $0.life.isHeld }
        send(isHeld ? .suspend(task.taskIdentifier) : .resume(task.taskIdentifier))
    }

    func priorityChanged(of task: URLSessionTask) {
        guard errands[task.taskIdentifier]?.hasEnded == false else { return }
        send(.prioritize(task.taskIdentifier, task.priority))
    }

    func descriptionChanged(of task: URLSessionTask) {
        guard errands[task.taskIdentifier] != nil else { return }
        send(.describe(task.taskIdentifier, task.taskDescription))
    }

    /// Ends a task; a download may be asked for what is needed to go on.
    func abort(_ task: URLSessionTask) {
        let number = task.taskIdentifier
        guard let errand = errands[number], errand.needsHelper, errand.wasSent else {
            errands[number] = nil
            // One that never left has lost nothing of what it was given.
            return task.finishCancelling(
                resumeData: task.wantsResumeData ? task.givenResumeData : nil)
        }
        if !errand.hasEnded, task is URLSessionDownloadTask, task.wantsResumeData {
            awaitingResumeData[number] = task
            settle(number, .cancelProducingResumeData(number))
        } else {
            settle(number, .cancel(number))
            task.finishCancelling()
        }
    }

    /// The delegate has heard how a task ended.
    func completionTold(of task: URLSessionTask) {
        let number = task.taskIdentifier
        settle(number, .delivered(number))
        pending.remove(number)
        found.remove(number)
    }

    /// Tells once all is told that was waiting, and once more when all is that was under way.
    func tellFinish() {
        guard isReady else { return }
        let isDue = owesPending && pending.isEmpty || owesFound && found.isEmpty
        if pending.isEmpty { owesPending = false }
        if found.isEmpty { owesFound = false }
        guard isDue, let session else { return }
        session.delegateQueue.async { @Sendable in
            session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        }
    }

    /// A task is over here: its record can go.
    private func settle(_ number: Int, _ request: BackgroundRequest) {
        guard let errand = errands.removeValue(forKey: number), errand.needsHelper else { return }
        settledKeys.insert(errand.key)
        settled[number] = request
        send(request)
    }

    private func add(_ errand: Errand) {
        guard let record = errand.makeRecord(session: identifier, settings: settings) else {
            return
        }
        errand.wasSent = true
        send(.add(record))
    }

    // MARK: - At the beginning of a line

    /// The helper knows of a task.
    func meet(_ record: BackgroundTaskRecord) {
        let number = record.number
        met.insert(number)
        if forgets || settledKeys.contains(record.key) {
            if settled[number] == nil { settled[number] = .cancel(number) }
        } else if let errand = errands[number] {
            // Else another process has used the number, and the helper will say so.
            guard errand.key == record.key else { return }
            errand.isKept = true
            if record.state.isOver, !errand.hasEnded { end(errand, record.state, record.history) }
        } else if let task = session?.adopt(record) {
            let errand = Errand(task, record)
            errands[number] = errand
            if record.state.isOver {
                pending.insert(number)
                owesPending = true
                end(errand, record.state, record.history)
            } else {
                found.insert(number)
                owesFound = true
            }
        }
    }

    /// All was told: now it is our turn.
    func introduce() {
        for request in settled.values { send(request) }
        for (number, errand) in errands.sorted(by: { $0.key < $1.key })
        where errand.needsHelper && !errand.hasEnded {
            if !errand.isKept {
                add(errand)
            } else if met.contains(number) {
                lifeChanged(of: errand.task)
                priorityChanged(of: errand.task)
                descriptionChanged(of: errand.task)
            } else {
                errand.needsHelper = false
                fail(
                    errand,
                    URLError(
                        .backgroundSessionWasDisconnected, failingURL: errand.task.firstRequest.url,
                        underlyingText: "the helper's record of the task is lost"))
            }
        }
    }

    func failAll(with error: URLError) {
        for errand in errands.values where errand.needsHelper && !errand.hasEnded {
            settledKeys.insert(errand.key)
            errand.needsHelper = false
            fail(errand, error.for(errand.task.firstRequest.url))
        }
        for task in awaitingResumeData.values { task.finishCancelling() }
        awaitingResumeData = [:]
    }

    private func fail(_ errand: Errand, _ error: URLError) {
        errand.hasEnded = true
        errand.task.post(.completed(TaskResult(error: error)))
    }

    // MARK: - From the helper

    func hear(_ reply: BackgroundReply) {
        switch reply {
        case .added(let number):
            errands[number]?.isKept = true
        case .refused(let number, let failure):
            guard let errand = errands[number] else { return }
            errand.needsHelper = false
            fail(
                errand,
                URLError(
                    URLError.Code(rawValue: failure.code), failingURL: errand.task.firstRequest.url,
                    underlyingText: failure.text))
        case .redirected(let number, let request):
            guard let request = request.request else { return }
            errands[number]?.task.status.withLock { $0.currentRequest = request }
        case .answered(let number, let answer):
            guard let response = answer.response else { return }
            errands[number]?.task.status.withLock { status in
                status.response = response
                status.expectedToReceive = response.expectedContentLength
            }
        case .sent(let number, let total, let expected):
            noteMovement()
            errands[number]?.task.post(.sent(total: total, expected: expected)) { status in
                status.sentByteCount = total
                status.expectedToSend = expected
            }
        case .received(let number, let total, let expected):
            noteMovement()
            errands[number]?.task.post(.wrote(total: total, expected: expected)) { status in
                status.receivedByteCount = total
                status.expectedToReceive = expected
            }
        case .resumed(let number, let offset, let expected):
            errands[number]?.task.post(.resumed(at: offset, expected: expected))
        case .ended(let number, let state, let history):
            guard let errand = errands[number], !errand.hasEnded else { return }
            end(errand, state, history)
        case .challenged(let number, let question, let challenge):
            put(challenge, to: errands[number]?.task, number, question)
        case .resumeData(let number, let data):
            awaitingResumeData.removeValue(forKey: number)?.finishCancelling(resumeData: data)
        case .gone(let number):
            settled[number] = nil
            awaitingResumeData.removeValue(forKey: number)?.finishCancelling()
        case .welcome, .givingWay, .inUse, .task, .attached:
            break
        }
    }

    /// Asks the delegate. Where it leaves it to us, what the program's own storage has is tried.
    private func put(
        _ question: BackgroundChallenge, to task: URLSessionTask?, _ number: Int, _ key: Int
    ) {
        guard let task else {
            return send(.respond(number, question: key, BackgroundChallengeAnswer(.none)))
        }
        let challenge = question.makeChallenge(task.session.settings.credentialStorage)
        task.post(
            .challenge(
                challenge, question.audience,
                Reply { [weak self] answer in
                    var answer = answer
                    if answer.disposition == .performDefaultHandling,
                        let known = challenge.proposedCredential
                    {
                        answer = ChallengeAnswer(disposition: .useCredential, credential: known)
                    }
                    let words = BackgroundChallengeAnswer(answer)
                    self?.submit { $0.send(.respond(number, question: key, words)) }
                }))
    }

    /// How a task ended.
    private func end(
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
            fail(
                errand,
                URLError(
                    URLError.Code(rawValue: code), failingURL: task.currentRequest?.url,
                    underlyingText: text, downloadTaskResumeData: resumeData))
        case .queued, .running, .delivered:
            errand.hasEnded = false
        }
    }

    private func finishDownload(_ errand: Errand, _ response: HTTPURLResponse, _ path: String?) {
        var facts = stat()
        guard let path, lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return fail(
                errand,
                URLError(
                    .fileDoesNotExist, failingURL: response.url,
                    underlyingText: "the file was taken before, or removed by somebody else"))
        }
        errand.task.post(.completed(TaskResult(file: TemporaryFile(path: path)))) { status in
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
