public import FoundationEssentials
import Synchronization

/// A request of a session and its response.
///
/// A task is suspended when it is created: call `resume()` to start it. All methods can be called from any
/// thread and return at once. A task that was resumed or cancelled completes exactly once.
///
/// Subclass to mock a task. A task created without a session loads nothing.
open class URLSessionTask: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class can be subclassed: every stored property is immutable and Sendable,
    // and a Mutex protects the mutable state.

    /// The state of a task. The raw values are Apple's.
    public enum State: Int, Sendable {
        case running = 0
        case suspended = 1
        case canceling = 2
        case completed = 3
    }

    /// The default priority.
    public static let defaultPriority: Float = 0.5
    /// A priority below the default, for a later place in the queue for a connection.
    public static let lowPriority: Float = 0.25
    /// A priority above the default, for an earlier place in the queue for a connection.
    public static let highPriority: Float = 0.75

    /// The task's number, unique in its session, in the order of creation.
    open var taskIdentifier: Int { identifier }
    /// The request that the task was created with. nil for a task created without a session.
    open var originalRequest: URLRequest? { firstRequest.url == nil ? nil : firstRequest }

    /// The earliest date at which the task starts after `resume()`; nil to start at once. Set it before
    /// `resume()`.
    ///
    /// In Apple's implementation only background sessions use it. At that date, the delegate's
    /// `urlSession(_:task:willBeginDelayedRequest:completionHandler:)` is called, except in background sessions,
    /// whose program may have ended by then.
    open var earliestBeginDate: Date? {
        get { status.withLock { $0.delivery.earliestBeginDate } }
        set { status.withLock { $0.delivery.earliestBeginDate = newValue } }
    }

    /// The number of bytes that the caller expects to send, header included. Improves the task's progress if
    /// the body is a stream.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { status.withLock { $0.counts.clientExpectsToSend } }
        set {
            status.withLock { $0.counts.clientExpectsToSend = newValue }
            updateProgress()
        }
    }

    /// The number of bytes that the caller expects to receive. Improves the task's progress until the server
    /// has sent a length.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { status.withLock { $0.counts.clientExpectsToReceive } }
        set {
            status.withLock { $0.counts.clientExpectsToReceive = newValue }
            updateProgress()
        }
    }

    private let identifier: Int
    let session: URLSession
    let firstRequest: URLRequest
    let source: BodySource
    let receiver: TaskReceiver
    /// The state it resumes from, if it continues an earlier task.
    let start: (any TaskStart)?
    let status: Mutex<TaskStatus>
    /// Whether the delegate of an awaited data task receives its body as well.
    let watchesBody: Bool

    init(
        session: URLSession, identifier: Int, request: URLRequest, source: BodySource,
        receiver: TaskReceiver, delegate: (any URLSessionTaskDelegate)? = nil,
        start: (any TaskStart)? = nil
    ) {
        self.session = session
        self.identifier = identifier
        self.firstRequest = request
        self.source = source
        self.receiver = receiver
        self.start = start
        self.status = Mutex(TaskStatus(request: request, delegate: delegate))
        if case .dataHandler(isAwaited: true, _) = receiver {
            watchesBody = delegate is any URLSessionDataDelegate
        } else {
            watchesBody = false
        }
        super.init()
    }

    /// Creates a task without a session, for subclasses in tests. It has no request, and fails when it is
    /// resumed.
    public override init() {
        session = .shared
        identifier = 0
        firstRequest = .withoutURL
        source = .none
        receiver = .delegate
        start = nil
        status = Mutex(TaskStatus(request: firstRequest, delegate: nil))
        watchesBody = false
        super.init()
    }

    deinit {
        session.forgetUnstarted(identifier)
    }

    // MARK: - Life

    /// The current state of the task.
    open var state: State { status.withLock { $0.life.state } }

    /// Starts the task, or undoes one call of `suspend()`.
    open func resume() {
        changeLife { $0.resume() }
    }

    /// Suspends the task: no bytes are transferred, timers stop, and the delegate is not called until
    /// `resume()` was called as often.
    open func suspend() {
        changeLife { $0.suspend() }
    }

    /// Cancels the task with `URLError.cancelled`, unless it is complete. No other events are reported.
    open func cancel() {
        changeLife { $0.cancel() }
    }

    /// Changes the task's life cycle and carries out the consequence.
    ///
    /// - Parameter along: A change of the status that is made only if the task is cancelled.
    @discardableResult
    func changeLife(
        _ change: (inout TaskLife) -> TaskLife.Consequence,
        along: (inout TaskStatus) -> Void = { _ in }
    ) -> TaskLife.Consequence {
        let consequence = status.withLock { status in
            let consequence = change(&status.life)
            if consequence == .abort {
                let url = status.currentRequest.url ?? firstRequest.url
                status.reports.events.close(
                    with: TaskResult(error: URLError(.cancelled, failingURL: url)))
                // Until the carrier has released the task.
                status.reports.isReportingSuspended = true
                along(&status)
            }
            // Inside the lock, so that it cannot run after completion has unregistered the task.
            if consequence == .abort || consequence == .start { session.retain(self) }
            return consequence
        }
        switch consequence {
        case .nothing:
            break
        case .start:
            carrier.start(self)
        case .pause:
            carrier.lifeChanged(of: self)
        case .proceed:
            carrier.lifeChanged(of: self)
            post()
        case .abort:
            carrier.abort(self)
        }
        return consequence
    }

    // MARK: - Queries

    /// The request being loaded: after a redirect, the new one.
    open var currentRequest: URLRequest? { status.withLock { $0.currentRequest } }
    /// The request a carrier starts with: the first request, or the one that a ``URLProtocol`` has redirected
    /// to.
    var requestToLoad: URLRequest { status.withLock { $0.urlProtocol.request } ?? firstRequest }
    /// The response, once its head has been received.
    open var response: URLResponse? { status.withLock { $0.response } }
    /// The error that the task failed with; set before the completion is reported.
    open var error: (any Error)? { status.withLock { $0.error } }

    /// The number of body bytes received, after decompression.
    open var countOfBytesReceived: Int64 { status.withLock { $0.counts.received } }
    /// The number of body bytes that the server has acknowledged; bytes in the system's buffers do not count.
    open var countOfBytesSent: Int64 { status.withLock { $0.counts.sent } }
    /// The expected length of the request body; -1 if unknown.
    open var countOfBytesExpectedToSend: Int64 { status.withLock { $0.counts.expectedToSend } }
    /// The expected length of the response body; -1 if unknown.
    open var countOfBytesExpectedToReceive: Int64 {
        status.withLock { $0.counts.expectedToReceive }
    }

    /// The task's priority for the next free connection to a host, 0 to 1.
    open var priority: Float {
        get { status.withLock { $0.priority } }
        set {
            let isRunning = status.withLock { status in
                // Not a number equals no other priority in a queue.
                status.priority = newValue.isNaN ? Self.defaultPriority : min(max(newValue, 0), 1)
                return status.life.state == .running
            }
            if isRunning { carrier.priorityChanged(of: self) }
        }
    }

    /// A description for the caller's own use.
    open var taskDescription: String? {
        get { status.withLock { $0.taskDescription } }
        set {
            status.withLock { $0.taskDescription = newValue }
            carrier.descriptionChanged(of: self)
        }
    }

    /// The delegate of this task. Methods that it lacks are called on the session's delegate. The task
    /// retains it until it completes.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { status.withLock { $0.delegate } }
        set { status.withLock { $0.delegate = newValue } }
    }

    /// Returns the task itself.
    open override func copy() -> Any { self }

    /// A description such as `URLSessionDataTask 3, running: GET http://a.test/b`.
    open override var description: String {
        let request = currentRequest ?? firstRequest
        return "\(type(of: self)) \(taskIdentifier), \(state): \(request.summary)"
    }

    // MARK: - Progress

    /// The task's progress, in bytes of both bodies. Observers are called on the session's `delegateQueue`.
    /// Cancelling, pausing and resuming the progress does the same to the task.
    ///
    /// As long as the length of the response is unknown, the total uses `countOfBytesClientExpectsToReceive`,
    /// if that is set. The progress finishes with the whole response: an upload that was sent but not
    /// answered lacks one byte. The progress of a failed task stays unchanged.
    open var progress: Progress { madeProgress }
}

/// The value of a byte count that is unknown.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// The subclasses are unchecked like their superclass, and have no stored properties.

/// A task that delivers the response body in memory, or to the delegate piece by piece.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a body. It delivers the response like a data task.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// The resume data of a resumed upload.
    var resumption: UploadStart? { start as? UploadStart }
}

/// A task that writes the response body to a temporary file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// The resume data of a resumed download.
    var resumption: DownloadStart? { start as? DownloadStart }

    /// Cancels the download, and produces data with which a later task can resume it.
    ///
    /// The resume data is nil if the download cannot be resumed: that takes a GET request, received bytes, and a
    /// server that supports byte ranges, sends a strong `ETag` or a `Last-Modified` before its `Date`, and no
    /// `Content-Encoding` (set `Accept-Encoding: identity` where it would compress). The data can
    /// be saved and used by another process, for 14 days. It does not contain passwords, tokens or cookies:
    /// if the server requires them, pass them to ``URLSession/downloadTask(withResumeData:headers:)``.
    ///
    /// - Parameter completionHandler: Called once on the session's `delegateQueue`, before the task
    ///   completes. The error of the completion contains the resume data, too.
    open func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void
    ) {
        cancel(producing: completionHandler)
    }
}
