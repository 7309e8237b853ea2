import FoundationEssentials

/// What changes in a task, behind its lock.
struct TaskStatus: Sendable {
    var life = TaskLife()
    var events = TaskEvents()
    var flow = FlowControl()
    /// Whether a turn on the delegate's queue is under way or asked for.
    var isReporting = false
    /// Whether nothing may be told, for a reason of ours.
    var isHeldBack = false
    /// Who asked for resume data while cancelling.
    var resumeDataReceivers: [@Sendable (Data?) -> Void] = []

    var currentRequest: URLRequest
    var response: URLResponse?
    var error: (any Error)?
    /// Where a ``URLProtocol`` has led; nil when nowhere.
    var ledToRequest: URLRequest?
    /// The loader of one's own that loads the task, while it does.
    var protocolLoad: ProtocolLoad?
    var receivedByteCount: Int64 = 0
    var sentByteCount: Int64 = 0
    var expectedToSend: Int64 = 0
    var expectedToReceive: Int64 = 0
    /// What the delegate was last told, to tell it differences.
    var reportedSent: Int64 = 0
    var reportedWritten: Int64 = 0

    let created = Date()
    var earliestBeginDate: Date?
    /// What a data task has become.
    var successor: URLSessionDownloadTask?
    var predecessor: URLSessionTask?
    /// What an earlier task had brought of a download.
    var resumedOffset: Int64 = 0
    var transactions: [TransactionFacts] = []
    var followedRedirects = 0
    var prefersIncrementalDelivery = true
    /// What its user thinks how long the bodies are; -1 when they said nothing.
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    /// Made when somebody asks for it.
    var progress: Progress?
    /// The body so far that a watching delegate was told of.
    var collected = Data()

    var priority = URLSessionTask.defaultPriority
    var taskDescription: String?
    var delegate: (any URLSessionTaskDelegate)?

    init(request: URLRequest, delegate: (any URLSessionTaskDelegate)?) {
        currentRequest = request.withoutCredentials
        self.delegate = delegate
    }
}
