import FoundationEssentials

/// Something a task has to report to its delegate or completion handler.
enum TaskEvent: Sendable {
    /// From an offset of the body on.
    case needsRestOfBody(from: Int64, Reply<BodyStream?>)
    case needsBodyStream(Reply<BodyStream?>)
    case sent(total: Int64, expected: Int64)
    case redirect(HTTPURLResponse, proposal: URLRequest, Reply<URLRequest?>)
    case challenge(
        URLAuthenticationChallenge, AuthenticationAction.Audience, Reply<ChallengeAnswer>)
    case response(URLResponse, Reply<URLSession.ResponseDisposition>)
    case data(Data)
    case wrote(total: Int64, expected: Int64)
    case waitsForConnectivity
    case willCache(CachedURLResponse, Reply<CachedURLResponse?>)
    case informational(HTTPURLResponse)
    /// A download goes on behind what is there.
    case resumed(at: Int64, expected: Int64)
    /// The body is sent again, from here.
    case sendsAgain(from: Int64)
    case delayed(URLRequest, Reply<DelayedRequest>)
    case becameDownload(URLSessionDownloadTask)
    /// The body of a download is whole.
    case downloaded(TemporaryFile)
    case metrics
    case completed(TaskResult)
}

extension TaskEvent {
    var isFile: Bool {
        if case .downloaded = self { true } else { false }
    }
}

/// How a task ended.
struct TaskResult: Sendable {
    var error: URLError?
    /// An error of a ``URLProtocol`` that is no `URLError`: it is reported as it is.
    var foreignError: (any Error)?
    /// The body of a task with a completion handler.
    var data: Data?
    /// The body of a download. The file is gone with the last reference to it.
    var file: TemporaryFile?
}

extension TaskResult {
    /// The error that is reported.
    var reportedError: (any Error)? { error ?? foreignError }
}

/// The answer to a question put to the delegate; only the first one counts.
final class Reply<Answer: Sendable>: Sendable {
    private let receiver: OneShot<@Sendable (Answer) -> Void>

    init(_ receiver: @escaping @Sendable (Answer) -> Void) {
        self.receiver = OneShot(receiver)
    }

    func callAsFunction(_ answer: Answer) {
        receiver.take()?(answer)
    }
}

/// What waits to be reported, in order, with the joins that keep it short: progress that was not reported yet
/// is replaced by newer progress, and small pieces of body are joined.
///
/// File and metrics enter with the completion and are reported before it: a task that is cancelled in
/// between was not complete yet. Nothing enters behind the completion, and a cancelled queue holds the
/// completion alone, with metrics that were not reported.
struct TaskEvents: Sendable {
    private var events: [TaskEvent] = []
    private var next = 0
    private var isClosed = false
    private var hasReportedMetrics = false

    /// Pieces of body are joined up to this size.
    static let joinedByteCount = 256 << 10

    var isEmpty: Bool { next == events.count }

    /// Whether the task's completion is in, or was taken out.
    var hasCompletion: Bool { isClosed }

    mutating func append(_ event: TaskEvent) {
        guard !isClosed else { return }
        switch (event, isEmpty ? nil : events.last) {
        case (.completed(let result), _):
            isClosed = true
            if result.reportedError == nil, let file = result.file {
                events.append(.downloaded(file))
            }
            events += [.metrics, event]
        case (.data(let more), .data(var data)?)
        where data.count + more.count <= Self.joinedByteCount:
            events.removeLast()  // so that `data` is the only owner and grows in place
            data.append(more)
            events.append(.data(data))
        case (.sent, .sent?), (.wrote, .wrote?):
            events[events.count - 1] = event
        default:
            events.append(event)
        }
    }

    mutating func takeFirst() -> TaskEvent? {
        guard !isEmpty else { return nil }
        let event = events[next]
        if case .metrics = event { hasReportedMetrics = true }
        events[next] = .sent(total: 0, expected: 0)  // gives up our reference to a body
        next += 1
        if isEmpty {
            events.removeAll(keepingCapacity: true)
            next = 0
        }
        return event
    }

    /// Changes how the task ended, as long as it was not reported.
    mutating func amendCompletion(_ change: (inout TaskResult) -> Void) {
        guard !isEmpty, case .completed(var result)? = events.last else { return }
        change(&result)
        events[events.count - 1] = .completed(result)
    }

    /// Forgets what was not reported yet, except for how the task went and ended.
    mutating func close(with result: TaskResult) {
        events = hasReportedMetrics ? [.completed(result)] : [.metrics, .completed(result)]
        next = 0
        isClosed = true
    }
}
