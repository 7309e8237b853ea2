/// A request whose kept-alive connection was lost before a byte of the answer came, and whether it is
/// sent again automatically.
///
/// A server may close a connection that it keeps alive at any moment, so such a loss is not always a
/// failure. But a server that has read a request may also have carried it out before the connection
/// broke, and sending it again carries it out twice (RFC 9110 §9.2.2). This is the only place that
/// decides; libcurl is stopped from deciding on its own.
///
/// | what left this machine | method | |
/// |---|---|---|
/// | nothing | any | is sent |
/// | something, for the first time | idempotent | is sent once more |
/// | something, for the second time | idempotent | fails |
/// | something, and the server has said that it has not processed it | any | is sent again, five times at most |
/// | something | POST, PATCH, LOCK, CONNECT, unknown | fails |
///
/// A new connection that is lost is a failure in any case: the server was there a moment ago.
struct LostRequest: Hashable, Sendable {
    /// Case matters (RFC 9110 §9.1).
    var method: String
    /// Whether anything of it may have left this machine.
    var hasLeft: Bool
    /// Whether it was sent again before.
    var isRepetition: Bool
    /// Whether the server has said that it has not processed it (RFC 9113 §8.7).
    var isRefused = false
    /// How many connections were lost over it, or have refused it, before.
    var lossCount = 0

    var isSentAgain: Bool {
        if isRefused { return lossCount < 5 }
        return !hasLeft || (!isRepetition && Self.isIdempotent(method))
    }

    /// Whether a server that gets a request twice does what it does for one.
    static func isIdempotent(_ method: String) -> Bool { idempotentMethods.contains(method) }

    /// RFC 9110 §9.2.2; of WebDAV those that RFC 4918 §9 (which names MKCOL, COPY and MOVE idempotent: what
    /// exists afterwards is the same, only the second answer differs), RFC 3253 §3.6 (REPORT) and
    /// RFC 5323 §2 (SEARCH) define as such. LOCK is not: a second one makes a second lock.
    private static let idempotentMethods: Set = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
        "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK", "REPORT", "SEARCH",
    ]
}
