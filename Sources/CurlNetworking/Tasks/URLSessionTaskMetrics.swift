public import FoundationEssentials

/// The metrics of a task: times, connections and byte counts of its requests.
///
/// The delegate receives them in `urlSession(_:task:didFinishCollecting:)`, before the task completes.
/// Nothing is collected for a task without a delegate.
open class URLSessionTaskMetrics: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state, and for subclasses in tests.

    /// The metrics of each request, in order: redirects, challenges and lost connections cause several.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { parts.transactionMetrics }
    /// The interval from the creation of the task to its completion.
    open var taskInterval: DateInterval { parts.taskInterval }
    /// The number of redirects that were followed.
    open var redirectCount: Int { parts.redirectCount }

    init(
        transactionMetrics: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval,
        redirectCount: Int
    ) {
        parts = Parts(
            transactionMetrics: transactionMetrics, taskInterval: taskInterval,
            redirectCount: redirectCount)
    }

    /// Creates metrics without a request, for tests.
    public override init() {
        parts = Parts(transactionMetrics: [], taskInterval: DateInterval(), redirectCount: 0)
    }

    private struct Parts {
        var transactionMetrics: [URLSessionTaskTransactionMetrics]
        var taskInterval: DateInterval
        var redirectCount: Int
    }

    private let parts: Parts

    open override var description: String {
        let seconds = (taskInterval.duration * 1000).rounded() / 1000
        return "\(seconds) s, \(redirectCount) redirects: \(transactionMetrics)"
    }
}

extension URLSessionTaskMetrics {
    /// The origin of a response.
    public enum ResourceFetchType: Int, Sendable {
        case unknown = 0
        case networkLoad = 1
        case serverPush = 2
        case localCache = 3
    }

    /// How a host name was resolved.
    public enum DomainResolutionProtocol: Int, Sendable {
        case unknown = 0
        case udp = 1
        case tcp = 2
        case tls = 3
        case https = 4
    }
}

/// The metrics of one request of a task and its response.
///
/// A date is nil if the step did not happen: a reused connection has no lookup, connect and TLS dates; a
/// response from the cache has only the first date. Dates never decrease, even if the system clock is changed
/// meanwhile.
public final class URLSessionTaskTransactionMetrics: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state.

    /// An older name of the type.
    public typealias ResourceFetchType = URLSessionTaskMetrics.ResourceFetchType

    let facts: TransactionFacts

    init(_ facts: TransactionFacts) {
        self.facts = facts
    }

    /// The request.
    public var request: URLRequest { facts.request }
    /// The response; nil if the request failed before it arrived.
    public var response: URLResponse? { facts.response }

    /// When loading of the request began, before any waiting for a connection.
    public var fetchStartDate: Date? { facts.dates.fetchStartDate }
    /// When the name lookup started; nil if there was none.
    public var domainLookupStartDate: Date? { facts.dates.domainLookupStartDate }
    /// When the name lookup ended.
    public var domainLookupEndDate: Date? { facts.dates.domainLookupEndDate }
    /// When connecting started; nil for a reused connection.
    public var connectStartDate: Date? { facts.dates.connectStartDate }
    /// When the connection was established, including TLS.
    public var connectEndDate: Date? { facts.dates.connectEndDate }
    /// When the TLS handshake started.
    public var secureConnectionStartDate: Date? { facts.dates.secureConnectionStartDate }
    /// When the TLS handshake ended.
    public var secureConnectionEndDate: Date? { facts.dates.secureConnectionEndDate }
    /// When sending of the request started.
    public var requestStartDate: Date? { facts.dates.requestStartDate }
    /// When the last byte of the request was handed to the system.
    public var requestEndDate: Date? { facts.dates.requestEndDate }
    /// When the first byte of the response arrived.
    public var responseStartDate: Date? { facts.dates.responseStartDate }
    /// When the last byte of the response arrived.
    public var responseEndDate: Date? { facts.dates.responseEndDate }

    /// The protocol's ALPN name, such as `http/1.1` or `h2`.
    public var networkProtocolName: String? { facts.networkProtocolName }
    /// Whether a proxy was used.
    public var isProxyConnection: Bool { facts.isProxyConnection }
    /// Whether the connection was reused.
    public var isReusedConnection: Bool { facts.isReusedConnection }
    /// Whether several networks were used at once; always false.
    public var isMultipath: Bool { false }
    /// The origin of the response.
    public var resourceFetchType: ResourceFetchType { facts.resourceFetchType }

    /// The length of the request's head in bytes.
    public var countOfRequestHeaderBytesSent: Int64 { facts.counts.countOfRequestHeaderBytesSent }
    /// The length of the request's body as it was sent, with chunked framing.
    public var countOfRequestBodyBytesSent: Int64 { facts.counts.countOfRequestBodyBytesSent }
    /// The length of the request's body itself.
    public var countOfRequestBodyBytesBeforeEncoding: Int64 {
        facts.counts.countOfRequestBodyBytesBeforeEncoding
    }
    /// The length of the response's head in bytes.
    public var countOfResponseHeaderBytesReceived: Int64 {
        facts.counts.countOfResponseHeaderBytesReceived
    }
    /// The length of the response's body as it was received, before decompression.
    public var countOfResponseBodyBytesReceived: Int64 {
        facts.counts.countOfResponseBodyBytesReceived
    }
    /// The length of the response's body as it was delivered.
    public var countOfResponseBodyBytesAfterDecoding: Int64 {
        facts.counts.countOfResponseBodyBytesAfterDecoding
    }

    /// The local address; nil without a connection and over Unix sockets.
    public var localAddress: String? { facts.localAddress }
    /// The local port.
    public var localPort: Int? { facts.localPort }
    /// The server's or proxy's address.
    public var remoteAddress: String? { facts.remoteAddress }
    /// The server's or proxy's port.
    public var remotePort: Int? { facts.remotePort }

    /// The version of TLS; nil without TLS.
    public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        facts.negotiatedTLSProtocolVersion
    }
    /// The cipher suite of the TLS connection; nil without TLS.
    public var negotiatedTLSCipherSuite: tls_ciphersuite_t? { facts.negotiatedTLSCipherSuite }

    /// Whether a cellular network was used. Always false: the network of a connection is not recorded.
    public var isCellular: Bool { false }
    /// Whether a metered network was used. Always false: the network of a connection is not recorded.
    public var isExpensive: Bool { false }
    /// Whether a network in Low Data Mode was used. Always false: the network of a connection is not
    /// recorded.
    public var isConstrained: Bool { false }
    /// How the host name was resolved. Always `.unknown`: libcurl does not report it.
    public var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

    /// A description such as `GET http://a.test/b: 200 in 0.12 s, http/1.1, reused connection, 512 bytes`. It
    /// omits the query, which may contain secrets.
    public override var description: String {
        let status = (response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? "no answer"
        var parts = [status]
        if let start = fetchStartDate, let end = responseEndDate {
            parts[0] += " in \((end.timeIntervalSince(start) * 1000).rounded() / 1000) s"
        }
        if resourceFetchType == .localCache { parts.append("from the cache") }
        if let networkProtocolName { parts.append(networkProtocolName) }
        if isReusedConnection { parts.append("reused connection") }
        if isProxyConnection { parts.append("by a proxy") }
        parts.append("\(countOfResponseBodyBytesReceived) bytes")
        return "\(request.summary): " + parts.joined(separator: ", ")
    }
}
