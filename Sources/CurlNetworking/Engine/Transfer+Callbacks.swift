import CCurl
import FoundationEssentials

// What libcurl calls during a transfer, always on the engine's queue, with the transfer as context. The
// engine keeps the transfer for as long as its easy handle is with the multi handle.

extension Transfer {
    /// The pointer libcurl hands back to the callbacks.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
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
        if case .none = body { return }  // nobody waits for news of what is sent
        easy.set(CURLOPT_XFERINFODATA, pointer: context)
        easy.set(CURLOPT_NOPROGRESS, 0)
        _ = byteclub_easy_set_progress_callback(easy.raw, noteProgress)
    }

    fileprivate func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        hasMoved = true
        timings.noteHead()
        mark()
        do throws(ResponseHeadParser.Refusal) {
            if stage == .connecting, tunnelHead != nil {
                try tunnelHead?.append(line)
            } else {
                try head.append(line)
            }
            if head.isComplete { chooseDecoder() }
            return true
        } catch {
            failure = URLError(
                .cannotParseResponse, failingURL: request.url, underlyingText: error.text)
            return false
        }
    }

    /// Decides who undoes the codings of the body whose head is complete.
    private func chooseDecoder() {
        guard case .undecided = decoding else { return }
        decoding = .none
        guard !head.codings.isEmpty else { return }
        if head.codings.allSatisfy(Self.libcurlsCodings.contains) {
            // What was not asked for libcurl leaves alone.
            guard acceptsCodings else { return }
            guard let ours = ContentDecoding(head.codings) else { return decoding = .libcurls }
            decoding = .ours(ours)
        }
        // We do it, or nobody here knows one of them: libcurl is to give the body as it comes.
        easy?.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    }

    /// More than five on top of one another are refused by it.
    private static let libcurlsCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        hasMoved = true
        mark()
        switch decoding {
        case .undecided, .none:
            timings.decodedByteCount += Int64(bytes.count)
            takeIn(bytes)
        case .libcurls:
            // Within what was received at once its decoder cannot be stopped: libcurl would keep the rest,
            // and give up when that is over 64 MiB.
            timings.decodedByteCount += Int64(bytes.count)
            takeIn(bytes)
            return expandsWithinBounds(task.receiver.destination)
        case .ours(let decoding):
            guard decode(bytes, decoding) else { return false }
        }
        // libcurl reads a socket up to a hundred times in a row: this ends the row. The engine lets
        // it go on when it has handed over what is here.
        if arrivedByteCount >= Self.burstByteCount {
            _ = easy?.pause(receiving: true, sending: isAwaitingBody)
        }
        return true
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, _ decoding: ContentDecoding) -> Bool {
        // Of 16 KiB at once a single coding makes 16 MiB at most; two make as much as they like.
        let destination = decoding.isNested ? .memory : task.receiver.destination
        do throws(ContentDecoder.Failure) {
            return try decoding.decode(bytes) { piece in
                timings.decodedByteCount += Int64(piece.count)
                takeIn(piece)
                return expandsWithinBounds(destination)
            }
        } catch {
            failure = URLError(
                .cannotDecodeContentData, failingURL: request.url,
                underlyingText: "the compressed body is damaged")
            return false
        }
    }

    /// Notes the failure when it does not.
    private func expandsWithinBounds(_ destination: TaskReceiver.Destination) -> Bool {
        guard let easy, timings.decodedByteCount > DecompressionLimit.byteCount(for: .memory),
            DecompressionLimit.isExceeded(
                decoded: timings.decodedByteCount,
                received: easy.offset(CURLINFO_SIZE_DOWNLOAD_T), destination: destination)
        else { return true }
        failure = URLError(
            .dataLengthExceedsMaximum, failingURL: request.url,
            underlyingText: "the body expands more than \(DecompressionLimit.ratio)-fold, to over "
                + "\(DecompressionLimit.byteCount(for: destination) >> 20) MiB")
        return false
    }

    /// How much of a body is taken in before the engine looks at it.
    static let burstByteCount = 512 << 10

    fileprivate func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch body {
        case .none:
            return 0
        case .data(let data, let position):
            let count = min(buffer.count, data.count - position)
            let start = data.startIndex + position
            data.copyBytes(to: buffer, from: start..<start + count)
            body = .data(data, position: position + count)
            return count
        case .reader, .pipe:
            switch body.take(into: buffer) {
            case .bytes(let count):
                if case .reader(let reader) = body, reader.byteCount < 0 {
                    chunks.note(chunk: count)
                }
                return count
            case .end: return 0
            case .notYet:
                isAwaitingBody = true
                return Int(CURL_READFUNC_PAUSE)
            case .failed(var error):
                if error.failingURL == nil {
                    error = URLError(
                        error.code, failingURL: request.url, underlyingText: error.underlyingText)
                }
                failure = error
                mark()
                return Int(CURL_READFUNC_ABORT)
            }
        }
    }

    /// - Parameter offset: From where this attempt begins in the body.
    func seek(to offset: Int64) -> Bool {
        let offset = bodyOffset + offset
        switch body {
        case .none:
            return offset == 0
        case .data(let data, _):
            guard (0...Int64(data.count)).contains(offset) else { return false }
            body = .data(data, position: Int(offset))
            return true
        case .pipe:
            return false
        case .reader(let reader):
            guard reader.canRewind else { return false }
            reader.rewind(to: offset)
            return true
        }
    }

    fileprivate func note(sent byteCount: Int64) {
        let byteCount = chunks.bodyByteCount(onTheWire: byteCount)
        // libcurl counts from 0 when it tries again.
        guard byteCount > sentByteCount else { return }
        sentByteCount = byteCount
        timings.noteSent()
        hasMoved = true
        mark()
    }

    /// - Returns: nil when no connection is to be made.
    fileprivate func makeSocket(for address: UnsafePointer<curl_sockaddr>) -> curl_socket_t? {
        guard !isLost() else { return nil }
        let socket = byteclub_open_socket(address)
        if socket != CURL_SOCKET_BAD { openedSockets.append(socket) }
        return socket
    }

    /// - Returns: Whether the request may go out on the connection.
    fileprivate func noteConnected(_ connection: ConnectionSockets.Ends) -> Bool {
        guard let easy, !isLost() else { return false }
        let isKept = easy.number(CURLINFO_NUM_CONNECTS) == 0
        if isKept {
            guard sockets.isReady(connection) else {
                loss = .unsent
                mark()
                return false
            }
        } else {
            sockets.add(connection, among: openedSockets)
        }
        if stage == .connecting { stage = .exchanging }
        timings.noteConnected(easy, isKept: isKept)
        hasMoved = true
        mark()
        return true
    }

    /// Returns whether the attempt's kept-alive connection is gone, and timings it.
    ///
    /// libcurl 7.88 sends a request again by itself when a kept-alive connection ends without a byte of
    /// the answer, up to five times and whatever the method. There is no option against it. It comes by
    /// here then, for a second connection.
    private func isLost() -> Bool {
        guard loss == nil, timings.requestStart > 0, head.isUntouched else { return loss != nil }
        loss = (easy?.number(CURLINFO_REQUEST_SIZE) ?? 1) == 0 ? .unsent : .sent
        mark()
        return true
    }
}

private func receiveHeaderLine(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.from(context).receive(headerLine: line) ? line.count : 0
}

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Transfer.from(context).receive(body: body) ? body.count : 0
}

private func sendBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Transfer.from(context).send(
        into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private func seekBody(
    context: UnsafeMutableRawPointer?, offset: curl_off_t, whence: Int32
) -> Int32 {
    guard let context, whence == SEEK_SET, Transfer.from(context).seek(to: Int64(offset)) else {
        return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
}

private func noteProgress(
    context: UnsafeMutableRawPointer?, toReceive: curl_off_t, received: curl_off_t,
    toSend: curl_off_t, sent: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    Transfer.from(context).note(sent: Int64(sent))
    return 0
}

private func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype,
    address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Transfer.from(context).makeSocket(for: address) ?? CURL_SOCKET_BAD
}

private func noteConnection(
    context: UnsafeMutableRawPointer?, remoteAddress: UnsafeMutablePointer<CChar>?,
    localAddress: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let connection = ConnectionSockets.Ends(
        localAddress: localAddress.map { String(cString: $0) } ?? "", localPort: localPort,
        remoteAddress: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort)
    return Transfer.from(context).noteConnected(connection)
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
