public import FoundationEssentials

/// How a task went: when what happened, over which connections, how many bytes.
///
/// Told by `urlSession(_:task:didFinishCollecting:)`, before the task's completion. Nothing is collected
/// for a task that has no delegate.
public final class URLSessionTaskMetrics: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

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

    public override var description: String {
        let seconds = (taskInterval.duration * 1000).rounded() / 1000
        return "\(seconds) s, \(redirectCount) redirects: \(transactionMetrics)"
    }
}

extension URLSessionTaskMetrics {
    /// Where an answer came from.
    public enum ResourceFetchType: Int, Sendable {
        case unknown = 0
        case networkLoad = 1
        case serverPush = 2
        case localCache = 3
    }

    /// How a host's name was looked up.
    public enum DomainResolutionProtocol: Int, Sendable {
        case unknown = 0
        case udp = 1
        case tcp = 2
        case tls = 3
        case https = 4
    }
}

/// How one request of a task and its answer went.
///
/// A date is nil when the step did not happen: on a reused connection there is no look-up, no connecting
/// and no TLS; an answer from the cache has none but the first. Dates never run backwards, whatever
/// somebody does to the clock meanwhile.
public final class URLSessionTaskTransactionMetrics: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

    /// The name it had here at first.
    public typealias ResourceFetchType = URLSessionTaskMetrics.ResourceFetchType

    let facts: TransactionFacts

    init(_ facts: TransactionFacts) {
        self.facts = facts
    }

    /// What was asked.
    public var request: URLRequest { facts.request }
    /// nil when it failed before there was one.
    public var response: URLResponse? { facts.response }

    /// When the task turned to this request; waiting for a free connection comes after it.
    public var fetchStartDate: Date? { facts.dates.fetchStartDate }
    /// When the host's name began to be looked up; nil when it needed not.
    public var domainLookupStartDate: Date? { facts.dates.domainLookupStartDate }
    /// When the host's addresses were known.
    public var domainLookupEndDate: Date? { facts.dates.domainLookupEndDate }
    /// When the connection began to be made; nil when there was one.
    public var connectStartDate: Date? { facts.dates.connectStartDate }
    /// With TLS: when the connection was secure.
    public var connectEndDate: Date? { facts.dates.connectEndDate }
    /// When the TLS handshake began.
    public var secureConnectionStartDate: Date? { facts.dates.secureConnectionStartDate }
    /// When the TLS handshake was done.
    public var secureConnectionEndDate: Date? { facts.dates.secureConnectionEndDate }
    /// When the request began to be sent.
    public var requestStartDate: Date? { facts.dates.requestStartDate }
    /// When the last byte of the request was handed to the system.
    public var requestEndDate: Date? { facts.dates.requestEndDate }
    /// When the first byte of the answer came.
    public var responseStartDate: Date? { facts.dates.responseStartDate }
    /// When the last byte of the answer came.
    public var responseEndDate: Date? { facts.dates.responseEndDate }

    /// As registered for ALPN: `http/1.1`, `http/1.0`.
    public var networkProtocolName: String? { facts.networkProtocolName }
    /// Whether a proxy stood between.
    public var isProxyConnection: Bool { facts.isProxyConnection }
    /// Whether the connection was there already.
    public var isReusedConnection: Bool { facts.isReusedConnection }
    /// Whether it used several networks at once: none does here.
    public var isMultipath: Bool { false }
    /// Where the answer came from.
    public var resourceFetchType: ResourceFetchType { facts.resourceFetchType }

    /// The size of the request's head, in bytes.
    public var countOfRequestHeaderBytesSent: Int64 { facts.counts.countOfRequestHeaderBytesSent }
    /// On the wire, the framing of chunks included.
    public var countOfRequestBodyBytesSent: Int64 { facts.counts.countOfRequestBodyBytesSent }
    /// Of the body itself.
    public var countOfRequestBodyBytesBeforeEncoding: Int64 {
        facts.counts.countOfRequestBodyBytesBeforeEncoding
    }
    /// The size of the answer's head, in bytes.
    public var countOfResponseHeaderBytesReceived: Int64 {
        facts.counts.countOfResponseHeaderBytesReceived
    }
    /// As it was compressed.
    public var countOfResponseBodyBytesReceived: Int64 {
        facts.counts.countOfResponseBodyBytesReceived
    }
    /// As it was delivered.
    public var countOfResponseBodyBytesAfterDecoding: Int64 {
        facts.counts.countOfResponseBodyBytesAfterDecoding
    }

    /// nil before there was a connection, and over unix sockets.
    public var localAddress: String? { facts.localAddress }
    /// The port on our side.
    public var localPort: Int? { facts.localPort }
    /// The address on the other side.
    public var remoteAddress: String? { facts.remoteAddress }
    /// The port on the other side.
    public var remotePort: Int? { facts.remotePort }

    /// nil without TLS.
    public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        facts.negotiatedTLSProtocolVersion
    }
    /// The cipher suite of the TLS connection.
    public var negotiatedTLSCipherSuite: tls_ciphersuite_t? { facts.negotiatedTLSCipherSuite }

    /// Whether it went over a mobile network. false also where that is not known: a session knows of its
    /// networks, not of the way a connection takes.
    public var isCellular: Bool { false }
    /// Whether it went over a network that is paid by volume. false also where that is not known.
    public var isExpensive: Bool { false }
    /// Whether it went over a network to be used sparingly. false also where that is not known.
    public var isConstrained: Bool { false }
    /// How the host's name was looked up: libcurl does not say.
    public var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

    /// `GET http://a.test/b: 200 in 0.12 s, http/1.1, reused connection, 512 bytes`, without a query, which
    /// may hold what is for nobody's eyes.
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
