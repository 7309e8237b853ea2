import FoundationEssentials
import Synchronization

/// One request of a session and its answer.
///
/// Made suspended: nothing happens before `resume()`. All methods may be called from any thread and
/// return at once. Each task that was resumed or cancelled completes exactly once.
///
/// Subclasses may override what a test wants to say or to be told: a task that somebody has made, and no
/// session, loads nothing.
open class URLSessionTask: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class has subclasses: every stored property is immutable and
    // Sendable, and what changes sits in one Mutex.

    /// The numbers are Apple's.
    public enum State: Int, Sendable {
        case running = 0
        case suspended = 1
        case canceling = 2
        case completed = 3
    }

    /// What a task has unless it is set.
    public static let defaultPriority: Float = 0.5
    /// Behind the others in line for a connection.
    public static let lowPriority: Float = 0.25
    /// In front of the others in line for a connection.
    public static let highPriority: Float = 0.75

    /// Unique in the session, in the order of creation.
    open var taskIdentifier: Int { identifier }
    /// The request as it was given. nil only for a task made by hand.
    open var originalRequest: URLRequest? { firstRequest }

    private let identifier: Int
    let session: URLSession
    let firstRequest: URLRequest
    let source: BodySource
    let receiver: TaskReceiver
    /// What it begins with, if it goes on where another task has stopped.
    let start: (any TaskStart)?
    let status: Mutex<TaskStatus>
    /// Whether the delegate of an awaited data task gets the body, too, piece by piece.
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

    /// A task of no session, for a subclass in a test: it has no request, and nothing happens when it is
    /// resumed but that it fails.
    public override init() {
        session = .shared
        identifier = 0
        var request = URLRequest(url: URL(filePath: "/"))
        request.url = nil
        firstRequest = request
        source = .none
        receiver = .delegate
        start = nil
        status = Mutex(TaskStatus(request: request, delegate: nil))
        watchesBody = false
        super.init()
    }

    deinit {
        session.forgetUnstarted(identifier)
    }

    // MARK: - Life

    /// How far it is.
    open var state: State { status.withLock { $0.life.state } }

    /// Starts the task, or undoes one `suspend()`.
    open func resume() {
        changeLife { $0.resume() }
    }

    /// Holds the task: no byte moves, no timer runs, no call goes out until as many `resume()` calls.
    open func suspend() {
        changeLife { $0.suspend() }
    }

    /// Ends the task with `URLError.cancelled`, unless it is over. Nothing is reported in between.
    open func cancel() {
        changeLife { $0.cancel() }
    }

    /// Makes a change of the task's life and carries out what follows from it.
    ///
    /// - Parameter along: What a cancellation changes with it.
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
                status.reports.isHeldBack = true  // until the carrier has let go
                along(&status)
            }
            // Inside the lock, so that it cannot come after the completion has struck us off.
            if consequence == .abort || consequence == .start { session.hold(self) }
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

    // MARK: - What is known

    /// The request on its way now: after a redirect, the new one.
    open var currentRequest: URLRequest? { status.withLock { $0.currentRequest } }
    /// What a carrier begins with: the first request, or where a ``URLProtocol`` has led from there.
    var requestToLoad: URLRequest { status.withLock { $0.urlProtocol.request } ?? firstRequest }
    /// The head of the answer, once it has come.
    open var response: URLResponse? { status.withLock { $0.response } }
    /// Why the task failed; set before its completion is reported.
    open var error: (any Error)? { status.withLock { $0.error } }

    /// How much of the body has come, without any compression.
    open var countOfBytesReceived: Int64 { status.withLock { $0.counts.received } }
    /// How much of the body the server has taken: what waits in the system's buffers does not count.
    open var countOfBytesSent: Int64 { status.withLock { $0.counts.sent } }
    /// -1 when it is not known.
    open var countOfBytesExpectedToSend: Int64 { status.withLock { $0.counts.expectedToSend } }
    /// -1 when it is not known.
    open var countOfBytesExpectedToReceive: Int64 {
        status.withLock { $0.counts.expectedToReceive }
    }

    /// From 0 to 1: which task gets the next free connection to a host.
    open var priority: Float {
        get { status.withLock { $0.priority } }
        set {
            let isRunning = status.withLock { status in
                status.priority = min(max(newValue, 0), 1)
                return status.life.state == .running
            }
            if isRunning { carrier.priorityChanged(of: self) }
        }
    }

    /// Whatever its user wants to remember of it.
    open var taskDescription: String? {
        get { status.withLock { $0.taskDescription } }
        set {
            status.withLock { $0.taskDescription = newValue }
            carrier.descriptionChanged(of: self)
        }
    }

    /// Gets the events of this task; those it has no method for go to the session's delegate. Held until the
    /// task has completed.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { status.withLock { $0.delegate } }
        set { status.withLock { $0.delegate = newValue } }
    }

    /// The same task: there is never a second one.
    open override func copy() -> Any { self }

    /// `URLSessionDataTask 3, running: GET http://a.test/b`.
    open override var description: String {
        let request = currentRequest ?? firstRequest
        return "\(type(of: self)) \(taskIdentifier), \(state): \(request.summary)"
    }

    // MARK: - Progress

    /// How far the task has come, in bytes of both bodies. Observers are called on the session's
    /// `delegateQueue`. Cancelling, pausing and resuming it does the same to the task.
    ///
    /// While the length of an answer is not known the total is what `countOfBytesClientExpectsToReceive`
    /// says, or nothing. It is finished when the whole answer is there: an upload that has left, but was
    /// not answered, lacks one byte. A task that fails stays where it was.
    open var progress: Progress { madeProgress }
}

/// The length of a transfer when it is not known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// The kinds of tasks are unchecked as their superclass is, and add nothing that is stored.

/// Brings the answer's body into memory, or to the delegate piece by piece.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// Sends a body, and treats the answer as a data task does.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// What an upload begins with that goes on.
    var resumption: UploadStart? { start as? UploadStart }
}

/// Brings the answer's body into a temporary file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// What a download begins with that goes on.
    var resumption: DownloadStart? { start as? DownloadStart }
}
