import CByteClubCurl
import FoundationEssentials

/// One request of a transfer and its response: the easy handle, the state recorded by libcurl's callbacks,
/// the head, the handshake and the timings.
///
/// Each redirect, challenge and retry creates a new attempt, so that no state has to be reset and late
/// results for an old attempt have no effect. Owned by its transfer, used on the engine's thread only.
final class Attempt {
    /// The attempt's number within its transfer.
    let number: Int
    let request: URLRequest
    let isWebSocket: Bool
    let sockets: ConnectionSockets
    /// nil when the attempt or the transfer is over.
    weak var transfer: Transfer?

    /// The handle, while libcurl has the request.
    var easy: EasyHandle?
    var body = OutgoingBody()
    var authorization = Authorization()
    var cache = Caching()
    var route = Route()
    var tls = TLS()
    var timings = TransactionTimings()
    var noted = Notes()
    var http = AttemptHTTP()
    var head = ResponseHeadParser()
    var response: HTTPURLResponse?
    var received = ReceivedBody()
    /// libcurl's result; nil until it is done.
    var result: CURLcode?
    /// The request to send next, once the rest of the response's body has been discarded.
    var nextRequest: URLRequest?

    /// What libcurl's callbacks record. The engine acts on it after libcurl has returned.
    struct Notes {
        /// Whether a byte has moved since the engine last checked.
        var hasMoved = false
        /// Whether the request has a connection.
        var isConnected = false
        var failure: URLError?
        /// How much of the request was sent when the kept-alive connection was lost.
        var loss: ConnectionLoss?
        var openedSockets: [curl_socket_t] = []
        /// The connection that carries the request.
        var connection: ConnectionSockets.Ends?
        /// The TCP socket of that connection; nil over a Unix socket, which needs no acknowledgments.
        var socket: curl_socket_t?
        /// The socket of a WebSocket while libcurl does not read from it.
        var silentSocket: curl_socket_t?
    }

    /// The route to the server.
    struct Route {
        var proxy: ProxyServer?
        /// The head of the proxy's response to `CONNECT`; nil without a tunnel.
        var tunnelHead: ResponseHeadParser?
        /// Whether the attempt failed with the proxy's 407.
        var isTunnelRefused = false
    }

    /// The credentials sent with the request. The task does not show them.
    struct Authorization {
        /// The request as authentication sees it; nil without authentication.
        var request: ChallengedRequest?
        var fields: [HTTPHeaderFields.Field] = []
        /// The account that they are of, for the cache; nil without fields.
        var account: String?
        /// Fields for the proxy only.
        var proxyFields: [HTTPHeaderFields.Field] = []
    }

    struct TLS {
        /// The handshake, if it may have to pause for a trust decision.
        var handshake: TLSHandshake?
        /// Whether the TLS connection to a proxy has been attached.
        var hasPassedProxy = false
    }

    /// The attempt's state in the cache.
    struct Caching {
        /// nil without a cache.
        var plan: CachePlan?
        /// When the request was handed to libcurl, or the cache was consulted.
        var requestTime = Date()
        /// Stores the server's response as it arrives.
        var writer: CacheWriter?
        /// A stored response, delivered after the rest of the server's response has been discarded.
        var fallback: CachePlan.Answer?
    }

    init(
        _ request: URLRequest, number: Int, isWebSocket: Bool, sockets: ConnectionSockets
    ) {
        self.request = request
        self.number = number
        self.isWebSocket = isWebSocket
        self.sockets = sockets
    }

    /// Creates the next attempt.
    ///
    /// - Parameter next: The next request. nil repeats the same one, with its body (if nothing of it was
    ///   sent) and its cache plan.
    func successor(_ next: URLRequest?) -> Attempt {
        let attempt = Attempt(
            next ?? request, number: number + 1, isWebSocket: isWebSocket, sockets: sockets)
        if next == nil {
            attempt.body = OutgoingBody(body.content)
            attempt.body.position = body.position
            attempt.cache.plan = cache.plan
            attempt.cache.requestTime = cache.requestTime
        }
        return attempt
    }

    /// How many bytes of the whole body the server has acknowledged: bytes in the kernel's send buffer do not
    /// count. Once the server has responded, everything handed over counts.
    var takenBodyByteCount: Int64 {
        let handedOver = body.start + body.sentByteCount
        guard let socket = noted.socket, !head.isComplete else { return handedOver }
        // The connection is closed, and how much it delivered is unknown.
        guard isOnTheWire else { return body.start }
        return max(body.start, handedOver - Int64(byteclub_untaken_byte_count(socket)))
    }

    /// Whether libcurl has the request and has not reported a result.
    var isOnTheWire: Bool { easy != nil && result == nil }

    /// How many bytes of the body were handed to the system, including earlier attempts. The server may have
    /// received all of them, even if it has acknowledged fewer.
    var sentBodyByteCount: Int64 {
        body.start + max(body.sentByteCount, easy?.offset(CURLINFO_SIZE_UPLOAD_T) ?? 0)
    }

    /// The content type of a body that has none, as in Apple's implementation.
    var assumedContentType: String? {
        request.method == "POST" && body.byteCount != 0 ? "application/x-www-form-urlencoded" : nil
    }
}

/// Body bytes received since the engine last took them.
struct ReceivedBody {
    private(set) var pieces: [PieceBuffer] = []
    private(set) var byteCount = 0
    /// How many bytes to buffer before the engine takes them. Starts small, as in ``FlowControl``.
    private var burstByteCount = 128 << 10
    var discardedByteCount = 0
    /// When to stop reading a discarded body; nanoseconds of the monotonic clock, nil if the body is delivered.
    var discardDeadline: UInt64?
    var rateLimiter = ReceiveRateLimiter()
    /// Whether the request asked for a compressed body.
    var acceptsCodings = false
    /// Whether libcurl is allowed to decode it.
    var letsLibcurlDecode = true
    var decoding = Decoding.undecided

    /// Who decodes the body.
    enum Decoding {
        /// Not known until the head is complete.
        case undecided
        /// No decoding: there is no coding, none was requested, or one is unknown.
        case none
        case ours(ContentDecoding)
        case libcurls
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !rest.isEmpty {
            if pieces.last.map({ $0.room == 0 }) ?? true { pieces.append(PieceBuffer()) }
            rest = pieces[pieces.count - 1].append(rest)
        }
        byteCount += bytes.count
    }

    /// Whether the engine has to take these bytes before more are read.
    var isFull: Bool { byteCount >= burstByteCount }

    private static let largestBurstByteCount = 512 << 10

    mutating func takeAll() -> [PieceBuffer] {
        if isFull { burstByteCount = min(2 * burstByteCount, Self.largestBurstByteCount) }
        defer {
            pieces.removeAll(keepingCapacity: true)
            byteCount = 0
        }
        return pieces
    }
}
