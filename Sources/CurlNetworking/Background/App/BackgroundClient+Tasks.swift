import Dispatch
import FoundationEssentials
import Synchronization

// What tasks want of the helper, and how both compare what they know at the beginning of a line.

extension BackgroundClient {
    // MARK: - From tasks

    /// A task is set going. When this returns its record is out of this process, whoever ends it then.
    nonisolated func enlist(_ task: URLSessionTask) {
        let identity = BackgroundTaskEntry.Identity()
        if BackgroundTaskEntry.refusal(of: task) == nil,
            let record = identity.makeRecord(of: task, session: identifier, settings: settings)
        {
            spool.put(record)
        }
        submit { $0.start(task, identity) }
    }

    private func start(_ task: URLSessionTask, _ identity: BackgroundTaskEntry.Identity) {
        let number = task.taskIdentifier
        guard !task.status.withLock({ $0.life.isOver }) else { return removeSpooled(number) }
        if let other = entries[number] {
            guard other.task !== task else { return }
            removeSpooled(number)
            let error = URLError(
                .backgroundSessionInUseByAnotherProcess, failingURL: task.firstRequest.url,
                underlyingText: "another process has given this session a task of this number")
            return task.post(.completed(TaskResult(error: error)))
        }
        if let error = BackgroundTaskEntry.refusal(of: task) {
            return task.post(.completed(TaskResult(error: error)))
        }
        let entry = BackgroundTaskEntry(task, identity)
        entries[number] = entry
        if case .attached = stage { add(entry) }
    }

    /// A helper has the task on record, or nobody is to carry it.
    func removeSpooled(_ number: Int) {
        spool.remove(number, of: identifier)
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let entry = entries[task.taskIdentifier], !entry.hasEnded else { return }
        let isHeld = task.status.withLock { $0.life.isHeld }
        send(isHeld ? .suspend(task.taskIdentifier) : .resume(task.taskIdentifier))
    }

    func priorityChanged(of task: URLSessionTask) {
        guard entries[task.taskIdentifier]?.hasEnded == false else { return }
        send(.prioritize(task.taskIdentifier, task.priority))
    }

    func descriptionChanged(of task: URLSessionTask) {
        guard entries[task.taskIdentifier] != nil else { return }
        send(.describe(task.taskIdentifier, task.taskDescription))
    }

    /// Ends a task; a download may be asked for what is needed to go on.
    func abort(_ task: URLSessionTask) {
        let number = task.taskIdentifier
        guard let entry = entries[number], entry.needsHelper, entry.wasSent else {
            entries[number] = nil
            removeSpooled(number)
            // One that never left has lost nothing of what it was given.
            return task.finishCancelling(
                resumeData: task.wantsResumeData ? task.givenResumeData : nil)
        }
        if !entry.hasEnded, task is URLSessionDownloadTask, task.wantsResumeData {
            awaitingResumeData[number] = task
            acknowledge(number, .cancelProducingResumeData(number))
        } else {
            acknowledge(number, .cancel(number))
            task.finishCancelling()
        }
    }

    /// The delegate has heard how a task ended.
    func completionReported(of task: URLSessionTask) {
        let number = task.taskIdentifier
        acknowledge(number, .delivered(number))
        pending.remove(number)
        found.remove(number)
    }

    /// Tells once all is told that was waiting, and once more when all is that was under way.
    func notifyFinish() {
        guard isReady else { return }
        let isDue = hasPendingEvents && pending.isEmpty || hasFoundTasks && found.isEmpty
        if pending.isEmpty { hasPendingEvents = false }
        if found.isEmpty { hasFoundTasks = false }
        guard isDue, let session else { return }
        session.delegateQueue.async { @Sendable in
            session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        }
    }

    /// A task is over here: its record can go.
    func acknowledge(_ number: Int, _ request: BackgroundRequest) {
        guard let entry = entries.removeValue(forKey: number), entry.needsHelper else { return }
        removeSpooled(number)
        acknowledgedKeys.insert(entry.key)
        acknowledged[number] = request
        send(request)
    }

    private func add(_ entry: BackgroundTaskEntry) {
        guard
            let record = entry.identity.makeRecord(
                of: entry.task, session: identifier, settings: settings)
        else { return }
        entry.wasSent = true
        send(.add(record))
    }

    // MARK: - At the beginning of a line

    /// The helper knows of a task.
    func register(_ record: BackgroundTaskRecord) {
        let number = record.number
        // Another task of this number says nothing about ours.
        if entries[number].map({ $0.key == record.key }) ?? true { announced.insert(number) }
        if forgets || acknowledgedKeys.contains(record.key) {
            if acknowledged[number] == nil { acknowledged[number] = .cancel(number) }
        } else if let entry = entries[number] {
            // Else another process has used the number, and the helper will say so.
            guard entry.key == record.key else { return }
            entry.isKept = true
            removeSpooled(number)
            if record.state.isOver, !entry.hasEnded { end(entry, record.state, record.history) }
        } else if let task = session?.adopt(record) {
            let entry = BackgroundTaskEntry(task, record)
            entries[number] = entry
            if record.state.isOver {
                pending.insert(number)
                hasPendingEvents = true
                end(entry, record.state, record.history)
            } else {
                found.insert(number)
                hasFoundTasks = true
            }
        }
    }

    /// All was told: now it is our turn.
    func sendCurrentState() {
        for request in acknowledged.values { send(request) }
        for (number, entry) in entries.sorted(by: { $0.key < $1.key })
        where entry.needsHelper && !entry.hasEnded {
            if !entry.isKept {
                add(entry)
            } else if announced.contains(number) {
                lifeChanged(of: entry.task)
                priorityChanged(of: entry.task)
                descriptionChanged(of: entry.task)
            } else {
                entry.needsHelper = false
                fail(
                    entry,
                    URLError(
                        .backgroundSessionWasDisconnected, failingURL: entry.task.firstRequest.url,
                        underlyingText: "the helper's record of the task is lost"))
            }
        }
    }

    func failAll(with error: URLError) {
        for entry in entries.values where entry.needsHelper && !entry.hasEnded {
            acknowledgedKeys.insert(entry.key)
            entry.needsHelper = false
            fail(entry, error.for(entry.task.firstRequest.url))
        }
        for task in awaitingResumeData.values { task.finishCancelling() }
        awaitingResumeData = [:]
    }

    func fail(_ entry: BackgroundTaskEntry, _ error: URLError) {
        removeSpooled(entry.task.taskIdentifier)
        entry.hasEnded = true
        entry.task.post(.completed(TaskResult(error: error)))
    }
}
