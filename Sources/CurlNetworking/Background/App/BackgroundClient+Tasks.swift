import Dispatch
import FoundationEssentials
import Synchronization

// What tasks want of the helper, and how both compare what they know at the beginning of a line.

extension BackgroundClient {
    // MARK: - From tasks

    /// A task is set going. When this returns its record is out of this process, whoever ends it then.
    nonisolated func enlist(_ task: URLSessionTask) {
        let birth = Errand.Birth()
        if Errand.refusal(of: task) == nil,
            let record = birth.makeRecord(of: task, session: identifier, settings: settings)
        {
            deposits.put(record)
        }
        submit { $0.start(task, birth) }
    }

    private func start(_ task: URLSessionTask, _ birth: Errand.Birth) {
        let number = task.taskIdentifier
        guard !task.status.withLock({ $0.life.isOver }) else { return withdraw(number) }
        if let other = errands[number] {
            guard other.task !== task else { return }
            withdraw(number)
            let error = URLError(
                .backgroundSessionInUseByAnotherProcess, failingURL: task.firstRequest.url,
                underlyingText: "another process has given this session a task of this number")
            return task.post(.completed(TaskResult(error: error)))
        }
        if let error = Errand.refusal(of: task) {
            return task.post(.completed(TaskResult(error: error)))
        }
        let errand = Errand(task, birth)
        errands[number] = errand
        if case .attached = stage { add(errand) }
    }

    /// A helper has the task on record, or nobody is to carry it.
    func withdraw(_ number: Int) {
        deposits.remove(number, of: identifier)
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
            withdraw(number)
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
    func completionReported(of task: URLSessionTask) {
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
    func settle(_ number: Int, _ request: BackgroundRequest) {
        guard let errand = errands.removeValue(forKey: number), errand.needsHelper else { return }
        withdraw(number)
        settledKeys.insert(errand.key)
        settled[number] = request
        send(request)
    }

    private func add(_ errand: Errand) {
        guard
            let record = errand.birth.makeRecord(
                of: errand.task, session: identifier, settings: settings)
        else { return }
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
            withdraw(number)
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

    func fail(_ errand: Errand, _ error: URLError) {
        withdraw(errand.task.taskIdentifier)
        errand.hasEnded = true
        errand.task.post(.completed(TaskResult(error: error)))
    }
}
