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

    let parts: Parts
    /// What has proved who we are, for later tasks. Used by the engine.
    let authenticationCache = Mutex(AuthenticationCache())
    /// The last `flush` or `reset`: no connection from before it is used again.
    let connectionCut = Mutex<ConnectionCut?>(nil)
    /// Servers that were offered HTTP/2 and have chosen HTTP/1.1. Used by the engine.
    let http1Origins = Mutex<Set<Origin>>([])
    /// The delegate, and the tasks: see `URLSession+Registry`.
    let taskRegistry = Mutex(TaskRegistry())

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

    // MARK: - Its tasks

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
}
