/// When a failed request is worth sending again, and how long to wait before.
///
/// A value without a clock: given a failure it answers with a wait, or with nil to give up.
/// Everything is bounded, so that a person never looks at a screen that waits for an hour
/// without saying so.
struct RetryPolicy: Hashable, Sendable {
    /// How often to send one request, at most.
    var attempts = 5

    /// How long to wait after the first answer 5xx, at most; doubled each time.
    var firstBackoff: Duration = .seconds(1)

    /// How long to wait where the server is busy and does not say how long.
    var waitWhenBusy: Duration = .seconds(5)

    /// The longest that all waits for one request may take together. A server that asks for
    /// more is not waited for: its wish is told to the caller instead.
    var longestWaiting: Duration = .seconds(30)

    /// How often to connect anew for one request, at most.
    var reconnections = 1

    /// How long to wait before the first attempt to connect anew; four times as long before
    /// each further one.
    var waitToReconnect: Duration = .milliseconds(200)

    enum Failure: Hashable, Sendable {
        /// An HTTP answer that is no success.
        case status(Int, retryAfter: Duration?)

        /// Refused for now by an error in the API's own terms
        /// (`too_many_write_operations`); nothing was done.
        case busy(retryAfter: Duration?)

        /// No connection came about: the request cannot have arrived.
        case unreachable

        /// The connection broke or gave no sensible answer: the request may have arrived.
        case broken

        /// No answer in time. Not repeated: whoever waits has waited long enough.
        case timedOut
    }

    /// What has been spent on one request so far.
    struct Spent: Hashable, Sendable {
        var attempts = 0
        var waiting: Duration = .zero
        var connectionFailures = 0
    }

    /// Decides after a failure.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether doing it twice is as good as once, so that a request which
    ///     may have arrived can be sent again.
    ///   - spent: Kept for this request between failures; starts empty.
    ///   - jitter: At random from 0 up to 1, so that many clients do not come back at once.
    /// - Returns: How long to wait before sending it again; nil to give up.
    func wait(
        after failure: Failure, isRepeatable: Bool, spent: inout Spent, jitter: Double
    ) -> Duration? {
        spent.attempts += 1
        guard spent.attempts < attempts else { return nil }
        let wait: Duration
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
        guard spent.waiting + wait <= longestWaiting else { return nil }
        spent.waiting += wait
        return wait
    }

    /// Whether a server says by it that it has done nothing, and may when asked again: locked, too
    /// early, unavailable, out of bandwidth.
    private static func isForNow(_ status: Int) -> Bool {
        [423, 425, 503, 509].contains(status)
    }

    /// Whether it is a failure that may be over soon. Not that something is not implemented, that
    /// there is no room, or that a person must sign in to the network.
    private static func mayPass(_ status: Int) -> Bool {
        status >= 500 && ![501, 505, 507, 508, 511].contains(status)
    }
}
