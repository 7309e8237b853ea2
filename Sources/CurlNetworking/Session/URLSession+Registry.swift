import Synchronization

/// What changes in a session, behind its lock: its delegate, and which tasks it has.
struct TaskRegistry {
    var delegate: (any URLSessionDelegate)?
    var description: String?
    var lastIdentifier = 0
    /// Tasks that were never set going: theirs is the reference that keeps them.
    var unstarted: [Int: WeakTask] = [:]
    /// Tasks that were, until they complete.
    var started: [Int: URLSessionTask] = [:]
    var isInvalidated = false
    /// Tasks that turn up yet are to be cancelled.
    var isCancelled = false
    var isGone = false

    struct WeakTask {
        weak var task: URLSessionTask?
    }
}

// MARK: - Lists

extension URLSession {
    /// The tasks that were resumed and are unfinished, in order of creation.
    public var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                whenReady { [self] in continuation.resume(returning: startedTasks) }
            }
        }
    }

    /// Like `allTasks`, by kind: data, upload and download tasks.
    public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    /// A background session has to hear first which tasks it has from before.
    func whenReady(_ work: @escaping @Sendable () -> Void) {
        if let background { background.whenReady(work) } else { work() }
    }

    var startedTasks: [URLSessionTask] {
        taskRegistry.withLock { $0.started.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
            .filter { $0.state == .running || $0.state == .suspended }
    }
}

// MARK: - A task comes and goes

extension URLSession {
    /// Enters a new task, made with the next identifier. After invalidation it is born cancelled.
    func register<Task: URLSessionTask>(_ make: (_ identifier: Int) -> Task) -> Task {
        let identifier = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier += 1
            return taskRegistry.lastIdentifier
        }
        let task = make(identifier)
        let isTooLate = taskRegistry.withLock { taskRegistry in
            taskRegistry.unstarted[identifier] = TaskRegistry.WeakTask(task: task)
            return taskRegistry.isInvalidated
        }
        task.listener?.urlSession(self, didCreateTask: task)
        if isTooLate { task.cancel() }
        return task
    }

    /// Enters a task that takes another one's place, and runs already.
    func adopt<Task: URLSessionTask>(_ make: (_ identifier: Int) -> Task) -> Task {
        let identifier = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier += 1
            return taskRegistry.lastIdentifier
        }
        let task = make(identifier)
        hold(task)
        return task
    }

    /// From here on the session keeps the task, until it completes.
    func hold(_ task: URLSessionTask) {
        taskRegistry.withLock { taskRegistry in
            taskRegistry.unstarted[task.taskIdentifier] = nil
            taskRegistry.started[task.taskIdentifier] = task
        }
    }

    /// Takes up a task of an earlier process, as it is known to the helper.
    func adopt(_ record: BackgroundTaskRecord) -> URLSessionTask? {
        guard let task = URLSessionTask.make(record, in: self) else { return nil }
        let isTooLate = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier = max(taskRegistry.lastIdentifier, record.number)
            taskRegistry.started[record.number] = task
            return taskRegistry.isCancelled
        }
        // Its entry has to be known before it is called off.
        if isTooLate { background?.submit { _ in task.cancel() } }
        return task
    }

    /// A task was dropped that nobody had set going.
    func forgetUnstarted(_ identifier: Int) {
        let wasThere = taskRegistry.withLock { $0.unstarted.removeValue(forKey: identifier) != nil }
        if wasThere { finishInvalidationIfIdle() }
    }

    /// The task's completion is about to be reported, on the delegate's queue.
    func unregister(_ task: URLSessionTask) {
        taskRegistry.withLock { $0.started[task.taskIdentifier] = nil }
    }

    /// After invalidation, once no task is left: notifies the delegate, and releases it.
    func finishInvalidationIfIdle() {
        let isDone = taskRegistry.withLock { taskRegistry in
            guard taskRegistry.isInvalidated, !taskRegistry.isGone, taskRegistry.started.isEmpty,
                taskRegistry.unstarted.isEmpty, background?.isReadyNow ?? true
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
