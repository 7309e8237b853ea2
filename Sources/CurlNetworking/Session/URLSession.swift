public import Dispatch
public import FoundationEssentials
import Synchronization

/// Creates tasks that load data over HTTP, and reports their results to a delegate or completion handlers.
///
/// Names and behavior follow Apple's `URLSession`. All sessions of a process share one libcurl engine on one
/// thread; tasks have no threads of their own.
///
/// A session retains its delegate until it is invalidated, and itself while a task is running or the task that
/// was created last was not resumed.
///
/// Subclasses can override the methods that create tasks, to return mocks in a test, and those that
/// invalidate the session. In a subclass, the async forms for data and uploads call the methods with a
/// completion handler.
open class URLSession: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a Mutex
    // protects the mutable state. A subclass declares its own conformance.

    let parts: Parts
    /// Credentials that servers have accepted, for later tasks. Used by the engine.
    let authenticationCache = Mutex(AuthenticationCache())
    /// The last `flush` or `reset`: older connections are not used.
    let connectionCut = Mutex<ConnectionCut?>(nil)
    /// Servers that were offered HTTP/2 and have chosen HTTP/1.1. Used by the engine.
    let http1Origins = Mutex<Set<Origin>>([])
    /// The delegate and the tasks; see `URLSession+Registry`.
    let taskRegistry = Mutex(TaskRegistry())

    private static let common = URLSession(
        Parts(.standard, CallbackQueue(nil), isShared: true), delegate: nil)

    /// The shared session, for simple requests with completion handlers. It has no delegate and cannot be
    /// invalidated.
    open class var shared: URLSession { common }

    /// Creates a session without a delegate, for completion handlers and async forms.
    public init(configuration: URLSessionConfiguration) {
        parts = Parts(configuration.snapshot, CallbackQueue(nil))
        super.init()
        begin(nil)
    }

    #if Foundation
        /// Creates a session with a delegate.
        ///
        /// - Parameter queue: The queue for all calls of the delegate and of completion handlers; nil creates
        ///   a serial queue. The calls of one task are always made one after the other; calls of different
        ///   tasks may run concurrently if the queue allows it.
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: OperationQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(operations: queue))
            super.init()
            begin(delegate)
        }

        /// Creates a session with a delegate. Not part of Apple's API.
        ///
        /// - Parameter queue: A serial queue; nil creates one.
        @_disfavoredOverload
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: DispatchQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(queue))
            super.init()
            begin(delegate)
        }

        /// The queue for all calls of the delegate and of completion handlers.
        open var delegateQueue: OperationQueue { callbackQueue.operations }
    #else
        /// Creates a session with a delegate.
        ///
        /// - Parameter queue: A serial queue, such as `.main`; nil creates one.
        public init(
            configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
            delegateQueue queue: DispatchQueue?
        ) {
            parts = Parts(configuration.snapshot, CallbackQueue(queue))
            super.init()
            begin(delegate)
        }

        /// The serial queue for all calls of the delegate and of completion handlers.
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

    /// A copy of the session's configuration.
    open var configuration: URLSessionConfiguration { URLSessionConfiguration(settings) }

    /// The session's delegate; nil after invalidation.
    open var delegate: (any URLSessionDelegate)? { taskRegistry.withLock { $0.delegate } }

    /// A description for the caller's own use.
    open var sessionDescription: String? {
        get { taskRegistry.withLock { $0.description } }
        set { taskRegistry.withLock { $0.description = newValue } }
    }

    // MARK: - Life

    /// Invalidates the session when its tasks have completed: notifies the delegate and releases it. Returns
    /// at once. New tasks are cancelled immediately. Has no effect on the shared session.
    open func finishTasksAndInvalidate() {
        guard !isShared else { return }
        taskRegistry.withLock { $0.isInvalidated = true }
        releaseLatest()
        background?.noteInvalidation()
        finishInvalidationIfIdle()
    }

    /// Cancels all tasks, then notifies the delegate and releases it. Returns at once. Has no effect on the
    /// shared session.
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
        releaseLatest()
        finishInvalidationIfIdle()
    }

    // MARK: - Storages

    /// Writes cookies, HSTS hosts and cached responses of completed tasks to disk, makes further requests use
    /// new connections, and then calls the handler on `delegateQueue`.
    open func flush(completionHandler: @escaping @Sendable () -> Void) {
        flushStorages(then: completionHandler)
    }

    /// Empties the session's cookie, HSTS, cache and credential storages, in memory and on disk, forgets
    /// cached credentials, makes further requests use new connections, and then calls the handler on
    /// `delegateQueue`.
    ///
    /// Shared storages, such as those of `.default` configurations, are emptied for all sessions that use
    /// them.
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        emptyStorages(then: completionHandler)
    }

    // MARK: - Tasks

    /// Calls a handler on `delegateQueue` with the tasks that were resumed and are not complete.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenReady { [self] in
            callbackQueue.async { [self] in completionHandler(startedTasks) }
        }
    }

    /// Calls a handler with the same tasks, grouped into data, upload and download tasks.
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

    // MARK: - Resumed downloads

    /// Creates a task that resumes a download and reports to the session's delegate.
    ///
    /// The task requests the remaining bytes on condition that the resource has not changed, and restarts the
    /// download otherwise. It fails with `.cannotDecodeRawData` if the data is damaged or has another format,
    /// and with `.cannotOpenFile` if the partial file is missing or another task is using it.
    open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        downloadTask(DownloadStart(resumeData), for: .fileDelegate)
    }

    /// Creates a task that resumes a download. The file is removed when `completionHandler` returns.
    open func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(
            DownloadStart(resumeData),
            for: .fileHandler(isAwaited: false, OneShot(completionHandler)))
    }

    // MARK: - WebSockets

    /// Creates a task for a WebSocket at a `ws` or `wss` URL.
    open func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        makeWebSocketTask(with: URLRequest(url: url))
    }

    /// Creates a task for a WebSocket with one of several protocols, in order of preference.
    open func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        makeWebSocketTask(with: URLRequest(url: url), protocols: protocols)
    }

    /// Creates a task for a WebSocket with a request's header fields. The method is always GET.
    open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        makeWebSocketTask(with: request)
    }

    // MARK: - Data tasks

    /// Creates a task that reports to the session's delegate.
    open func dataTask(with request: URLRequest) -> URLSessionDataTask {
        dataTask(request, for: .delegate)
    }

    /// Creates a task that loads a URL with GET and reports to the session's delegate.
    open func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// Creates a task that calls `completionHandler` with the body and the response, or with an error. The
    /// delegate still receives redirects.
    open func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(request, for: .dataHandler(isAwaited: false, OneShot(completionHandler)))
    }

    /// Creates a task that loads a URL with GET and calls `completionHandler` with the body.
    open func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    // MARK: - Upload tasks

    /// Creates a task that sends `bodyData`. The request's method should be POST or PUT.
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        uploadTask(request, .data(bodyData), for: .delegate)
    }

    /// Creates a task that sends a file, without loading all of it into memory.
    ///
    /// The file is opened when the task starts. The task fails with `.fileDoesNotExist`, `.fileIsDirectory`
    /// or `.noPermissionsToReadFile`, and with `.requestBodyStreamExhausted` if the file becomes shorter
    /// during the upload.
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        uploadTask(request, .file(fileURL), for: .delegate)
    }

    /// Creates a task that asks its delegate for a body of unknown length.
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        uploadTask(request, .stream, for: .delegate)
    }

    /// Creates a task that sends `bodyData` and calls `completionHandler` with the response.
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            request, .data(bodyData ?? Data()),
            for: .dataHandler(isAwaited: false, OneShot(completionHandler)))
    }

    /// Creates a task that sends a file and calls `completionHandler` with the response.
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            request, .file(fileURL), for: .dataHandler(isAwaited: false, OneShot(completionHandler))
        )
    }

    // MARK: - Download tasks

    /// Creates a task that writes the body to a temporary file and reports to the session's delegate.
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileDelegate)
    }

    /// Creates a task that loads a URL into a temporary file and reports to the session's delegate.
    open func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Creates a task that writes the body to a temporary file, which is removed when `completionHandler`
    /// returns: move or open it before.
    open func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileHandler(isAwaited: false, OneShot(completionHandler)))
    }

    /// Creates a task that loads a URL into a temporary file, which is removed when `completionHandler`
    /// returns.
    open func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}
