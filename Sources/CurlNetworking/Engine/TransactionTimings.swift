import CCurl
import CTLS
import Dispatch
import FoundationEssentials
import Synchronization

/// What happens to one attempt of a transfer and when, for the metrics. Instants are nanoseconds of the monotonic
/// clock; 0 means it did not happen.
struct TransactionTimings {
    /// The same moment on both clocks: dates are reckoned from here.
    let fetchStart = DispatchTime.now().uptimeNanoseconds
    let fetchStartDate = Date()
    /// When libcurl got the request.
    var handedOver: UInt64 = 0
    /// When the request could begin to go out; 0 again when nothing of it had left.
    var requestStart: UInt64 = 0
    var isReused = false
    var requestEnd: UInt64 = 0
    var responseStart: UInt64 = 0
    var decodedByteCount: Int64 = 0
    var tlsVersion: UInt16 = 0
    var tlsCipherSuite: UInt16 = 0

    /// - Parameter isKept: Whether the connection was there already.
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
        // What a proxy says before there is a tunnel is no answer.
        if responseStart == 0, requestStart > 0 {
            responseStart = DispatchTime.now().uptimeNanoseconds
        }
    }

    func date(_ instant: UInt64) -> Date {
        fetchStartDate + Double(max(instant, fetchStart) - fetchStart) / 1e9
    }
}

extension TransactionFacts {
    /// Reads a attempt that has come to its end, while its handle still knows of it.
    init(of transfer: Transfer, _ easy: EasyHandle, at now: UInt64) {
        self.init(request: transfer.request, response: transfer.response)
        let timings = transfer.timings
        resourceFetchType = .networkLoad
        fetchStartDate = timings.date(timings.fetchStart)
        let microseconds = { (info: CURLINFO) in UInt64(max(0, easy.offset(info))) }
        if !timings.isReused {
            // libcurl counts from the moment it begins, and 0 is what it did not come to.
            let instant = { (info: CURLINFO) -> Date? in
                let span = microseconds(info)
                return span == 0 ? nil : timings.date(timings.handedOver + span * 1000)
            }
            let lookup = instant(CURLINFO_NAMELOOKUP_TIME_T)
            domainLookupStartDate = lookup == nil ? nil : timings.date(timings.handedOver)
            domainLookupEndDate = lookup
            let connected = instant(CURLINFO_CONNECT_TIME_T)
            connectStartDate = lookup
            secureConnectionEndDate = instant(CURLINFO_APPCONNECT_TIME_T)
            secureConnectionStartDate = secureConnectionEndDate == nil ? nil : connected
            connectEndDate = secureConnectionEndDate ?? connected
        }
        isReusedConnection = timings.isReused
        isProxyConnection = transfer.proxy != nil
        if timings.requestStart > 0 {
            requestStartDate = max(
                timings.date(timings.requestStart), connectEndDate ?? .distantPast)
            requestEndDate = max(timings.date(timings.requestEnd), requestStartDate ?? .distantPast)
        }
        if timings.responseStart > 0 {
            responseStartDate = timings.date(timings.responseStart)
            responseEndDate = timings.date(max(now, timings.responseStart))
            networkProtocolName =
                switch easy.number(CURLINFO_HTTP_VERSION) {
                case CURL_HTTP_VERSION_1_0: "http/1.0"
                case CURL_HTTP_VERSION_1_1: "http/1.1"
                case CURL_HTTP_VERSION_2_0: "h2"
                case CURL_HTTP_VERSION_3: "h3"
                default: nil
                }
        }
        countOfRequestHeaderBytesSent = Int64(easy.number(CURLINFO_REQUEST_SIZE))
        countOfRequestBodyBytesSent = easy.offset(CURLINFO_SIZE_UPLOAD_T)
        countOfRequestBodyBytesBeforeEncoding = transfer.sentByteCount
        countOfResponseHeaderBytesReceived = Int64(easy.number(CURLINFO_HEADER_SIZE))
        countOfResponseBodyBytesReceived = easy.offset(CURLINFO_SIZE_DOWNLOAD_T)
        countOfResponseBodyBytesAfterDecoding = timings.decodedByteCount
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

    /// An answer that was stored.
    init(cached response: URLResponse, for request: URLRequest, since timings: TransactionTimings) {
        self.init(request: request, response: response)
        resourceFetchType = .localCache
        fetchStartDate = timings.date(timings.fetchStart)
        responseStartDate = timings.date(DispatchTime.now().uptimeNanoseconds)
        responseEndDate = responseStartDate
    }

    private static func port(_ number: Int) -> Int? { number > 0 ? number : nil }
}

extension Engine {
    /// Writes down a attempt that ends, when there is somebody to be told.
    func noteTransaction(of transfer: Transfer, _ easy: EasyHandle) {
        guard transfer.task.listener != nil else { return }
        let transaction = TransactionFacts(of: transfer, easy, at: now)
        let followed = transfer.followedRedirects
        transfer.task.status.withLock { status in
            status.transactions.append(transaction)
            status.followedRedirects = followed
        }
    }

    /// Writes down that the answer was stored.
    func noteCachedTransaction(of transfer: Transfer, _ response: URLResponse) {
        guard transfer.task.listener != nil else { return }
        let transaction = TransactionFacts(
            cached: response, for: transfer.request, since: transfer.timings)
        let followed = transfer.followedRedirects
        transfer.task.status.withLock { status in
            status.transactions.append(transaction)
            status.followedRedirects = followed
        }
    }
}
