import Dispatch
import FoundationEssentials

/// The helper's side of a task, with its attempts until it completes. Owned by the helper, used on its
/// queue only.
final class HelperTransfer {
    struct ID: Hashable, Sendable {
        var session: String
        var number: Int
    }

    let id: ID
    var attempt = Attempt()
    /// Progress that was not sent yet because the program is not reading, or not connected.
    var deferredProgress: BackgroundReply?
    var history = BackgroundHistory()
    /// Whether its result is being synced.
    var isFinishing = false
    private(set) var failedAttempts = 0
    /// When to try again, and when to give up; nanoseconds of the monotonic clock.
    var retryAt: UInt64?
    var deadline: UInt64?

    /// The state of one attempt.
    struct Attempt {
        /// The task that performs it; nil while the partial file is being verified.
        var inner: URLSessionTask?
        /// The file of the response body.
        var file: HelperFile?
        var resumption: DownloadResumption?
        var answer: HTTPURLResponse?
        /// The response as reported to the program: a 206 with the rest of a body is shown as the whole.
        var shownAnswer: BackgroundTaskRecord.Answer?
        /// The expected length of the whole body; -1 when unknown.
        var expected: Int64 = -1
        /// Whether the response is dropped and the whole body requested.
        var asksForWhole = false
        /// How many bytes were transferred.
        var movedByteCount: Int64 = 0
        /// Challenges that the program has not answered yet.
        var questions: [Int: Question] = [:]
        /// The number of the verification of its part that is running.
        var check: Int?
        /// The version of the uploaded file when the attempt began.
        var stamp: AtomicFile.Stamp?
        /// Whether the server has not yet answered how much of an upload it has.
        var awaitsOffset = false

        /// Whether the response is the rest of the body.
        var isPart: Bool { resumption != nil && answer?.statusCode == 206 }
        /// The length of the whole body, when the response is its rest; nil when that is unknown.
        var total: Int64? { isPart && expected >= 0 ? expected : nil }
    }

    struct Question {
        var trust: ServerTrust?
        var receive: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    }

    init(_ id: ID) {
        self.id = id
    }

    /// Whether the resource timeout is over.
    func isPastDeadline(at now: UInt64) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    var nextWake: UInt64? {
        guard let retryAt else { return deadline }
        return min(retryAt, deadline ?? retryAt)
    }

    /// The backoff in nanoseconds: a tenth of a second after an attempt with progress, doubled after each one
    /// without, up to a minute.
    func nextDelay() -> UInt64 {
        if attempt.movedByteCount > 64 << 10 { failedAttempts = 0 }
        defer { failedAttempts += 1 }
        return min(100_000_000 << UInt64(min(failedAttempts, 10)), 60_000_000_000)
    }

    func forgetFailures() {
        failedAttempts = 0
    }

    /// Forgets the last attempt. What has arrived stays in its file.
    func reset() {
        attempt = Attempt()
        deferredProgress = nil
        retryAt = nil
    }
}

/// Whether a retry may succeed without any change.
extension URLError {
    var isPassing: Bool {
        switch code {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .dnsLookupFailed, .notConnectedToInternet, .internationalRoamingOff, .callIsActive,
            .dataNotAllowed:
            true
        default: false
        }
    }
}
