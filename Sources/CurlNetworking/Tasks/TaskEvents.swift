import FoundationEssentials

/// An event that a task reports to its delegate or completion handler.
enum TaskEvent: Sendable {
    /// Asks for the body from an offset.
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
    /// A download continues after the existing bytes.
    case resumed(at: Int64, expected: Int64)
    /// The body is sent again, from this offset.
    case sendsAgain(from: Int64)
    case delayed(URLRequest, Reply<DelayedRequest>)
    case becameDownload(URLSessionDownloadTask)
    /// The body of a download is complete.
    case downloaded(TemporaryFile)
    case metrics
    case completed(TaskResult)
}

extension TaskEvent {
    var isFile: Bool {
        if case .downloaded = self { true } else { false }
    }
}

/// The result of a task.
struct TaskResult: Sendable {
    var error: URLError?
    /// An error of a ``URLProtocol`` that is not a `URLError`. It is reported unchanged.
    var foreignError: (any Error)?
    /// The body, for a task with a completion handler.
    var data: Data?
    /// The body of a download. The file is removed with the last reference to it.
    var file: TemporaryFile?
}

extension TaskResult {
    /// The error that is reported.
    var reportedError: (any Error)? { error ?? foreignError }
}

/// The answer to a question to the delegate. Only the first call counts.
final class Reply<Answer: Sendable>: Sendable {
    private let receiver: OneShot<@Sendable (Answer) -> Void>

    init(_ receiver: @escaping @Sendable (Answer) -> Void) {
        self.receiver = OneShot(receiver)
    }

    func callAsFunction(_ answer: Answer) {
        receiver.take()?(answer)
    }
}

/// The queue of events to report. New progress replaces unreported progress, and small pieces of body are
/// joined.
///
/// File and metrics are added with the completion and are reported before it: a task that is cancelled before
/// that was not complete. Nothing is added after the completion. Cancelling removes all events except for
/// metrics and the completion.
struct TaskEvents: Sendable {
    private var events: [TaskEvent] = []
    private var next = 0
    private var isClosed = false
    private var hasReportedMetrics = false

    /// The maximum length up to which pieces are joined.
    static let joinedByteCount = 256 << 10

    var isEmpty: Bool { next == events.count }

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
            events.removeLast()  // makes `data` the only reference, so that it grows in place
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
        events[next] = .sent(total: 0, expected: 0)  // releases our reference to a body
        next += 1
        if isEmpty {
            events.removeAll(keepingCapacity: true)
            next = 0
        }
        return event
    }

    /// Changes the task's result if it was not reported yet.
    mutating func amendCompletion(_ change: (inout TaskResult) -> Void) {
        guard !isEmpty, case .completed(var result)? = events.last else { return }
        change(&result)
        events[events.count - 1] = .completed(result)
    }

    /// Replaces unreported events by a completion; keeps the metrics.
    mutating func close(with result: TaskResult) {
        events = hasReportedMetrics ? [.completed(result)] : [.metrics, .completed(result)]
        next = 0
        isClosed = true
    }
}
