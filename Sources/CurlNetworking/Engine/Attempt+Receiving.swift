import CByteClubCurl
import Dispatch
import FoundationEssentials

// Callbacks while a response arrives.

/// Receives a line of the head, or of the trailers.
func receiveHeaderLine(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let attempt = Attempt.from(context)
    attempt.noted.hasMoved = true
    attempt.transfer?.setNeedsProcessing()
    attempt.timings.noteHead()
    do throws(ResponseHeadParser.Refusal) {
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        if !attempt.noted.isConnected, attempt.route.tunnelHead != nil {
            try attempt.route.tunnelHead?.append(line)
        } else {
            try attempt.head.append(line)
        }
        if attempt.head.isComplete { attempt.chooseDecoder() }
        return attempt.isExpectationRefused ? 0 : line.count
    } catch {
        attempt.noted.failure = URLError(
            error.code, failingURL: attempt.request.url, underlyingText: error.text)
        return 0  // libcurl aborts the transfer
    }
}

/// Receives a piece of the body. Pauses its own handle when enough is buffered.
func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let attempt = Attempt.from(context)
    // Data that was read along with other streams arrives in spite of the pause. libcurl keeps it and
    // delivers it again when receiving resumes.
    if attempt.http.isMultiplexed, attempt.http.isReceivingPaused {
        return Int(CURL_WRITEFUNC_PAUSE)
    }
    attempt.noted.hasMoved = true
    attempt.transfer?.setNeedsProcessing()
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    attempt.countTowardRate(piece.count)
    switch attempt.received.decoding {
    case .undecided, .none:
        attempt.timings.decodedByteCount += Int64(piece.count)
        attempt.received.append(piece)
    case .libcurls:
        // libcurl's decoder cannot be paused within one read: it would buffer the rest, and fail above 64
        // MiB.
        attempt.timings.decodedByteCount += Int64(piece.count)
        attempt.received.append(piece)
        return attempt.checkExpansion(attempt.destination) == .acceptable ? piece.count : 0
    case .ours(let decoding):
        guard attempt.decode(piece, decoding) == .decoded else { return 0 }
    }
    // libcurl reads a socket up to a hundred times in a row; pausing stops that. The engine resumes after it
    // has handed over these bytes.
    if attempt.received.isFull || attempt.isRateLimited {
        attempt.pause(receiving: true, sending: attempt.body.isAwaited)
    }
    return piece.count
}

extension Attempt {
    /// Whether the response is a refusal of `Expect`. libcurl has to be stopped then: it would repeat the request on
    /// its own, and deliver the second body below the head of the first response. The engine sends it again.
    fileprivate var isExpectationRefused: Bool {
        head.isComplete && head.head?.status == 417 && http.expectsContinue
    }

    /// Whether the task's rate limit requires a pause before more is read.
    var isRateLimited: Bool { received.rateLimiter.resumption != nil }

    fileprivate func countTowardRate(_ byteCount: Int) {
        guard let rate = transfer?.task.maximumReceivingRate else { return }
        received.rateLimiter.note(byteCount, rate: rate, at: DispatchTime.now().uptimeNanoseconds)
    }

    /// Pauses or resumes each direction of the transfer.
    func pause(receiving: Bool, sending: Bool) {
        // This libcurl does not pause one direction alone. Sending is paused too only if the body is sent;
        // otherwise the server might wait for the rest of it.
        let stopsBoth = receiving && LibraryDefects.current.readsWhilePaused && body.isSent
        http.isReceivingPaused = receiving
        easy?.pause(receiving: receiving, sending: sending || stopsBoth)
    }
}

// MARK: - Compressed bodies

extension Attempt {
    /// Chooses the decoder of the body, when the head is complete.
    fileprivate func chooseDecoder() {
        guard case .undecided = received.decoding else { return }
        received.decoding = .none
        guard !head.codings.isEmpty else { return }
        if head.codings.allSatisfy(Self.libcurlsCodings.contains) {
            // Without `Accept-Encoding`, libcurl does not decode.
            guard received.acceptsCodings else { return }
            guard head.codings.count <= ContentDecoding.maximumLayers else {
                return noted.failure = URLError(
                    .cannotDecodeContentData, failingURL: request.url,
                    underlyingText: "the body has \(head.codings.count) content codings")
            }
            if received.letsLibcurlDecode, LibraryDefects.current.choosesDecoderEarly {
                return received.decoding = .libcurls
            }
            guard let ours = ContentDecoding(head.codings) else {
                if received.letsLibcurlDecode { received.decoding = .libcurls }
                return
            }
            received.decoding = .ours(ours)
        }
        // We decode it, or no known decoder exists; libcurl delivers the raw body.
        easy?.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }

    /// The codings that libcurl may decode. It rejects more than five layers.
    private static let libcurlsCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    fileprivate enum Decoding {
        case decoded
        case failed
    }

    fileprivate func decode(
        _ bytes: UnsafeRawBufferPointer, _ decoding: ContentDecoding
    ) -> Decoding {
        // A single coding expands 16 KiB to 16 MiB at most; nested codings have no limit.
        let destination = decoding.isNested ? .memory : destination
        do throws(ContentDecoder.Failure) {
            let demand = try decoding.decode(bytes) { piece in
                timings.decodedByteCount += Int64(piece.count)
                received.append(piece)
                return checkExpansion(destination) == .acceptable ? .more : .enough
            }
            return demand == .more ? .decoded : .failed
        } catch {
            noted.failure = URLError(
                .cannotDecodeContentData, failingURL: request.url,
                underlyingText: "the compressed body is damaged")
            return .failed
        }
    }

    fileprivate enum Expansion {
        case acceptable
        case excessive
    }

    fileprivate var destination: TaskReceiver.Destination {
        transfer?.task.receiver.destination ?? .memory
    }

    /// Stops a body that expands beyond the limit.
    fileprivate func checkExpansion(_ destination: TaskReceiver.Destination) -> Expansion {
        guard let easy, timings.decodedByteCount > DecompressionLimit.byteCount(for: .memory),
            DecompressionLimit.isExceeded(
                decoded: timings.decodedByteCount,
                received: easy.offset(CURLINFO_SIZE_DOWNLOAD_T), destination: destination)
        else { return .acceptable }
        noted.failure = URLError(
            .dataLengthExceedsMaximum, failingURL: request.url,
            underlyingText: "the body expands more than \(DecompressionLimit.ratio)-fold, to over "
                + "\(DecompressionLimit.byteCount(for: destination) >> 20) MiB")
        return .excessive
    }
}
