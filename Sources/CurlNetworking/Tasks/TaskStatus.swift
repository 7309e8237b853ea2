import CurlNetworkingNames
import FoundationEssentials

/// The mutable state of a task, protected by its lock.
struct TaskStatus: Sendable {
    var life = TaskLife()
    var reports = Reports()
    var counts = ByteCounts()
    var metrics = Metrics()

    var currentRequest: URLRequest
    var response: URLResponse?
    /// The trailers of a chunked body.
    var trailers: [HTTPHeaderFields.Field] = []
    var error: (any Error)?
    var urlProtocol = ProtocolProgress()
    var succession = Succession()

    let created = Date()
    var delivery = Delivery()
    /// Created when it is first requested.
    var progress: TaskProgress?
    var priority = URLSessionTask.defaultPriority
    var taskDescription: String?
    var delegate: (any URLSessionTaskDelegate)?

    init(request: URLRequest, delegate: (any URLSessionTaskDelegate)?) {
        currentRequest = request.withoutCredentials
        self.delegate = delegate
    }

    /// How and when the task's data is to be transferred.
    struct Delivery: Sendable {
        var earliestBeginDate: Date?
        var isIncremental = true
        /// The limit for the request body, in bytes per second.
        var maximumSendingRate: Int64?
        /// The limit for the response body, in bytes per second.
        var maximumReceivingRate: Int64?
        /// The end of the request body that is held back; nil if nothing is.
        var heldPart: HeldPart?
    }

    /// The events to report, and what was reported.
    struct Reports: Sendable {
        var events = TaskEvents()
        var flow = FlowControl()
        /// Whether a turn on the delegate's queue is running or scheduled.
        var isReporting = false
        /// Whether reporting is suspended for an internal reason.
        var isReportingSuspended = false
        /// The reported counts of sent and written bytes, from which differences are calculated.
        var sent: Int64 = 0
        var written: Int64 = 0
        /// The body so far, for a delegate that watches an awaited task.
        var body = Data()
        /// The closures to call with resume data when cancelling has finished.
        var resumeDataReceivers: [@Sendable (Data?) -> Void] = []
    }

    /// The numbers of bytes transferred and expected.
    struct ByteCounts: Sendable {
        var received: Int64 = 0
        /// Acknowledged by the server, as far as is known.
        var sent: Int64 = 0
        /// Handed to the system; the server may have received them.
        var handedOver: Int64 = 0
        /// -1 if unknown.
        var expectedToSend: Int64 = 0
        /// -1 if unknown.
        var expectedToReceive: Int64 = 0
        /// The bytes of a download that an earlier task has received.
        var resumedOffset: Int64 = 0
        /// What the caller expects; -1 if it was not set.
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    }

    struct Metrics: Sendable {
        var transactions: [TransactionFacts] = []
        var followedRedirects = 0
        /// The number of the last traced attempt.
        var lastAttempt = 0
    }

    /// The state of a task that a ``URLProtocol`` loads.
    struct ProtocolProgress: Sendable {
        /// The request that it has redirected to, if any.
        var request: URLRequest?
        /// The running load.
        var load: ProtocolLoad?
    }

    /// The conversion of a data task to a download task.
    struct Succession: Sendable {
        var successor: URLSessionDownloadTask?
        var predecessor: URLSessionTask?
    }
}
