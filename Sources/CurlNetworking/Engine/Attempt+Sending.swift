import CByteClubCurl
import Dispatch
import FoundationEssentials

// Callbacks while an attempt sends its body.

/// Fills libcurl's buffer with the next bytes of the body.
func sendBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    let attempt = Attempt.from(context)
    var room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    let pacing = attempt.transfer?.task.maximumSendingRate.map { rate in
        (rate: rate, time: DispatchTime.now().uptimeNanoseconds)
    }
    if let pacing, !attempt.body.isNone {
        let count = attempt.body.rateLimiter.allowance(
            of: room.count, rate: pacing.rate, at: pacing.time)
        guard count > 0 else {
            attempt.body.isAwaited = true
            attempt.transfer?.setNeedsProcessing()
            return Int(CURL_READFUNC_PAUSE)
        }
        room = UnsafeMutableRawBufferPointer(rebasing: room[..<count])
    }
    let releasedByteCount = attempt.releasedByteCount(of: room.count)
    guard releasedByteCount > 0 else {
        attempt.body.isAwaited = true
        return Int(CURL_READFUNC_PAUSE)
    }
    room = UnsafeMutableRawBufferPointer(rebasing: room[..<releasedByteCount])
    switch attempt.body.take(into: room) {
    case .bytes(let count):
        attempt.body.position += Int64(count)
        if let pacing { attempt.body.rateLimiter.note(count, rate: pacing.rate, at: pacing.time) }
        return count
    case .end:
        return 0
    case .notYet:
        return Int(CURL_READFUNC_PAUSE)
    case .failed(let error):
        let url = attempt.request.url
        attempt.noted.failure = error.failingURL == nil ? error.for(url) : error
        attempt.transfer?.setNeedsProcessing()
        return Int(CURL_READFUNC_ABORT)
    }
}

/// Called before libcurl sends the body again.
func seekBody(
    context: UnsafeMutableRawPointer?, offset: curl_off_t, whence: Int32
) -> Int32 {
    guard let context, whence == SEEK_SET,
        Attempt.from(context).body.seek(to: Int64(offset)) == .done
    else { return CURL_SEEKFUNC_FAIL }
    return CURL_SEEKFUNC_OK
}

/// Counts the bytes sent. Installed only if there is a body.
func noteProgress(
    context: UnsafeMutableRawPointer?, toReceive: curl_off_t, received: curl_off_t,
    toSend: curl_off_t, sent: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    let attempt = Attempt.from(context)
    let before = attempt.body.sentByteCount
    attempt.body.noteOnTheWire(Int64(sent))
    guard attempt.body.sentByteCount > before else { return 0 }
    attempt.timings.noteSent()
    attempt.noted.hasMoved = true
    attempt.transfer?.setNeedsProcessing()
    return 0
}

// MARK: - Trailers

func addTrailers(
    list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, let list else { return CURL_TRAILERFUNC_ABORT }
    for line in Attempt.from(context).body.trailerLines {
        guard let longer = curl_slist_append(list.pointee, line) else {
            return CURL_TRAILERFUNC_ABORT
        }
        list.pointee = longer
    }
    return CURL_TRAILERFUNC_OK
}

extension OutgoingBody {
    /// The trailer fields, formatted as libcurl expects them.
    fileprivate var trailerLines: [String] {
        guard case .produced(let pipe) = content else { return [] }
        return pipe.trailers.filter { $0.name.isHTTPToken }
            .map { $0.name + ": " + $0.value.withoutLineBreaks.trimmingSpaces }
    }
}
