import CCurl
import Dispatch
import FoundationEssentials

// What libcurl calls while an answer comes.

/// Takes a line of the head, or of what follows the body.
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
        return line.count
    } catch {
        attempt.noted.failure = URLError(
            error.code, failingURL: attempt.request.url, underlyingText: error.text)
        return 0  // libcurl gives up
    }
}

/// Takes a piece of the body.
func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let attempt = Attempt.from(context)
    // What other streams read from the connection is handed out all the same: libcurl brings it once more when
    // receiving is no longer paused.
    if attempt.http.isMultiplexed, attempt.http.isReceivingPaused {
        return Int(CURL_WRITEFUNC_PAUSE)
    }
    attempt.noted.hasMoved = true
    attempt.transfer?.setNeedsProcessing()
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    attempt.keepToRate(piece.count)
    switch attempt.received.decoding {
    case .undecided, .none:
        attempt.timings.decodedByteCount += Int64(piece.count)
        attempt.received.append(piece)
    case .libcurls:
        // Within what was received at once its decoder cannot be stopped: libcurl would keep the rest,
        // and give up when that is over 64 MiB.
        attempt.timings.decodedByteCount += Int64(piece.count)
        attempt.received.append(piece)
        return attempt.checkExpansion(attempt.destination) == .acceptable ? piece.count : 0
    case .ours(let decoding):
        guard attempt.decode(piece, decoding) == .decoded else { return 0 }
    }
    // libcurl reads a socket up to a hundred times in a row: this ends the row. The engine lets
    // it proceed when it has handed over what is here.
    if attempt.received.isFull || attempt.isHeldByRate {
        attempt.pause(receiving: true, sending: attempt.body.isAwaited)
    }
    return piece.count
}

extension Attempt {
    /// Whether no more is to be read yet because the task's rate says so.
    var isHeldByRate: Bool { received.pace.resumption != nil }

    fileprivate func keepToRate(_ byteCount: Int) {
        guard let rate = transfer?.task.maximumReceivingRate else { return }
        received.pace.note(byteCount, rate: rate, at: DispatchTime.now().uptimeNanoseconds)
    }

    /// Has libcurl stop, or go on, in each direction.
    func pause(receiving: Bool, sending: Bool) {
        // Where one direction alone does not stop, both do: nothing is to be sent any more, or what is could be
        // what the reader of the response waits for.
        let stopsBoth = receiving && LibraryDefects.current.readsWhilePaused && body.isSent
        http.isReceivingPaused = receiving
        easy?.pause(receiving: receiving, sending: sending || stopsBoth)
    }
}

// MARK: - Compressed bodies

extension Attempt {
    /// Decides who undoes the codings of the body whose head is complete.
    fileprivate func chooseDecoder() {
        guard case .undecided = received.decoding else { return }
        received.decoding = .none
        guard !head.codings.isEmpty else { return }
        if head.codings.allSatisfy(Self.libcurlsCodings.contains) {
            // What was not asked for libcurl leaves alone.
            guard received.acceptsCodings else { return }
            guard head.codings.count <= ContentDecoding.mostLayers else {
                return noted.failure = URLError(
                    .cannotDecodeContentData, failingURL: request.url,
                    underlyingText: "the body is coded \(head.codings.count) times over")
            }
            if received.letsLibcurlDecode, LibraryDefects.current.settlesCodingsEarly {
                return received.decoding = .libcurls
            }
            guard let ours = ContentDecoding(head.codings) else {
                if received.letsLibcurlDecode { received.decoding = .libcurls }
                return
            }
            received.decoding = .ours(ours)
        }
        // We do it, or nobody here knows one of them: libcurl is to deliver the body as it comes.
        easy?.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }

    /// libcurl refuses more than five on top of one another.
    private static let libcurlsCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    fileprivate enum Decoding {
        case decoded
        case failed
    }

    fileprivate func decode(
        _ bytes: UnsafeRawBufferPointer, _ decoding: ContentDecoding
    ) -> Decoding {
        // Of 16 KiB at once a single coding makes 16 MiB at most; two make as much as they like.
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

    /// Stops a body that expands beyond all measure.
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
