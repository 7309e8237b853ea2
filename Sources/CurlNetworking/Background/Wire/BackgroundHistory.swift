import FoundationEssentials

/// The transactions of a task's attempts, for its metrics.
struct BackgroundHistory: Codable, Hashable, Sendable {
    var transactions: [Transaction] = []
    var redirectCount = 0

    /// Only the last ones are kept.
    private static let maximumTransactions = 16

    mutating func add(_ metrics: URLSessionTaskMetrics) {
        redirectCount += metrics.redirectCount
        transactions += metrics.transactionMetrics.map { Transaction($0.facts) }
        if transactions.count > Self.maximumTransactions {
            transactions.removeFirst(transactions.count - Self.maximumTransactions)
        }
    }

    /// Whether its numbers can be added to without overflow.
    var isSound: Bool { BackgroundTaskRecord.counts.contains(redirectCount) }

    struct Transaction: Codable, Hashable, Sendable {
        var request: BackgroundTaskRecord.Request?
        var answer: BackgroundTaskRecord.Answer?
        /// In the order of `dates`, as seconds since 1970.
        var times: [Double?]
        /// In the order of `counts`.
        var counts: [Int64]
        var protocolName: String?
        var isProxied: Bool
        var isReused: Bool
        var fetchType: Int
        var localAddress: String?
        var localPort: Int?
        var remoteAddress: String?
        var remotePort: Int?
        var tlsVersion: UInt16?
        var tlsCipher: UInt16?
    }
}

extension BackgroundHistory.Transaction {
    private static var dates: [WritableKeyPath<TransactionFacts, Date?>] {
        [
            \.dates.fetchStartDate, \.dates.domainLookupStartDate, \.dates.domainLookupEndDate,
            \.dates.connectStartDate,
            \.dates.connectEndDate, \.dates.secureConnectionStartDate,
            \.dates.secureConnectionEndDate,
            \.dates.requestStartDate, \.dates.requestEndDate, \.dates.responseStartDate,
            \.dates.responseEndDate,
        ]
    }

    private static var countPaths: [WritableKeyPath<TransactionFacts, Int64>] {
        [
            \.counts.countOfRequestHeaderBytesSent, \.counts.countOfRequestBodyBytesSent,
            \.counts.countOfRequestBodyBytesBeforeEncoding,
            \.counts.countOfResponseHeaderBytesReceived,
            \.counts.countOfResponseBodyBytesReceived,
            \.counts.countOfResponseBodyBytesAfterDecoding,
        ]
    }

    init(_ metrics: TransactionFacts) {
        var request = metrics.request
        request.httpBody = nil
        self.request = BackgroundTaskRecord.Request(request)
        answer = (metrics.response as? HTTPURLResponse).flatMap(BackgroundTaskRecord.Answer.init)
        times = Self.dates.map { metrics[keyPath: $0]?.timeIntervalSince1970 }
        counts = Self.countPaths.map { metrics[keyPath: $0] }
        protocolName = metrics.networkProtocolName
        isProxied = metrics.isProxyConnection
        isReused = metrics.isReusedConnection
        fetchType = metrics.resourceFetchType.rawValue
        localAddress = metrics.localAddress
        localPort = metrics.localPort
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort
        tlsVersion = metrics.negotiatedTLSProtocolVersion?.rawValue
        tlsCipher = metrics.negotiatedTLSCipherSuite?.rawValue
    }

    /// nil when its request is invalid.
    var metrics: TransactionFacts? {
        guard let request = request?.request else { return nil }
        var metrics = TransactionFacts(
            request: request, response: answer?.response)
        for (path, time) in zip(Self.dates, times) {
            metrics[keyPath: path] = time.map { Date(timeIntervalSince1970: $0) }
        }
        for (path, count) in zip(Self.countPaths, counts) { metrics[keyPath: path] = count }
        metrics.networkProtocolName = protocolName
        metrics.isProxyConnection = isProxied
        metrics.isReusedConnection = isReused
        metrics.resourceFetchType = .init(rawValue: fetchType) ?? .unknown
        metrics.localAddress = localAddress
        metrics.localPort = localPort
        metrics.remoteAddress = remoteAddress
        metrics.remotePort = remotePort
        metrics.negotiatedTLSProtocolVersion = tlsVersion.flatMap {
            tls_protocol_version_t(rawValue: $0)
        }
        metrics.negotiatedTLSCipherSuite = tlsCipher.map { tls_ciphersuite_t(rawValue: $0) }
        return metrics
    }
}
