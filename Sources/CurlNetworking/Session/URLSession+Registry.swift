import Synchronization

/// The mutable state of a session, protected by its lock: its delegate and its tasks.
struct TaskRegistry {
    var delegate: (any URLSessionDelegate)?
    var description: String?
    var lastIdentifier = 0
    /// Tasks that were never resumed. Only their callers retain them, but for ``latest``.
    var unstarted: [Int: WeakTask] = [:]
    /// The one of them that was created last: a caller may hold it weakly until it resumes it.
    var latest: URLSessionTask?
    /// Tasks that were resumed and are not complete. The session retains them.
    var started: [Int: URLSessionTask] = [:]
    /// How many tasks are complete but have not returned from reporting it: several can, on a concurrent queue.
    var completingCount = 0
    var isInvalidated = false
    /// Whether tasks that appear later have to be cancelled.
    var isCancelled = false
    var isGone = false

    struct WeakTask {
        weak var task: URLSessionTask?
    }
}

// MARK: - Lists

extension URLSession {
    /// The tasks that were resumed and are not complete, in order of creation.
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                whenReady { [self] in continuation.resume(returning: startedTasks) }
            }
        }
    }

    /// Like `allTasks`, grouped into data, upload and download tasks.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    /// Runs work when the session's tasks are known. A background session has to ask the helper first.
    func whenReady(_ work: @escaping @Sendable () -> Void) {
        if let background { background.whenReady(work) } else { work() }
    }

    var startedTasks: [URLSessionTask] {
        taskRegistry.withLock { $0.started.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
            .filter { $0.state == .running || $0.state == .suspended }
    }
}

// MARK: - Registering tasks

extension URLSession {
    /// Creates and registers a task with the next identifier. It is cancelled if the session is invalidated.
    func register<Task: URLSessionTask>(_ make: (_ identifier: Int) -> Task) -> Task {
        let identifier = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier += 1
            return taskRegistry.lastIdentifier
        }
        let task = make(identifier)
        let (isTooLate, previous) = taskRegistry.withLock { taskRegistry in
            taskRegistry.unstarted[identifier] = TaskRegistry.WeakTask(task: task)
            defer { if !taskRegistry.isInvalidated { taskRegistry.latest = task } }
            return (taskRegistry.isInvalidated, taskRegistry.latest)
        }
        // Released without the lock, which a task that goes takes.
        withExtendedLifetime(previous) {}
        task.listener?.urlSession(self, didCreateTask: task)
        if isTooLate { task.cancel() }
        return task
    }

    /// Creates and registers a task that replaces a running one.
    func adopt<Task: URLSessionTask>(_ make: (_ identifier: Int) -> Task) -> Task {
        let identifier = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier += 1
            return taskRegistry.lastIdentifier
        }
        let task = make(identifier)
        retain(task)
        return task
    }

    /// Retains a task until it completes.
    func retain(_ task: URLSessionTask) {
        taskRegistry.withLock { taskRegistry in
            taskRegistry.unstarted[task.taskIdentifier] = nil
            if taskRegistry.latest === task { taskRegistry.latest = nil }
            taskRegistry.started[task.taskIdentifier] = task
        }
    }

    /// Creates a task that an earlier process has left with the helper.
    func adopt(_ record: BackgroundTaskRecord) -> URLSessionTask? {
        guard let task = URLSessionTask.make(record, in: self) else { return nil }
        let isTooLate = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier = max(taskRegistry.lastIdentifier, record.number)
            taskRegistry.started[record.number] = task
            return taskRegistry.isCancelled
        }
        // The task's entry has to exist before it is cancelled.
        if isTooLate { background?.submit { _ in task.cancel() } }
        return task
    }

    /// Removes a task that was released without being resumed.
    func forgetUnstarted(_ identifier: Int) {
        let wasThere = taskRegistry.withLock { $0.unstarted.removeValue(forKey: identifier) != nil }
        if wasThere { finishInvalidationIfIdle() }
    }

    /// Releases the task that was created last, if it was not resumed.
    func releaseLatest() {
        let latest = taskRegistry.withLock { taskRegistry in
            defer { taskRegistry.latest = nil }
            return taskRegistry.latest
        }
        withExtendedLifetime(latest) {}
    }

    /// Removes a task whose completion is about to be reported; `completionReported` follows. Called on the
    /// delegate's queue.
    func beginCompletion(of task: URLSessionTask) {
        taskRegistry.withLock { taskRegistry in
            taskRegistry.started[task.taskIdentifier] = nil
            taskRegistry.completingCount += 1
        }
    }

    func completionReported() {
        taskRegistry.withLock { $0.completingCount -= 1 }
        finishInvalidationIfIdle()
    }

    /// Removes a task that does not report a completion.
    func unregister(_ task: URLSessionTask) {
        taskRegistry.withLock { $0.started[task.taskIdentifier] = nil }
    }

    /// Notifies the delegate and releases it, if the session is invalidated and has no tasks left.
    func finishInvalidationIfIdle() {
        let isDone = taskRegistry.withLock { taskRegistry in
            guard taskRegistry.isInvalidated, !taskRegistry.isGone, taskRegistry.started.isEmpty,
                taskRegistry.unstarted.isEmpty, taskRegistry.completingCount == 0,
                background?.isReadyNow ?? true
            else { return false }
            taskRegistry.isGone = true
            return true
        }
        guard isDone else { return }
        authenticationCache.withLock { $0.forgetAll() }
        callbackQueue.async { [self] in
            let delegate = taskRegistry.withLock { taskRegistry in
                defer { taskRegistry.delegate = nil }
                return taskRegistry.delegate
            }
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}

extension URLSession {
    /// The same as ``getTasksWithCompletionHandler(_:)``, with the label that FoundationNetworking has.
    @_disfavoredOverload
    public func getTasksWithCompletionHandler(
        completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getTasksWithCompletionHandler(completionHandler)
    }
}
