/// Decides whether to retry a failed request, and after how long.
///
/// A value without a clock: given a failure, it returns a delay, or nil to give up.
/// Everything is bounded, so that no screen waits an hour without a message.
struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of attempts for one request.
    var attempts = 5

    /// The maximum delay after the first 5xx response; doubled each time.
    var firstBackoff: Duration = .seconds(1)

    /// The delay when the server is busy without saying how long.
    var waitWhenBusy: Duration = .seconds(5)

    /// The minimum delay from the second one on where the server says how long to wait.
    var shortestRepeatedWait: Duration = .seconds(1)

    /// The maximum total delay for one request. A longer `Retry-After` is passed to the
    /// caller instead.
    var longestWaiting: Duration = .seconds(30)

    /// The maximum number of reconnections for one request.
    var reconnections = 1

    /// The delay before the first reconnection; quadrupled for each further one.
    var waitToReconnect: Duration = .milliseconds(200)

    enum Failure: Hashable, Sendable {
        /// An unsuccessful HTTP response.
        case status(Int, retryAfter: Duration?)

        /// Temporarily rejected by an API error (`too_many_write_operations`); nothing
        /// was changed.
        case busy(retryAfter: Duration?)

        /// No connection was established: the request cannot have arrived.
        case unreachable

        /// The connection was lost or the response is invalid: the request may have
        /// arrived.
        case broken

        /// Timed out. Not retried: the caller has waited long enough.
        case timedOut

        /// Whether the server said how long to wait.
        fileprivate var hasPause: Bool {
            switch self {
            case .status(_, let retryAfter), .busy(let retryAfter): retryAfter != nil
            case .unreachable, .broken, .timedOut: false
            }
        }
    }

    /// The retries used for one request so far.
    struct Spent: Hashable, Sendable {
        var attempts = 0
        var waiting: Duration = .zero
        var connectionFailures = 0
    }

    /// Decides after a failure.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether the request is idempotent, so that one which may have
    ///     arrived can be sent again.
    ///   - spent: This request's retries; starts empty.
    ///   - jitter: A random value from 0 up to 1, so that many clients do not retry at
    ///     once.
    /// - Returns: The delay before the retry; nil to give up.
    func wait(
        after failure: Failure, isRepeatable: Bool, spent: inout Spent, jitter: Double
    ) -> Duration? {
        spent.attempts += 1
        guard spent.attempts < attempts else { return nil }
        var wait: Duration
        switch failure {
        case .status(429, let retryAfter), .busy(let retryAfter):
            wait = retryAfter ?? waitWhenBusy
        case .status(let status, let retryAfter)
        where Self.isForNow(status) || (isRepeatable && Self.mayPass(status)):
            wait = retryAfter ?? firstBackoff * Double(1 << (spent.attempts - 1)) * jitter
        case .status, .timedOut:
            return nil
        case .unreachable, .broken:
            guard failure == .unreachable || isRepeatable else { return nil }
            spent.connectionFailures += 1
            guard spent.connectionFailures <= reconnections else { return nil }
            wait = waitToReconnect * (1 << (2 * (spent.connectionFailures - 1)))
        }
        // A server may ask for no pause once.
        if failure.hasPause, spent.attempts > 1 { wait = max(wait, shortestRepeatedWait) }
        guard spent.waiting + wait <= longestWaiting else { return nil }
        spent.waiting += wait
        return wait
    }

    /// Whether the status says that the server did nothing but may do so later: locked, too early,
    /// unavailable, bandwidth limit.
    private static func isForNow(_ status: Int) -> Bool {
        [423, 425, 503, 509].contains(status)
    }

    /// Whether the failure may be temporary. Not for missing features, a full disk, or a network
    /// that requires signing in.
    private static func mayPass(_ status: Int) -> Bool {
        status >= 500 && ![501, 505, 507, 508, 511].contains(status)
    }
}
