/// How many connections there may be, what they may take, and how long.
///
/// Connections that have not shown the club's token are limited apart from those that have: however
/// many of the former there are, they take no place of the latter.
struct ConnectionLimits: Hashable, Sendable {
    /// Connections that have not shown the token yet. One more takes the place of the one that has
    /// been there longest, so a newcomer always gets its turn.
    var anonymous = 256
    /// … of one peer: another user's, or another address's, find places of their own.
    var anonymousPerPeer = 192
    /// Connections that have shown the token, long polls aside.
    var authenticated = 256
    /// Long polls, which do nothing but wait.
    var longPolls = 128
    /// Requests that are being read or answered.
    var requests = 128
    /// … of one peer.
    var requestsPerPeer = 96
    /// Connections that are over and stay open for the peer to read its last answer.
    var lingering = 128

    /// From the first byte of a head to its last, and from a new connection's beginning.
    var headTimeout = Duration.seconds(10)
    /// How often a body must have moved on.
    var bodyInterval = Duration.seconds(30)
    /// How much of a body must arrive in each ``bodyInterval``, and of an answer be taken in each
    /// ``answerInterval``.
    var leastByteCount = 1 << 10
    /// How often an answer must have moved on.
    var answerInterval = Duration.seconds(300)
    /// How long, and how much, of a refused request is discarded while the peer reads the answer.
    var lingerTimeout = Duration.seconds(2)
    var lingerByteCount = 16 << 20
    /// How long requests may take that are under way when the server is told to stop.
    var stopTimeout = Duration.seconds(2)
    /// How often deadlines are looked at, while there are any.
    var sweepInterval = Duration.milliseconds(500)

    /// What `Retry-After` says, in seconds.
    static let retryAfter = 1
    /// The body of a request that needs no token (a long poll's cursor).
    static let anonymousBodyByteLimit = 64 << 10

    /// All connections there may be, each with its descriptor.
    var total: Int { anonymous + authenticated + longPolls + lingering }

    init() {}

    /// As many as a process may have descriptors for: half of them are for connections, the rest for
    /// files, of which a request may have some.
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
