import Dispatch
import FoundationEssentials

/// The helper's side of a task: one attempt after another, until it has an end. Owned by the helper,
/// used on its queue alone.
final class HelperTransfer {
    struct ID: Hashable, Sendable {
        var session: String
        var number: Int
    }

    let id: ID
    /// Carries the attempt that is under way.
    var inner: URLSessionTask?
    /// Where the body of the answer goes, from its first byte on.
    var file: HelperFile?
    var resumption: DownloadResumption?
    var answer: HTTPURLResponse?
    /// What the body will have in all; -1 when it is not known.
    var expected: Int64 = -1
    /// The answer's body is dropped, and the whole asked for.
    var asksForWhole = false
    /// How many bytes have moved in this attempt.
    var movedByteCount: Int64 = 0
    /// Progress the program was not told, because it does not read.
    var deferredProgress: BackgroundReply?
    /// What its program was asked and has not answered yet.
    var questions: [Int: Question] = [:]
    var history = BackgroundHistory()
    /// Its result is brought to the disk.
    var isFinishing = false
    /// What has arrived is compared with its marks; which comparison that is.
    var check: Int?
    /// As the program is told of it: an answer with the rest of a body is shown as one with the whole.
    var shownAnswer: BackgroundTaskRecord.Answer?
    /// Of the file an upload is sent from, as the attempt began.
    var stamp: AtomicFile.Stamp?
    /// Whether the server is asked how much has arrived of an upload, and has not said yet.
    var awaitsOffset = false
    /// Whether the journal knows that the body may have been sent whole.
    var hasNotedLastPart = false

    struct Question {
        var trust: ServerTrust?
        var receive: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    }

    private(set) var failedAttempts = 0
    /// When to try again, and when to give up; nanoseconds of the monotonic clock.
    var retryAt: UInt64?
    var deadline: UInt64?

    init(_ id: ID) {
        self.id = id
    }

    /// Whether the answer brings what had not arrived yet.
    var isPart: Bool { resumption != nil && answer?.statusCode == 206 }

    /// Whether nobody is to try any more.
    func isPastDeadline(at now: UInt64) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    var nextWake: UInt64? {
        guard let retryAt else { return deadline }
        return min(retryAt, deadline ?? retryAt)
    }

    /// How long to wait before the next attempt: a tenth of a second after one that has moved
    /// something, doubled with each that has not, up to a minute.
    func nextDelay() -> UInt64 {
        if movedByteCount > 64 << 10 { failedAttempts = 0 }
        defer { failedAttempts += 1 }
        return min(100_000_000 << UInt64(min(failedAttempts, 10)), 60_000_000_000)
    }

    func forgetFailures() {
        failedAttempts = 0
    }

    /// Forgets the last attempt. What has arrived stays in its file.
    func reset() {
        inner = nil
        questions = [:]
        file = nil
        resumption = nil
        answer = nil
        shownAnswer = nil
        check = nil
        stamp = nil
        awaitsOffset = false
        hasNotedLastPart = false
        expected = -1
        asksForWhole = false
        movedByteCount = 0
        retryAt = nil
    }
}

/// Whether it may go better next time, without anybody changing anything.
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
