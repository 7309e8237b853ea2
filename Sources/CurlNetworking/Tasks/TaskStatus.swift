import CurlNetworkingNames
import FoundationEssentials

/// What changes in a task, behind its lock.
struct TaskStatus: Sendable {
    var life = TaskLife()
    var reports = Reports()
    var counts = ByteCounts()
    var metrics = Metrics()

    var currentRequest: URLRequest
    var response: URLResponse?
    /// What came behind a chunked body.
    var trailers: [HTTPHeaderFields.Field] = []
    var error: (any Error)?
    var urlProtocol = ProtocolProgress()
    var succession = Succession()

    let created = Date()
    var delivery = Delivery()
    /// Made when somebody asks for it.
    var progress: TaskProgress?
    var priority = URLSessionTask.defaultPriority
    var taskDescription: String?
    var delegate: (any URLSessionTaskDelegate)?

    init(request: URLRequest, delegate: (any URLSessionTaskDelegate)?) {
        currentRequest = request.withoutCredentials
        self.delegate = delegate
    }

    /// When its user wants what.
    struct Delivery: Sendable {
        var earliestBeginDate: Date?
        var isIncremental = true
        /// Of the body that is sent, in bytes per second.
        var maximumSendingRate: Int64?
        /// Of the body that comes, in bytes per second.
        var maximumReceivingRate: Int64?
    }

    /// What waits to be reported to the delegate or handler, and what it has heard.
    struct Reports: Sendable {
        var events = TaskEvents()
        var flow = FlowControl()
        /// Whether a turn on the delegate's queue is under way or asked for.
        var isReporting = false
        /// Whether nothing may be reported for a reason of the session's own.
        var isHeldBack = false
        /// How much was reported as sent and as written, to report differences.
        var sent: Int64 = 0
        var written: Int64 = 0
        /// The body so far that a watching delegate has got.
        var body = Data()
        /// Who asked for resume data while cancelling.
        var resumeDataReceivers: [@Sendable (Data?) -> Void] = []
    }

    /// Of the bodies.
    struct ByteCounts: Sendable {
        var received: Int64 = 0
        /// What the server has taken, as far as is known.
        var sent: Int64 = 0
        /// What it may have, because it has left this process.
        var handedOver: Int64 = 0
        /// -1 when it is not known.
        var expectedToSend: Int64 = 0
        /// -1 when it is not known.
        var expectedToReceive: Int64 = 0
        /// What an earlier task had received of a download.
        var resumedOffset: Int64 = 0
        /// How long its user expects the bodies to be; -1 when they said nothing.
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    }

    struct Metrics: Sendable {
        var transactions: [TransactionFacts] = []
        var followedRedirects = 0
        /// Of the attempts that were traced.
        var lastAttempt = 0
    }

    /// A task that a ``URLProtocol`` loads.
    struct ProtocolProgress: Sendable {
        /// Where it has led; nil when nowhere.
        var request: URLRequest?
        /// What loads the task, while it does.
        var load: ProtocolLoad?
    }

    /// A data task that becomes a download task.
    struct Succession: Sendable {
        var successor: URLSessionDownloadTask?
        var predecessor: URLSessionTask?
    }
}
