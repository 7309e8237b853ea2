import FoundationEssentials
import Synchronization

/// One request of a session and its answer.
///
/// Made suspended: nothing happens before `resume()`. All methods may be called from any thread and
/// return at once. Each task that was resumed or cancelled completes exactly once.
public class URLSessionTask: @unchecked Sendable {
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
    public let taskIdentifier: Int
    /// The request as it was given. nil only for a task made by hand.
    public var originalRequest: URLRequest? { firstRequest }

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
        self.taskIdentifier = identifier
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
    }

    deinit {
        session.forgetUnstarted(taskIdentifier)
    }

    // MARK: - Life

    /// How far it is.
    public var state: State { status.withLock { $0.life.state } }

    /// Starts the task, or undoes one `suspend()`.
    public func resume() {
        changeLife { $0.resume() }
    }

    /// Holds the task: no byte moves, no timer runs, no call goes out until as many `resume()` calls.
    public func suspend() {
        changeLife { $0.suspend() }
    }

    /// Ends the task with `URLError.cancelled`, unless it is over. Nothing is reported in between.
    public func cancel() {
        changeLife { $0.cancel() }
    }

    // MARK: - What is known

    /// The request on its way now: after a redirect, the new one.
    public var currentRequest: URLRequest? { status.withLock { $0.currentRequest } }
    /// What a carrier begins with: the first request, or where a ``URLProtocol`` has led from there.
    var requestToLoad: URLRequest { status.withLock { $0.urlProtocol.request } ?? firstRequest }
    /// The head of the answer, once it has come.
    public var response: URLResponse? { status.withLock { $0.response } }
    /// Why the task failed; set before its completion is reported.
    public var error: (any Error)? { status.withLock { $0.error } }

    /// How much of the body has come, without any compression.
    public var countOfBytesReceived: Int64 { status.withLock { $0.counts.received } }
    /// How much of the body was handed to the system.
    public var countOfBytesSent: Int64 { status.withLock { $0.counts.sent } }
    /// -1 when it is not known.
    public var countOfBytesExpectedToSend: Int64 { status.withLock { $0.counts.expectedToSend } }
    /// -1 when it is not known.
    public var countOfBytesExpectedToReceive: Int64 {
        status.withLock { $0.counts.expectedToReceive }
    }

    /// From 0 to 1: which task gets the next free connection to a host.
    public var priority: Float {
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
    public var taskDescription: String? {
        get { status.withLock { $0.taskDescription } }
        set {
            status.withLock { $0.taskDescription = newValue }
            carrier.descriptionChanged(of: self)
        }
    }

    /// Gets the events of this task; those it has no method for go to the session's delegate. Held until the
    /// task has completed.
    public var delegate: (any URLSessionTaskDelegate)? {
        get { status.withLock { $0.delegate } }
        set { status.withLock { $0.delegate = newValue } }
    }
}

/// The length of a transfer when it is not known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

extension URLSessionTask: Hashable {
    public static func == (one: URLSessionTask, other: URLSessionTask) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// The same task, as with Apple's: there is never a second one.
    public func copy() -> Any { self }

    /// Whether `object` is this task.
    public func isEqual(_ object: Any?) -> Bool { (object as? URLSessionTask) === self }
}

// The kinds of tasks are unchecked as their superclass is, and add nothing that is stored.

/// Brings the answer's body into memory, or to the delegate piece by piece.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// Sends a body, and treats the answer as a data task does.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
    /// What an upload begins with that goes on.
    var resumption: UploadStart? { start as? UploadStart }
}

/// Brings the answer's body into a temporary file.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// What a download begins with that goes on.
    var resumption: DownloadStart? { start as? DownloadStart }
}
