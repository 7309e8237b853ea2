import CCurl
import FoundationEssentials

/// One request of a transfer and its response: the easy handle, what libcurl's callbacks note, the
/// head, the handshake, the timings.
///
/// Each redirect, challenge and retry has an attempt of its own, so that nothing has to be reset, and
/// what comes late to an old one changes nothing. Owned by its transfer, used on the engine's thread only.
final class Attempt {
    /// Counts the attempts of a transfer.
    let number: Int
    let request: URLRequest
    let isWebSocket: Bool
    let sockets: ConnectionSockets
    /// Nil when the attempt, or the transfer, is over.
    weak var transfer: Transfer?

    /// While libcurl has the request.
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
    /// libcurl's result, once it is done.
    var result: CURLcode?
    /// What is sent next, once the rest of the response's body has been discarded.
    var nextRequest: URLRequest?

    /// What libcurl's callbacks note for the engine, which acts on it when libcurl is not on the stack.
    struct Notes {
        /// Whether a byte has moved since the engine last looked.
        var hasMoved = false
        /// Whether the request has a connection.
        var isConnected = false
        var failure: URLError?
        /// What of the request had left when the kept-alive connection was lost.
        var loss: ConnectionLoss?
        var openedSockets: [curl_socket_t] = []
        /// The connection that the request has gone out on.
        var connection: ConnectionSockets.Ends?
        /// Of the TCP connection that the request has gone out on: nil over a Unix socket, where nothing is far.
        var socket: curl_socket_t?
        /// The socket of a WebSocket that libcurl does not want to read from.
        var silentSocket: curl_socket_t?
    }

    /// The way to the server.
    struct Route {
        var proxy: ProxyServer?
        /// What the proxy says about a tunnel to the server; nil when none is made.
        var tunnelHead: ResponseHeadParser?
        /// Whether the attempt has failed for the proxy's 407.
        var isTunnelRefused = false
    }

    /// The credentials that go with the request. The task's user does not see them.
    struct Authorization {
        /// The request as servers that ask for credentials see it, when they are involved.
        var request: ChallengedRequest?
        var fields: [HTTPHeaderFields.Field] = []
        /// Those for the proxy only.
        var proxyFields: [HTTPHeaderFields.Field] = []
    }

    struct TLS {
        /// A handshake that may be paused.
        var handshake: TLSHandshake?
        /// Whether a proxy that speaks TLS has shown its certificate.
        var hasPassedProxy = false
    }

    /// What the cache has to do with the attempt.
    struct Caching {
        /// Nil without a cache.
        var plan: CachePlan?
        /// When the request was handed to libcurl.
        var requestTime = Date()
        /// Keeps the server's response while it passes.
        var writer: CacheWriter?
        /// A stored response that is delivered once the rest of the server's has been discarded.
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

    /// - Parameter next: nil for the same request again: with its body, if nothing of that has left, and
    ///   with what the cache has said about it.
    func successor(_ next: URLRequest?) -> Attempt {
        let attempt = Attempt(
            next ?? request, number: number + 1, isWebSocket: isWebSocket, sockets: sockets)
        if next == nil {
            attempt.body = OutgoingBody(body.content)
            attempt.cache.plan = cache.plan
            attempt.cache.requestTime = cache.requestTime
        }
        return attempt
    }

    /// How much of the whole body the server has taken: what the kernel still holds does not count. Everything
    /// that was handed over, once the server has answered.
    var takenBodyByteCount: Int64 {
        let handedOver = body.start + body.sentByteCount
        guard let socket = noted.socket, !head.isComplete else { return handedOver }
        // The connection is gone, and with it all that is known of what has arrived.
        guard isOnTheWire else { return body.start }
        return max(body.start, handedOver - Int64(byteclub_untaken_byte_count(socket)))
    }

    /// Whether libcurl has the request and has not reported its end.
    var isOnTheWire: Bool { easy != nil && result == nil }

    /// How much of the body was handed to the system, what earlier attempts have sent included. The server may
    /// have all of it, whatever it has acknowledged.
    var sentBodyByteCount: Int64 {
        body.start + max(body.sentByteCount, easy?.offset(CURLINFO_SIZE_UPLOAD_T) ?? 0)
    }

    /// What a body without a content type is taken for, as in Apple's suite.
    var assumedContentType: String? {
        request.method == "POST" && body.byteCount != 0 ? "application/x-www-form-urlencoded" : nil
    }
}

/// The body of a response, since the engine last looked.
struct ReceivedBody {
    private(set) var pieces: [PieceBuffer] = []
    private(set) var byteCount = 0
    /// How much is taken in before the engine looks at it: few bytes at first, as in ``FlowControl``.
    private var burstByteCount = 128 << 10
    var discardedByteCount = 0
    var pace = ReceivingPace()
    /// Whether the request asked for a compressed body.
    var acceptsCodings = false
    /// Whether libcurl was not forbidden to decode it.
    var letsLibcurlDecode = true
    var decoding = Decoding.undecided

    /// Who undoes the codings of the body.
    enum Decoding {
        /// The head is not complete.
        case undecided
        /// Nobody: there are none, they were not asked for, or one is not known here.
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

    /// Whether the engine is to look at what is here before more is read.
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
