public import FoundationEssentials

/// How a task went: when what happened, over which connections, how many bytes.
///
/// Told by `urlSession(_:task:didFinishCollecting:)`, before the task's completion. Nothing is collected
/// for a task that nobody is told of.
public final class URLSessionTaskMetrics: Sendable {
    /// One for each request that was made: redirects, challenges and lost connections make several.
    /// In order.
    public let transactionMetrics: [URLSessionTaskTransactionMetrics]
    /// From the making of the task to its completion.
    public let taskInterval: DateInterval
    /// How many redirects were followed.
    public let redirectCount: Int

    init(
        transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval,
        redirectCount: Int
    ) {
        self.transactionMetrics = transactionMetrics
        self.taskInterval = taskInterval
        self.redirectCount = redirectCount
    }
}

extension URLSessionTaskMetrics: CustomStringConvertible {
    public var description: String {
        let seconds = (taskInterval.duration * 1000).rounded() / 1000
        return "\(seconds) s, \(redirectCount) redirects: \(transactionMetrics)"
    }
}

/// How one request of a task and its answer went.
///
/// A date is nil when the step did not happen: on a reused connection there is no look-up, no connecting
/// and no TLS; an answer from the cache has none but the first. Dates never run backwards, whatever
/// somebody does to the clock meanwhile.
public struct URLSessionTaskTransactionMetrics: Sendable {
    /// Where an answer came from.
    public enum ResourceFetchType: Int, Sendable {
        case unknown = 0
        case networkLoad = 1
        case serverPush = 2
        case localCache = 3
    }

    /// What was asked.
    public internal(set) var request: URLRequest
    /// nil when it failed before there was one.
    public internal(set) var response: URLResponse?

    /// When the task turned to this request; waiting for a free connection comes after it.
    public internal(set) var fetchStartDate: Date?
    /// When the host's name began to be looked up; nil when it needed not.
    public internal(set) var domainLookupStartDate: Date?
    /// When the host's addresses were known.
    public internal(set) var domainLookupEndDate: Date?
    /// When the connection began to be made; nil when there was one.
    public internal(set) var connectStartDate: Date?
    /// With TLS: when the connection was secure.
    public internal(set) var connectEndDate: Date?
    /// When the TLS handshake began.
    public internal(set) var secureConnectionStartDate: Date?
    /// When the TLS handshake was done.
    public internal(set) var secureConnectionEndDate: Date?
    /// When the request began to be sent.
    public internal(set) var requestStartDate: Date?
    /// When the last byte of the request was handed to the system.
    public internal(set) var requestEndDate: Date?
    /// When the first byte of the answer came.
    public internal(set) var responseStartDate: Date?
    /// When the last byte of the answer came.
    public internal(set) var responseEndDate: Date?

    /// As registered for ALPN: `http/1.1`, `http/1.0`.
    public internal(set) var networkProtocolName: String?
    /// Whether a proxy stood between.
    public internal(set) var isProxyConnection = false
    /// Whether the connection was there already.
    public internal(set) var isReusedConnection = false
    /// Whether it used several networks at once: none does here.
    public var isMultipath: Bool { false }
    /// Where the answer came from.
    public internal(set) var resourceFetchType = ResourceFetchType.unknown

    /// The size of the request's head, in bytes.
    public internal(set) var countOfRequestHeaderBytesSent: Int64 = 0
    /// On the wire, the framing of chunks included.
    public internal(set) var countOfRequestBodyBytesSent: Int64 = 0
    /// Of the body itself.
    public internal(set) var countOfRequestBodyBytesBeforeEncoding: Int64 = 0
    /// The size of the answer's head, in bytes.
    public internal(set) var countOfResponseHeaderBytesReceived: Int64 = 0
    /// As it was compressed.
    public internal(set) var countOfResponseBodyBytesReceived: Int64 = 0
    /// As it was delivered.
    public internal(set) var countOfResponseBodyBytesAfterDecoding: Int64 = 0

    /// nil before there was a connection, and over unix sockets.
    public internal(set) var localAddress: String?
    /// The port on our side.
    public internal(set) var localPort: Int?
    /// The address on the other side.
    public internal(set) var remoteAddress: String?
    /// The port on the other side.
    public internal(set) var remotePort: Int?

    /// nil without TLS.
    public internal(set) var negotiatedTLSProtocolVersion: tls_protocol_version_t?
    /// The cipher suite of the TLS connection.
    public internal(set) var negotiatedTLSCipherSuite: tls_ciphersuite_t?

    init(request: URLRequest, response: URLResponse?) {
        self.request = request
        self.response = response
    }
}
