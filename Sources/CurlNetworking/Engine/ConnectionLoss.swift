import CByteClubCurl
import FoundationEssentials

// Kept-alive connections that are lost during a request, and HTTP/2 requests that a server refuses.
// `LostRequest` decides whether the request is sent again.

extension Attempt {
    /// How much of a request was sent when its kept-alive connection was lost.
    enum ConnectionLoss {
        /// Nothing.
        case unsent
        /// Some or all of it.
        case sent
        /// Some or all of it, but the server has said that it did not process it (RFC 9113 §8.7).
        case refused
        /// As `refused`; the server requires HTTP/1.1.
        case needsHTTP1
    }

    /// Records that the kept-alive connection is lost, if it is.
    ///
    /// libcurl 7.88 resends a request up to five times, whatever its method, if a kept-alive connection ends
    /// without a byte of the response. No option disables that. It then calls this a second time, for another
    /// connection.
    func checkForLoss() {
        guard !head.isComplete else { return refuseRepetition() }
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

    /// Records that libcurl is about to repeat a request that was answered. No option disables that either.
    private func refuseRepetition() {
        if noted.failure == nil {
            noted.failure = URLError(
                .networkConnectionLost, failingURL: request.url,
                underlyingText: "libcurl wanted to repeat a request that was answered")
        }
        transfer?.setNeedsProcessing()
    }
}

// MARK: - Refused requests

extension Attempt.ConnectionLoss {
    /// Parses a message of libcurl's debug output, the only place where it reports this (`lib/http2.c`,
    /// `lib/multi.c`). Other messages quote the request or the server, so the whole message has to match.
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
    /// Whether a refused request must be distinguished from a lost one. libcurl reports this only as text,
    /// which is costly.
    var watchesForRefusal: Bool {
        http.version.mayMultiplex
            && (!LostRequest.isIdempotent(request.method)
                || transfer?.history.needsFreshConnection == true)
    }
}

/// libcurl's debug callback: looks for a refusal.
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
