import FoundationEssentials

/// The facts recorded about one request of a task and its response, for the metrics.
struct TransactionFacts: Sendable {
    var request: URLRequest
    var response: URLResponse?
    var dates = Dates()
    var counts = Counts()
    var networkProtocolName: String?
    var isProxyConnection = false
    var isReusedConnection = false
    var resourceFetchType = URLSessionTaskMetrics.ResourceFetchType.unknown
    var localAddress: String?
    var localPort: Int?
    var remoteAddress: String?
    var remotePort: Int?
    var negotiatedTLSProtocolVersion: tls_protocol_version_t?
    var negotiatedTLSCipherSuite: tls_ciphersuite_t?

    init(request: URLRequest, response: URLResponse?) {
        self.request = request
        self.response = response
    }

    struct Dates: Sendable {
        var fetchStartDate: Date?
        var domainLookupStartDate: Date?
        var domainLookupEndDate: Date?
        var connectStartDate: Date?
        var connectEndDate: Date?
        var secureConnectionStartDate: Date?
        var secureConnectionEndDate: Date?
        var requestStartDate: Date?
        var requestEndDate: Date?
        var responseStartDate: Date?
        var responseEndDate: Date?
    }

    struct Counts: Sendable {
        var countOfRequestHeaderBytesSent: Int64 = 0
        var countOfRequestBodyBytesSent: Int64 = 0
        var countOfRequestBodyBytesBeforeEncoding: Int64 = 0
        var countOfResponseHeaderBytesReceived: Int64 = 0
        var countOfResponseBodyBytesReceived: Int64 = 0
        var countOfResponseBodyBytesAfterDecoding: Int64 = 0
    }
}
