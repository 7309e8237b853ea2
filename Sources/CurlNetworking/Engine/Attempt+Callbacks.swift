import CCurl
import CTLS
import Dispatch
import FoundationEssentials

// What libcurl calls during an attempt, always on the engine's thread, with the attempt as context. The
// engine keeps the attempt for as long as its easy handle is with the multi handle. A callback only notes
// what has happened, and marks the transfer.

/// What a callback asks of libcurl.
enum CallbackResult {
    case proceed
    case abort
    /// The same bytes once more, when receiving is no longer paused.
    case later
}

extension Attempt {
    /// The pointer libcurl hands back to the callbacks.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer) -> Attempt {
        Unmanaged<Attempt>.fromOpaque(context).takeUnretainedValue()
    }

    /// The attempt that libcurl moves by a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> Attempt? {
        var context: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Attempt.from($0) }
    }

    func installCallbacks(on easy: EasyHandle) {
        easy.set(CURLOPT_PRIVATE, pointer: context)
        easy.set(CURLOPT_HEADERFUNCTION, callback: receiveHeaderLine)
        easy.set(CURLOPT_HEADERDATA, pointer: context)
        easy.set(CURLOPT_WRITEFUNCTION, callback: receiveBody)
        easy.set(CURLOPT_WRITEDATA, pointer: context)
        easy.set(CURLOPT_READFUNCTION, callback: sendBody)
        easy.set(CURLOPT_READDATA, pointer: context)
        easy.set(CURLOPT_SEEKDATA, pointer: context)
        easy.set(CURLOPT_PREREQDATA, pointer: context)
        easy.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        _ = byteclub_easy_set_open_socket_callback(easy.raw, openSocket)
        _ = byteclub_easy_set_seek_callback(easy.raw, seekBody)
        _ = byteclub_easy_set_prereq_callback(easy.raw, noteConnection)
        if let handshake = tls.handshake {
            handshake.whenHeld(noteHandshake, context)
            _ = byteclub_easy_set_tls_callback(easy.raw, attachHandshake)
            easy.set(CURLOPT_SSL_CTX_DATA, pointer: context)
        }
        if watchesForRefusal {
            easy.set(CURLOPT_DEBUGDATA, pointer: context)
            _ = byteclub_easy_set_debug_callback(easy.raw, noteRemark)
            easy.set(CURLOPT_VERBOSE, 1)
        }
        if body.isNone { return }  // nobody waits for news of what is sent
        if case .produced(let pipe) = body.content, pipe.byteCount < 0 {
            easy.set(CURLOPT_TRAILERDATA, pointer: context)
            _ = byteclub_easy_set_trailer_callback(easy.raw, addTrailers)
        }
        easy.set(CURLOPT_XFERINFODATA, pointer: context)
        easy.set(CURLOPT_NOPROGRESS, 0)
        _ = byteclub_easy_set_progress_callback(easy.raw, noteProgress)
    }

    private func noteMovement() {
        noted.hasMoved = true
        transfer?.setNeedsProcessing()
    }

    // MARK: - The head

    fileprivate func receive(headerLine line: UnsafeRawBufferPointer) -> CallbackResult {
        noteMovement()
        timings.noteHead()
        do throws(ResponseHeadParser.Refusal) {
            if !noted.isConnected, route.tunnelHead != nil {
                try route.tunnelHead?.append(line)
            } else {
                try head.append(line)
            }
            if head.isComplete { chooseDecoder() }
            return .proceed
        } catch {
            noted.failure = URLError(
                error.code, failingURL: request.url, underlyingText: error.text)
            return .abort
        }
    }

    /// Decides who undoes the codings of the body whose head is complete.
    private func chooseDecoder() {
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

    // MARK: - The body of the response

    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> CallbackResult {
        // What other streams read from the connection is handed out all the same.
        if http.isMultiplexed, http.isReceivingPaused { return .later }
        noteMovement()
        switch received.decoding {
        case .undecided, .none:
            timings.decodedByteCount += Int64(bytes.count)
            received.append(bytes)
        case .libcurls:
            // Within what was received at once its decoder cannot be stopped: libcurl would keep the rest,
            // and give up when that is over 64 MiB.
            timings.decodedByteCount += Int64(bytes.count)
            received.append(bytes)
            return checkExpansion(destination)
        case .ours(let decoding):
            if decode(bytes, decoding) == .abort { return .abort }
        }
        // libcurl reads a socket up to a hundred times in a row: this ends the row. The engine lets
        // it proceed when it has handed over what is here.
        if received.isFull {
            pause(receiving: true, sending: body.isAwaited)
        }
        return .proceed
    }

    /// Has libcurl stop, or go on, in each direction.
    func pause(receiving: Bool, sending: Bool) {
        // Where one direction alone does not stop, both do: nothing is to be sent any more, or what is could be
        // what the reader of the response waits for.
        let stopsBoth = receiving && LibraryDefects.current.readsWhilePaused && body.isSent
        http.isReceivingPaused = receiving
        easy?.pause(receiving: receiving, sending: sending || stopsBoth)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ decoding: ContentDecoding
    ) -> CallbackResult {
        // Of 16 KiB at once a single coding makes 16 MiB at most; two make as much as they like.
        let destination = decoding.isNested ? .memory : destination
        do throws(ContentDecoder.Failure) {
            let demand = try decoding.decode(bytes) { piece in
                timings.decodedByteCount += Int64(piece.count)
                received.append(piece)
                return checkExpansion(destination) == .proceed ? .more : .enough
            }
            return demand == .more ? .proceed : .abort
        } catch {
            noted.failure = URLError(
                .cannotDecodeContentData, failingURL: request.url,
                underlyingText: "the compressed body is damaged")
            return .abort
        }
    }

    private var destination: TaskReceiver.Destination {
        transfer?.task.receiver.destination ?? .memory
    }

    /// Stops a body that expands beyond all measure.
    private func checkExpansion(_ destination: TaskReceiver.Destination) -> CallbackResult {
        guard let easy, timings.decodedByteCount > DecompressionLimit.byteCount(for: .memory),
            DecompressionLimit.isExceeded(
                decoded: timings.decodedByteCount,
                received: easy.offset(CURLINFO_SIZE_DOWNLOAD_T), destination: destination)
        else { return .proceed }
        noted.failure = URLError(
            .dataLengthExceedsMaximum, failingURL: request.url,
            underlyingText: "the body expands more than \(DecompressionLimit.ratio)-fold, to over "
                + "\(DecompressionLimit.byteCount(for: destination) >> 20) MiB")
        return .abort
    }

    // MARK: - The body of the request

    fileprivate func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var room = buffer
        let pacing = transfer?.task.maximumSendingRate.map { rate in
            (rate: rate, time: DispatchTime.now().uptimeNanoseconds)
        }
        if let pacing, !body.isNone {
            let count = body.pace.allowance(
                of: buffer.count, rate: pacing.rate, at: pacing.time)
            guard count > 0 else {
                body.isAwaited = true
                transfer?.setNeedsProcessing()
                return Int(CURL_READFUNC_PAUSE)
            }
            room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        }
        switch body.take(into: room) {
        case .bytes(let count):
            if let pacing { body.pace.note(count, rate: pacing.rate, at: pacing.time) }
            return count
        case .end:
            return 0
        case .notYet:
            return Int(CURL_READFUNC_PAUSE)
        case .failed(let error):
            noted.failure = error.failingURL == nil ? error.for(request.url) : error
            transfer?.setNeedsProcessing()
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// What goes out behind the body, in the form libcurl wants it.
    fileprivate var trailerLines: [String] {
        guard case .produced(let pipe) = body.content else { return [] }
        return pipe.trailers.filter { $0.name.isHTTPToken }
            .map { $0.name + ": " + $0.value.withoutLineBreaks.trimmingSpaces }
    }

    fileprivate func note(sent byteCount: Int64) {
        let before = body.sentByteCount
        body.noteOnTheWire(byteCount)
        guard body.sentByteCount > before else { return }
        timings.noteSent()
        noteMovement()
    }

    // MARK: - The connection

    /// - Returns: nil when no connection is to be made.
    fileprivate func makeSocket(for address: UnsafePointer<curl_sockaddr>) -> curl_socket_t? {
        checkForLoss()
        guard noted.loss == nil else { return nil }
        guard http.mayOpenConnection else {
            http.lacksConnection = true
            transfer?.setNeedsProcessing()
            return nil
        }
        let socket = byteclub_open_socket(address)
        if socket != CURL_SOCKET_BAD { noted.openedSockets.append(socket) }
        return socket
    }

    /// The request is about to go out on a connection.
    fileprivate func noteConnected(_ connection: ConnectionSockets.Ends) -> CallbackResult {
        checkForLoss()
        guard let easy, noted.loss == nil else { return .abort }
        let isKept = easy.number(CURLINFO_NUM_CONNECTS) == 0
        if !isKept {
            sockets.add(connection, among: noted.openedSockets, at: timings.handedOver)
        }
        let socket = sockets.socket(of: connection)
        http.isMultiplexed = speaksHTTP2(easy)
        if isKept, let cut = http.connectionCut, sockets.mayPrecede(cut, connection) {
            http.hasMetOldConnection = true
            noted.loss = .unsent
            transfer?.setNeedsProcessing()
            return .abort
        }
        // What waits on a connection with many streams is for others.
        if isKept, let socket,
            http.isMultiplexed ? byteclub_has_hung_up(socket) : !ConnectionSockets.isReady(socket)
        {
            noted.loss = .unsent
            transfer?.setNeedsProcessing()
            return .abort
        }
        head.isMultiplexed = http.isMultiplexed
        body.isChunked = !http.isMultiplexed
        noted.isConnected = true
        noted.connection = connection
        noted.socket = socket
        timings.noteConnected(easy, isKept: isKept)
        noteMovement()
        return .proceed
    }

    /// Notes that the kept-alive connection is gone, if it is.
    ///
    /// libcurl 7.88 sends a request again when a kept-alive connection ends without a byte of the
    /// response, up to five times and whatever the method. There is no option against it. It comes by
    /// here then, for a second connection.
    private func checkForLoss() {
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

    /// Whether the connection has turned out to carry many requests.
    private func speaksHTTP2(_ easy: EasyHandle) -> Bool {
        guard http.version.mayMultiplex else { return false }
        guard http.version != .http2Only else { return true }
        guard let connection = byteclub_easy_get_tls(easy.raw) else { return false }
        return byteclub_tls_speaks(connection, "h2") || byteclub_tls_speaks(connection, "h3")
    }

    /// Whether it matters that a refused request is told from a lost one: libcurl has only words for that, which cost
    /// time.
    private var watchesForRefusal: Bool {
        http.version.mayMultiplex
            && (!LostRequest.isIdempotent(request.method)
                || transfer?.history.needsFreshConnection == true)
    }

    fileprivate func note(remark: UnsafeRawBufferPointer) {
        let text = String(decoding: remark, as: UTF8.self)
        if let refusal = ConnectionLoss(remark: text) { http.refusal = refusal }
    }

    /// Has TLS pause before anything of the request leaves.
    fileprivate func attach(toTLS context: UnsafeMutableRawPointer) -> CURLcode {
        // The first TLS of a connection through a TLS proxy is the proxy's, which libcurl judges.
        if route.proxy?.kind == .https, !tls.hasPassedProxy {
            tls.hasPassedProxy = true
            return CURLE_OK
        }
        return tls.handshake?.attach(to: context) == .attached ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
    }
}

private func receiveHeaderLine(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Attempt.from(context).receive(headerLine: line) == .proceed ? line.count : 0
}

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return switch Attempt.from(context).receive(body: body) {
    case .proceed: body.count
    case .abort: 0
    case .later: Int(CURL_WRITEFUNC_PAUSE)
    }
}

private func sendBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Attempt.from(context).send(
        into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private func addTrailers(
    list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, let list else { return CURL_TRAILERFUNC_ABORT }
    for line in Attempt.from(context).trailerLines {
        guard let longer = curl_slist_append(list.pointee, line) else {
            return CURL_TRAILERFUNC_ABORT
        }
        list.pointee = longer
    }
    return CURL_TRAILERFUNC_OK
}

private func seekBody(
    context: UnsafeMutableRawPointer?, offset: curl_off_t, whence: Int32
) -> Int32 {
    guard let context, whence == SEEK_SET,
        Attempt.from(context).body.seek(to: Int64(offset)) == .done
    else { return CURL_SEEKFUNC_FAIL }
    return CURL_SEEKFUNC_OK
}

private func noteProgress(
    context: UnsafeMutableRawPointer?, toReceive: curl_off_t, received: curl_off_t,
    toSend: curl_off_t, sent: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    Attempt.from(context).note(sent: Int64(sent))
    return 0
}

private func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype,
    address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Attempt.from(context).makeSocket(for: address) ?? CURL_SOCKET_BAD
}

private func noteRemark(
    easy: UnsafeMutableRawPointer?, kind: curl_infotype, bytes: UnsafeMutablePointer<CChar>?,
    count: Int, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, kind == CURLINFO_TEXT else { return 0 }
    Attempt.from(context).note(remark: UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

private func noteConnection(
    context: UnsafeMutableRawPointer?, remoteAddress: UnsafeMutablePointer<CChar>?,
    localAddress: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let connection = ConnectionSockets.Ends(
        localAddress: localAddress.map { String(cString: $0) } ?? "", localPort: localPort,
        remoteAddress: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort)
    return Attempt.from(context).noteConnected(connection) == .proceed
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func noteHandshake(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Attempt.from(context).transfer?.setNeedsProcessing()
}

private func attachHandshake(
    easy: UnsafeMutableRawPointer?, tls: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let tls else { return CURLE_SSL_CONNECT_ERROR }
    return Attempt.from(context).attach(toTLS: tls)
}
