public import Dispatch
public import FoundationEssentials
import Synchronization

/// Makes tasks that load over HTTP, and reports their results to a delegate or completion handlers.
///
/// The names and the rules are those of Apple's `URLSession`. All sessions of a process share one
/// libcurl engine on one queue; no task has a thread of its own.
///
/// A session holds its delegate until it is invalidated, and itself as long as a task is unfinished.
///
/// Subclasses may override what makes tasks, to return their own in a test, and what ends a session. The
/// async forms for data and uploads ask the methods with a handler in a subclass.
open class URLSession: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and what
    // changes sits in a Mutex. A subclass makes the same promise with its own conformance.

    private let parts: Parts
    /// What has proved who we are, for later tasks. Used by the engine.
    let authenticationCache = Mutex(AuthenticationCache())
    /// The last `flush` or `reset`: no connection from before it is used again.
    let connectionCut = Mutex<ConnectionCut?>(nil)
    /// Servers that were offered HTTP/2 and have chosen HTTP/1.1. Used by the engine.
    let http1Origins = Mutex<Set<Origin>>([])
    private let taskRegistry = Mutex(TaskRegistry())

    /// What a session is made of, whichever way it is made.
    private struct Parts: Sendable {
        let settings: SessionSettings
        let callbackQueue: CallbackQueue
        let isShared: Bool
        let number: Int
        let background: BackgroundClient?
        /// The number of the last task of a background session of this identifier.
        let lastTask: Int

        init(_ settings: SessionSettings, _ queue: CallbackQueue, isShared: Bool = false) {
            self.settings = settings
            self.callbackQueue = queue
            self.isShared = isShared
            self.number = URLSession.makeNumber()
            let line = settings.background.map(BackgroundLine.init)
            self.background = line?.makeClient(settings)
            self.lastTask = line?.lastNumber ?? 0
        }
    }

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

    /// A number that nothing else has.
    static func makeNumber() -> Int {
        lastNumber.withLock { last in
            last += 1
            return last
        }
    }

    private static let common = URLSession(
        Parts(.standard, CallbackQueue(nil), isShared: true), delegate: nil)

    /// The session for simple requests with completion handlers. It has no delegate and cannot be
    /// invalidated.
    open class var shared: URLSession { common }

    /// A session without a delegate, for completion handlers and async forms.
    public init(configuration: URLSessionConfiguration) {
        parts = Parts(configuration.snapshot, CallbackQueue(nil))
        super.init()
        begin(nil)
    }

    #if Foundation
        /// - Parameter queue: Where every call to the delegate and every completion handler arrives; nil makes
        ///   a serial one. The calls of one task come one after the other whatever the queue's limit; those
        ///   of several tasks at a time as far as it allows that.
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: OperationQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(operations: queue))
            super.init()
            begin(delegate)
        }

        /// - Parameter queue: A serial queue; nil makes one. Not in Apple's suite.
        @_disfavoredOverload
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: DispatchQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(queue))
            super.init()
            begin(delegate)
        }

        /// Where every call to the delegate and every completion handler arrives.
        open var delegateQueue: OperationQueue { callbackQueue.operations }
    #else
        /// - Parameter queue: A serial queue, `.main` for instance; nil makes one.
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: DispatchQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(queue))
            super.init()
            begin(delegate)
        }

        /// Where every call to the delegate and every completion handler arrives, in order.
        public var delegateQueue: DispatchQueue { callbackQueue.dispatch }
    #endif

    private init(_ parts: Parts, delegate: (any URLSessionDelegate)?) {
        self.parts = parts
        super.init()
        begin(delegate)
    }

    private func begin(_ delegate: (any URLSessionDelegate)?) {
        taskRegistry.withLock { taskRegistry in
            taskRegistry.delegate = delegate
            taskRegistry.lastIdentifier = parts.lastTask
        }
        background?.begin(for: self)
    }

    var settings: SessionSettings { parts.settings }
    /// Where the delegate and the handlers are called.
    var callbackQueue: CallbackQueue { parts.callbackQueue }
    /// Which host queue of the engine the session's tasks share.
    var number: Int { parts.number }
    /// Its line to the helper, if it is a background session.
    var background: BackgroundClient? { parts.background }
    var isShared: Bool { parts.isShared }

    /// A copy of what the session was made with.
    open var configuration: URLSessionConfiguration { URLSessionConfiguration(settings) }

    /// nil after invalidation.
    open var delegate: (any URLSessionDelegate)? { taskRegistry.withLock { $0.delegate } }

    /// Whatever its user wants to remember of it.
    open var sessionDescription: String? {
        get { taskRegistry.withLock { $0.description } }
        set { taskRegistry.withLock { $0.description = newValue } }
    }

    // MARK: - Life

    /// Lets unfinished tasks finish, then notifies the delegate and releases it. Returns at once. New
    /// tasks are cancelled at birth. Without effect on the shared session.
    open func finishTasksAndInvalidate() {
        guard !isShared else { return }
        taskRegistry.withLock { $0.isInvalidated = true }
        background?.noteInvalidation()
        finishInvalidationIfIdle()
    }

    /// Cancels all tasks, then notifies the delegate and releases it. Returns at once. Without effect
    /// on the shared session.
    open func invalidateAndCancel() {
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
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenReady { [self] in
            callbackQueue.async { [self] in completionHandler(startedTasks) }
        }
    }

    /// Like `getAllTasks`, by kind: data, upload and download tasks.
    open func getTasksWithCompletionHandler(
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

    // MARK: - Data tasks

    /// Makes a task that reports to the session's delegate.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        dataTask(request, for: .delegate)
    }

    /// Makes a task that gets a URL and reports to the session's delegate.
    open func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// Makes a task that keeps the body in memory and hands it to `completionHandler`: the body and
    /// the response, or an error. Redirects still go to the delegate.
    open func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(request, for: .dataHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that gets a URL and hands its body to `completionHandler`.
    open func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    // MARK: - Upload tasks

    /// Makes a task that sends `bodyData`. The request's method should be POST or PUT.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        uploadTask(request, .data(bodyData), for: .delegate)
    }

    /// Makes a task that sends a file as it is on the disk, without ever holding all of it.
    ///
    /// The file is opened when the task starts. It fails with `.fileDoesNotExist`,
    /// `.fileIsDirectory` or `.noPermissionsToReadFile`, and with `.requestBodyStreamExhausted` when
    /// the file became shorter on the way.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        uploadTask(request, .file(fileURL), for: .delegate)
    }

    /// Makes a task that asks its delegate for a body of unknown length.
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        uploadTask(request, .stream, for: .delegate)
    }

    /// Makes a task that sends `bodyData` and hands the answer to `completionHandler`.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            request, .data(bodyData ?? Data()),
            for: .dataHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that sends a file and hands the answer to `completionHandler`.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(request, .file(fileURL), for: .dataHandler(isAwaited: false, completionHandler))
    }

    // MARK: - Download tasks

    /// Makes a task that brings the body into a temporary file for the session's delegate.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileDelegate)
    }

    /// Makes a task that brings a URL's body into a temporary file for the session's delegate.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Makes a task that brings the body into a temporary file. The file is removed when
    /// `completionHandler` returns: move or open it before.
    open func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that brings a URL's body into a temporary file, which is removed when `completionHandler` returns.
    open func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    // MARK: - Its tasks

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
        callbackQueue.async { [self] in
            let delegate = taskRegistry.withLock { taskRegistry in
                defer { taskRegistry.delegate = nil }
                return taskRegistry.delegate
            }
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}
