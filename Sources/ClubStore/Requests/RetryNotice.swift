/// That a request is going to be sent again, or that its answer is late: for the caller that waits for it.
///
/// ```swift
/// let file = await RetryNotice.$observer.withValue({ print($0.wait) }) {
///     await result { try await store.fetch(path) }
/// }
/// ```
public struct RetryNotice: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// Too many requests: 429, or the API's own words for it.
        case busy
        /// The server cannot answer for now: 502, 503, 504.
        case unavailable
        /// Another program keeps the file locked: 423.
        case locked
        /// Any other 5xx.
        case failed
        /// No connection could be made: the club's computer is off, refuses it, or is not found.
        case unreachable
        /// The connection broke, or the response took too long.
        case disconnected
        /// No byte has moved for this long; the request is still waiting for its response.
        case silent(Duration)
    }

    public var reason: Reason

    /// How long until the request is sent again; after ``Reason/silent``, until it fails if nothing arrives.
    public var wait: Duration

    /// Told on any thread, of the requests that its task makes: before each wait of a second or more, and while a
    /// server is silent.
    @TaskLocal public static var observer: (@Sendable (RetryNotice) -> Void)?

    public init(reason: Reason, wait: Duration) {
        self.reason = reason
        self.wait = wait
    }

    /// Tells the task's observer, where there is one and the wait is long enough to be noticed.
    static func post(_ failure: RetryPolicy.Failure, wait: Duration) {
        guard wait >= .seconds(1), let observer else { return }
        let reason: Reason =
            switch failure {
            case .busy, .status(429, _), .status(509, _): .busy
            case .status(423, _): .locked
            case .status(425, _), .status(502...504, _): .unavailable
            case .status: .failed
            case .unreachable: .unreachable
            case .broken, .timedOut: .disconnected
            }
        observer(RetryNotice(reason: reason, wait: wait))
    }
}
