/// Limits on the number of connections, their use and their duration.
///
/// Unauthenticated connections are limited separately: however many there are, they never take the
/// place of authenticated ones.
struct ConnectionLimits: Hashable, Sendable {
    /// Unauthenticated connections. One more replaces the oldest, so a newcomer always gets its
    /// turn.
    var anonymous = 256
    /// … per peer: other users and addresses have places of their own.
    var anonymousPerPeer = 192
    /// Authenticated connections, without long polls.
    var authenticated = 256
    /// Long polls, which only wait.
    var longPolls = 128
    /// Requests being read or processed.
    var requests = 128
    /// … per peer.
    var requestsPerPeer = 96
    /// Finished connections that stay open for the peer to read the last response.
    var lingering = 128

    /// From the first byte of a head to its last, and from the start of a new connection.
    var headTimeout = Duration.seconds(10)
    /// How often a body must make progress.
    var bodyInterval = Duration.seconds(30)
    /// The minimum progress of a body in each ``bodyInterval``, and of a response in each
    /// ``answerInterval``.
    var leastByteCount = 1 << 10
    /// How often a response must make progress.
    var answerInterval = Duration.seconds(300)
    /// How long, and how much, of a rejected request is discarded while the peer reads the
    /// response.
    var lingerTimeout = Duration.seconds(2)
    var lingerByteCount = 16 << 20
    /// How long current requests may take when the server stops.
    var stopTimeout = Duration.seconds(2)
    /// How often deadlines are checked, while there are any.
    var sweepInterval = Duration.milliseconds(500)

    /// The value of `Retry-After`, in seconds.
    static let retryAfter = 1
    /// The maximum body of a request without a token (a long poll's cursor).
    static let anonymousBodyByteLimit = 64 << 10

    /// The maximum number of connections, each with a descriptor.
    var total: Int { anonymous + authenticated + longPolls + lingering }

    init() {}

    /// The limits for a number of descriptors: half of them are for connections, the rest for files,
    /// of which a request may open several.
    ///
    /// - Parameter descriptorLimit: At least ``DescriptorLimit/least``.
    init(descriptorLimit: Int) {
        let wanted = total
        let available = max(16, (descriptorLimit - DescriptorLimit.ownCount) / 2)
        guard available < wanted else { return }
        func share(_ count: Int) -> Int { max(2, count * available / wanted) }
        anonymous = share(anonymous)
        anonymousPerPeer = share(anonymousPerPeer)
        authenticated = share(authenticated)
        longPolls = share(longPolls)
        requests = share(requests)
        requestsPerPeer = share(requestsPerPeer)
        lingering = share(lingering)
    }
}
