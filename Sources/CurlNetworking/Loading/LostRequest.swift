/// A request whose kept-alive connection was lost before a byte of the response arrived, and whether it is
/// sent again automatically.
///
/// A server may close an idle connection at any time, so the loss is not necessarily an error. But the server
/// may also have processed the request before the connection was lost, and would process it twice if it were
/// sent again (RFC 9110 §9.2.2). Only this type decides; libcurl's own retries are prevented.
///
/// | sent so far | method | decision |
/// |---|---|---|
/// | nothing | any | send |
/// | something, first loss | idempotent | send once more |
/// | something, second loss | idempotent | fail |
/// | something, and the server has said that it did not process it | any | send again, up to five times |
/// | something | POST, PATCH, LOCK, CONNECT, unknown | fail |
///
/// The loss of a new connection is always an error, because the server was reachable a moment before.
struct LostRequest: Hashable, Sendable {
    /// The method, which is case-sensitive (RFC 9110 §9.1).
    var method: String
    /// Whether any of it may have been sent.
    var hasLeft: Bool
    /// Whether it was sent again before.
    var isRepetition: Bool
    /// Whether the server has said that it did not process it (RFC 9113 §8.7).
    var isRefused = false
    /// How many connections were lost during the request, or have refused it, before.
    var lossCount = 0

    var isSentAgain: Bool {
        if isRefused { return lossCount < 5 }
        return !hasLeft || (!isRepetition && Self.isIdempotent(method))
    }

    /// Whether repeating a request with this method has no further effect.
    static func isIdempotent(_ method: String) -> Bool { idempotentMethods.contains(method) }

    /// The methods of RFC 9110 §9.2.2, and of WebDAV those defined as idempotent by RFC 4918 §9 (including
    /// MKCOL, COPY and MOVE: the result is the same, only the second response differs), RFC 3253 §3.6
    /// (REPORT) and RFC 5323 §2 (SEARCH). LOCK is not idempotent: a second one creates a second lock.
    private static let idempotentMethods: Set = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
        "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK", "REPORT", "SEARCH",
    ]
}
