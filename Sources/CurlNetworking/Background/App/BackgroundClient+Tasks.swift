import Dispatch
import FoundationEssentials
import Synchronization

// Sends the tasks' changes to the helper, and synchronizes both sides when a connection is made.

extension BackgroundClient {
    // MARK: - From tasks

    /// A task was resumed. When this returns, its record is outside this process and survives it.
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
        if case .attached = connection.stage { add(entry) }
    }

    /// Removes a task's file from the spool: it is in the journal, or is not to run.
    func removeSpooled(_ number: Int) {
        spool.remove(number, of: identifier)
    }

    func lifeChanged(of task: URLSessionTask) {
        guard let entry = entries[task.taskIdentifier], !entry.hasEnded else { return }
        let isSuspended = task.status.withLock { $0.life.isSuspended }
        send(isSuspended ? .suspend(task.taskIdentifier) : .resume(task.taskIdentifier))
    }

    func priorityChanged(of task: URLSessionTask) {
        guard entries[task.taskIdentifier]?.hasEnded == false else { return }
        send(.prioritize(task.taskIdentifier, task.priority))
    }

    func descriptionChanged(of task: URLSessionTask) {
        guard entries[task.taskIdentifier] != nil else { return }
        send(.describe(task.taskIdentifier, task.taskDescription))
    }

    /// Cancels a task; a download may be asked for resume data.
    func abort(_ task: URLSessionTask) {
        let number = task.taskIdentifier
        guard let entry = entries[number], entry.needsHelper, entry.wasSent else {
            entries[number] = nil
            removeSpooled(number)
            // A task that was never sent keeps the resume data it was given.
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

    /// The completion was reported to the delegate.
    func completionReported(of task: URLSessionTask) {
        let number = task.taskIdentifier
        acknowledge(number, .delivered(number))
        ended.remove(number)
        found.remove(number)
    }

    /// Calls `urlSessionDidFinishEvents` when all pending tasks were reported, and again when all tasks that
    /// were found running were.
    func notifyFinish() {
        guard isReady else { return }
        let isDue = ended.areComplete || found.areComplete
        ended.noteCall()
        found.noteCall()
        guard isDue, let session else { return }
        session.callbackQueue.async {
            session.delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
        }
    }

    /// A task is completed here: the helper can remove its record.
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

    // MARK: - When a connection is made

    /// Matches a task of the helper's journal with one of this session.
    func register(_ record: BackgroundTaskRecord) {
        let number = record.number
        // A different task with this number says nothing about ours.
        if entries[number].map({ $0.key == record.key }) ?? true {
            connection.announced.insert(number)
        }
        if forgets || acknowledgedKeys.contains(record.key) {
            if acknowledged[number] == nil { acknowledged[number] = .cancel(number) }
        } else if let entry = entries[number] {
            // Otherwise another process has used the number, and the helper will refuse ours.
            guard entry.key == record.key else { return }
            entry.isKept = true
            removeSpooled(number)
            if case .running(let moved, let expected) = record.state, case .upload = record.kind,
                moved > entry.task.countOfBytesSent
            {
                // What a helper has sent before this program was connected to it.
                noteSent(entry, moved, expected)
            }
            if record.state.isOver, !entry.hasEnded { end(entry, record.state, record.history) }
        } else if let task = session?.adopt(record) {
            let entry = BackgroundTaskEntry(task, record)
            entries[number] = entry
            if record.state.isOver {
                ended.add(number)
                end(entry, record.state, record.history)
            } else {
                found.add(number)
            }
        }
    }

    /// The helper has sent all its tasks: now the client sends what has changed.
    func sendCurrentState() {
        for request in acknowledged.values { send(request) }
        for (number, entry) in entries.sorted(by: { $0.key < $1.key })
        where entry.needsHelper && !entry.hasEnded {
            if !entry.isKept {
                add(entry)
            } else if connection.announced.contains(number) {
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
