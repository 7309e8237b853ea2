import CCurl
import FoundationEssentials

// Kept-alive connections that are lost over a request, and HTTP/2 requests that a server refuses. Whether the
// request is sent again is decided by `LostRequest`.

extension Attempt {
    /// What of a request had left this machine when its kept-alive connection was lost.
    enum ConnectionLoss {
        /// Not a byte.
        case unsent
        /// Some or all of it.
        case sent
        /// Some or all of it; the server has said that it has not processed it, and not on which grounds (RFC 9113 §8.7).
        case refused
        /// The same; the server wants it over HTTP/1.1.
        case needsHTTP1
    }

    /// Notes that the kept-alive connection is gone, if it is.
    ///
    /// libcurl 7.88 sends a request again when a kept-alive connection ends without a byte of the
    /// response, up to five times and whatever the method. There is no option against it. It comes by
    /// here then, for a second connection.
    func checkForLoss() {
        guard noted.loss == nil, timings.requestStart > 0, head.isUntouched else { return }
        if http.isMultiplexed, let loss = http.refusal {
            noted.loss = loss
            transfer?.setNeedsProcessing()
            return
        }
        let isUnsent =
            !LibraryDefects.current.countsNoRequest
            && (easy?.number(CURLINFO_REQUEST_SIZE) ?? 1) == 0
        noted.loss = isUnsent ? .unsent : .sent
        transfer?.setNeedsProcessing()
    }
}

// MARK: - What libcurl remarks on a refusal

extension Attempt.ConnectionLoss {
    /// Reads a remark of libcurl's for people, which is the only place where it says so (`lib/http2.c`, `lib/multi.c`).
    /// Others quote the request and the server: the whole remark counts, not a word in it.
    init?(remark: String) {
        let text = remark.last == "\n" ? String(remark.dropLast()) : remark
        let again = ", try again on a new connection"
        if text == "Downgrades to HTTP/1.1" {
            self = .needsHTTP1
        } else if text.hasPrefix("HTTP/2 stream "), text.hasSuffix(" refused by server" + again) {
            self = .refused
        } else if text.hasPrefix("["), text.hasSuffix("] REFUSED_STREAM" + again) {
            self = .refused
        } else {
            return nil
        }
    }
}

extension Attempt {
    /// Whether it matters that a refused request is told from a lost one: libcurl has only words for that, which cost
    /// time.
    var watchesForRefusal: Bool {
        http.version.mayMultiplex
            && (!LostRequest.isIdempotent(request.method)
                || transfer?.history.needsFreshConnection == true)
    }
}

/// Looks for a refusal among libcurl's remarks; its callback for those.
func noteRemark(
    easy: UnsafeMutableRawPointer?, kind: curl_infotype, bytes: UnsafeMutablePointer<CChar>?,
    count: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, kind == CURLINFO_TEXT else { return 0 }
    let remark = UnsafeRawBufferPointer(start: bytes, count: count)
    let refusal = Attempt.ConnectionLoss(remark: String(decoding: remark, as: UTF8.self))
    if let refusal { Attempt.from(context).http.refusal = refusal }
    return 0
}
