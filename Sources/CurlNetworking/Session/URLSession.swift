public import Dispatch
import Synchronization

/// Makes tasks that load over HTTP, and reports their results to a delegate or completion handlers.
///
/// The names and the rules are those of Apple's `URLSession`. All sessions of a process share one
/// libcurl engine on one queue; no task has a thread of its own.
///
/// A session holds its delegate until it is invalidated, and itself as long as a task is unfinished.
public final class URLSession: Sendable {
    /// Where every call to the delegate and every completion handler arrives, in order.
    public let delegateQueue: DispatchQueue

    let settings: SessionSettings
    /// Which host queue of the engine the session's tasks share.
    let number: Int
    /// Its line to the helper, if it is a background session.
    let background: BackgroundClient?
    /// What has proved who we are, for later tasks. Used by the engine.
    let authenticationCache = Mutex(AuthenticationCache())
    /// Since when its connections have to be, in nanoseconds of the monotonic clock.
    let connectionsSince = Mutex<UInt64?>(nil)
    private let taskRegistry: Mutex<TaskRegistry>
    let isShared: Bool

    private struct TaskRegistry {
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
    }

    private struct WeakTask {
        weak var task: URLSessionTask?
    }

    private static let lastNumber = Mutex(0)

    /// The session for simple requests with completion handlers. It has no delegate and cannot be
    /// invalidated.
    public static let shared = URLSession(
        settings: .standard, delegate: nil, queue: nil, isShared: true)

    /// A session without a delegate, for completion handlers and async forms.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// - Parameter queue: A serial queue, `.main` for instance; nil makes one.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: DispatchQueue?
    ) {
        self.init(
            settings: configuration.snapshot, delegate: delegate, queue: queue, isShared: false)
    }

    private init(
        settings: SessionSettings, delegate: (any URLSessionDelegate)?, queue: DispatchQueue?,
        isShared: Bool
    ) {
        self.settings = settings
        self.isShared = isShared
        self.delegateQueue =
            queue ?? DispatchQueue(label: "CurlNetworking.delegate")
        self.number = Self.lastNumber.withLock { last in
            last += 1
            return last
        }
        let line = settings.background.map(BackgroundLine.init)
        self.background = line?.makeClient(settings)
        self.taskRegistry = Mutex(
            TaskRegistry(delegate: delegate, lastIdentifier: line?.lastNumber ?? 0))
        background?.begin(for: self)
    }

    /// A copy of what the session was made with.
    public var configuration: URLSessionConfiguration { URLSessionConfiguration(settings) }

    /// nil after invalidation.
    public var delegate: (any URLSessionDelegate)? { taskRegistry.withLock { $0.delegate } }

    /// Whatever its user wants to remember of it.
    public var sessionDescription: String? {
        get { taskRegistry.withLock { $0.description } }
        set { taskRegistry.withLock { $0.description = newValue } }
    }

    /// What to do with an answer whose head has come. Apple's `becomeStream` is not among them: there are
    /// no stream tasks.
    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        /// Let a download task take the rest of the answer to a file.
        case becomeDownload = 2
    }

    /// What to do when a task with an `earliestBeginDate` may begin.
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading = 0
        case useNewRequest = 1
        case cancel = 2
    }

    // MARK: - Life

    /// Lets unfinished tasks finish, then notifies the delegate and releases it. Returns at once. New
    /// tasks are cancelled at birth. Without effect on the shared session.
    public func finishTasksAndInvalidate() {
        guard !isShared else { return }
        taskRegistry.withLock { $0.isInvalidated = true }
        background?.noteInvalidation()
        finishInvalidationIfIdle()
    }

    /// Cancels all tasks, then notifies the delegate and releases it. Returns at once. Without effect
    /// on the shared session.
    public func invalidateAndCancel() {
        guard !isShared else { return }
        let tasks = taskRegistry.withLock { taskRegistry in
            taskRegistry.isInvalidated = true
            taskRegistry.isCancelled = true
            return Array(taskRegistry.started.values)
                + taskRegistry.unstarted.values.compactMap(\.task)
        }
        background?.noteInvalidation()
        for task in tasks { task.cancel() }
        finishInvalidationIfIdle()
    }

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

    /// Calls back on `delegateQueue` with the tasks that were resumed and are unfinished.
    public func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenReady { [self] in
            delegateQueue.async { @Sendable [self] in completionHandler(startedTasks) }
        }
    }

    /// Like `getAllTasks`, by kind: data, upload and download tasks.
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// A background session has to hear first which tasks it has from before.
    private func whenReady(_ work: @escaping @Sendable () -> Void) {
        if let background { background.whenReady(work) } else { work() }
    }

    private var startedTasks: [URLSessionTask] {
        taskRegistry.withLock { $0.started.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
            .filter { $0.state == .running || $0.state == .suspended }
    }
}

// MARK: - The taskRegistry of tasks

extension URLSession {
    /// Enters a new task, made with the next identifier. After invalidation it is born cancelled.
    func register<Task: URLSessionTask>(_ make: (_ identifier: Int) -> Task) -> Task {
        let identifier = taskRegistry.withLock { taskRegistry in
            taskRegistry.lastIdentifier += 1
            return taskRegistry.lastIdentifier
        }
        let task = make(identifier)
        let isTooLate = taskRegistry.withLock { taskRegistry in
            taskRegistry.unstarted[identifier] = WeakTask(task: task)
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
        delegateQueue.async { @Sendable [self] in
            let delegate = taskRegistry.withLock { taskRegistry in
                defer { taskRegistry.delegate = nil }
                return taskRegistry.delegate
            }
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}
