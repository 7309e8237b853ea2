import CByteClubCurl
import CByteClubTLS
import Dispatch
import FoundationEssentials
import Synchronization

/// What happens to one attempt and when, for the metrics. Times are nanoseconds of the monotonic clock; 0
/// means that it did not happen.
struct TransactionTimings {
    /// The same moment on both clocks, from which dates are calculated.
    let fetchStart = DispatchTime.now().uptimeNanoseconds
    let fetchStartDate = Date()
    /// When libcurl got the request.
    var handedOver: UInt64 = 0
    /// When sending of the request could begin; reset to 0 if nothing was sent.
    var requestStart: UInt64 = 0
    var isReused = false
    var requestEnd: UInt64 = 0
    var responseStart: UInt64 = 0
    var decodedByteCount: Int64 = 0
    var tlsVersion: UInt16 = 0
    var tlsCipherSuite: UInt16 = 0

    /// Records the connection.
    ///
    /// - Parameter isKept: Whether the connection was reused.
    mutating func noteConnected(_ easy: EasyHandle, isKept: Bool) {
        isReused = isKept
        requestStart = DispatchTime.now().uptimeNanoseconds
        requestEnd = requestStart
        guard let connection = byteclub_easy_get_tls(easy.raw) else { return }
        tlsVersion = byteclub_tls_version(connection)
        tlsCipherSuite = byteclub_tls_cipher_suite(connection)
    }

    mutating func noteSent() {
        requestEnd = DispatchTime.now().uptimeNanoseconds
    }

    mutating func noteHead() {
        // A proxy's response to CONNECT is not the response.
        if responseStart == 0, requestStart > 0 {
            responseStart = DispatchTime.now().uptimeNanoseconds
        }
    }

    func date(_ instant: UInt64) -> Date {
        fetchStartDate + Double(max(instant, fetchStart) - fetchStart) / 1e9
    }
}

extension TransactionFacts {
    /// Collects the facts of a finished attempt, while its handle still has them.
    init(of attempt: Attempt, _ easy: EasyHandle, at now: UInt64) {
        self.init(request: attempt.request, response: attempt.response)
        let timings = attempt.timings
        resourceFetchType = .networkLoad
        dates.fetchStartDate = timings.date(timings.fetchStart)
        let microseconds = { (info: CURLINFO) in UInt64(max(0, easy.offset(info))) }
        if !timings.isReused {
            // libcurl's times are relative to its start; 0 means that the step did not happen.
            let instant = { (info: CURLINFO) -> Date? in
                let span = microseconds(info)
                return span == 0 ? nil : timings.date(timings.handedOver + span * 1000)
            }
            let lookup = instant(CURLINFO_NAMELOOKUP_TIME_T)
            dates.domainLookupStartDate = lookup == nil ? nil : timings.date(timings.handedOver)
            dates.domainLookupEndDate = lookup
            let connected = instant(CURLINFO_CONNECT_TIME_T)
            dates.connectStartDate = lookup
            dates.secureConnectionEndDate = instant(CURLINFO_APPCONNECT_TIME_T)
            dates.secureConnectionStartDate = dates.secureConnectionEndDate == nil ? nil : connected
            dates.connectEndDate = dates.secureConnectionEndDate ?? connected
        }
        isReusedConnection = timings.isReused
        isProxyConnection = attempt.route.proxy != nil
        if timings.requestStart > 0 {
            dates.requestStartDate = max(
                timings.date(timings.requestStart), dates.connectEndDate ?? .distantPast)
            dates.requestEndDate = max(
                timings.date(timings.requestEnd), dates.requestStartDate ?? .distantPast)
        }
        if timings.responseStart > 0 {
            dates.responseStartDate = timings.date(timings.responseStart)
            dates.responseEndDate = timings.date(max(now, timings.responseStart))
            networkProtocolName =
                switch easy.number(CURLINFO_HTTP_VERSION) {
                case CURL_HTTP_VERSION_1_0: "http/1.0"
                case CURL_HTTP_VERSION_1_1: "http/1.1"
                case CURL_HTTP_VERSION_2_0: "h2"
                case CURL_HTTP_VERSION_3: "h3"
                default: nil
                }
        }
        let sentBody = easy.offset(CURLINFO_SIZE_UPLOAD_T)
        let sentRequest = Int64(easy.number(CURLINFO_REQUEST_SIZE))
        counts.countOfRequestHeaderBytesSent =
            LibraryDefects.current.countsBodyInRequest
            ? max(0, sentRequest - sentBody) : sentRequest
        counts.countOfRequestBodyBytesSent = sentBody
        counts.countOfRequestBodyBytesBeforeEncoding = attempt.body.sentByteCount
        counts.countOfResponseHeaderBytesReceived = Int64(easy.number(CURLINFO_HEADER_SIZE))
        counts.countOfResponseBodyBytesReceived = easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
        counts.countOfResponseBodyBytesAfterDecoding = timings.decodedByteCount
        remotePort = Self.port(easy.number(CURLINFO_PRIMARY_PORT))
        localPort = Self.port(easy.number(CURLINFO_LOCAL_PORT))
        if remotePort != nil {
            remoteAddress = easy.text(CURLINFO_PRIMARY_IP)
            localAddress = easy.text(CURLINFO_LOCAL_IP)
        }
        negotiatedTLSProtocolVersion = tls_protocol_version_t(rawValue: timings.tlsVersion)
        negotiatedTLSCipherSuite =
            timings.tlsCipherSuite == 0 ? nil : tls_ciphersuite_t(rawValue: timings.tlsCipherSuite)
    }

    /// The facts of a response from the cache.
    init(cached response: URLResponse, for request: URLRequest, since timings: TransactionTimings) {
        self.init(request: request, response: response)
        resourceFetchType = .localCache
        dates.fetchStartDate = timings.date(timings.fetchStart)
        dates.responseStartDate = timings.date(DispatchTime.now().uptimeNanoseconds)
        dates.responseEndDate = dates.responseStartDate
    }

    private static func port(_ number: Int) -> Int? { number > 0 ? number : nil }
}

extension Engine {
    /// Records a finished attempt, if the delegate collects metrics.
    func recordTransaction(of transfer: Transfer, _ easy: EasyHandle) {
        let tracer = transfer.task.tracer
        guard transfer.task.listener != nil || tracer != nil else { return }
        let transaction = TransactionFacts(of: transfer.attempt, easy, at: now)
        if tracer != nil {
            transfer.task.trace(
                .attemptEnded(
                    URLSessionTaskTransactionMetrics(transaction.redacted),
                    failure: transfer.attempt.resultText),
                transfer.request, attempt: transfer.attempt.number)
        }
        let followed = transfer.history.followedRedirects
        transfer.task.status.withLock { status in
            status.metrics.transactions.append(transaction)
            status.metrics.followedRedirects = followed
        }
    }

    /// Records a response from the cache.
    func recordCachedTransaction(of transfer: Transfer, _ response: URLResponse) {
        let tracer = transfer.task.tracer
        guard transfer.task.listener != nil || tracer != nil else { return }
        let transaction = TransactionFacts(
            cached: response, for: transfer.request, since: transfer.attempt.timings)
        if tracer != nil {
            transfer.task.trace(
                .attemptEnded(
                    URLSessionTaskTransactionMetrics(transaction.redacted), failure: nil),
                transfer.request, attempt: transfer.attempt.number)
        }
        let followed = transfer.history.followedRedirects
        transfer.task.status.withLock { status in
            status.metrics.transactions.append(transaction)
            status.metrics.followedRedirects = followed
        }
    }
}

extension Attempt {
    /// libcurl's text for a failed result; nil if it succeeded.
    fileprivate var resultText: String? {
        guard let result, result != CURLE_OK else { return nil }
        return String(cString: curl_easy_strerror(result))
    }
}
