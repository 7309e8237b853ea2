import CByteClubCurl
import CByteClubTLS

// Callbacks while an attempt connects.

/// Creates the socket of a new connection, or rejects the address.
func openSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype,
    address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    let attempt = Attempt.from(context)
    attempt.checkForLoss()
    guard attempt.noted.loss == nil, attempt.noted.failure == nil else { return CURL_SOCKET_BAD }
    guard attempt.http.mayOpenConnection else {
        attempt.http.lacksConnection = true
        attempt.transfer?.setNeedsProcessing()
        return CURL_SOCKET_BAD
    }
    let socket = byteclub_open_socket(address)
    if socket != CURL_SOCKET_BAD { attempt.noted.openedSockets.append(socket) }
    return socket
}

/// Called just before the request is sent on a connection. Records the connection, or aborts if it must not
/// be used.
func noteConnection(
    context: UnsafeMutableRawPointer?, remoteAddress: UnsafeMutablePointer<CChar>?,
    localAddress: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let attempt = Attempt.from(context)
    attempt.checkForLoss()
    guard let easy = attempt.easy, attempt.noted.loss == nil, attempt.noted.failure == nil else {
        return CURL_PREREQFUNC_ABORT
    }
    let connection = ConnectionSockets.Ends(
        localAddress: localAddress.map { String(cString: $0) } ?? "", localPort: localPort,
        remoteAddress: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort)
    let isKept = easy.number(CURLINFO_NUM_CONNECTS) == 0
    if !isKept {
        attempt.sockets.add(
            connection, among: attempt.noted.openedSockets, at: attempt.timings.handedOver)
        if attempt.hasVerifiedServer(easy) { attempt.sockets.noteVerifiedServer(of: connection) }
    }
    let socket = attempt.sockets.socket(of: connection)
    attempt.http.isMultiplexed = attempt.speaksHTTP2(easy)
    attempt.transfer?.setNeedsProcessing()
    if isKept, let cut = attempt.http.connectionCut, attempt.sockets.mayPrecede(cut, connection) {
        attempt.http.wasOfferedOldConnection = true
        attempt.noted.loss = .unsent
        return CURL_PREREQFUNC_ABORT
    }
    // On a connection with many streams, readable bytes belong to other streams.
    let isMultiplexed = attempt.http.isMultiplexed
    if isKept, let socket,
        isMultiplexed ? byteclub_has_hung_up(socket) : !ConnectionSockets.isReady(socket)
    {
        attempt.noted.loss = .unsent
        return CURL_PREREQFUNC_ABORT
    }
    attempt.head.isMultiplexed = isMultiplexed
    attempt.body.isChunked = !isMultiplexed
    attempt.noted.isConnected = true
    attempt.noted.hasMoved = true
    attempt.noted.connection = connection
    attempt.noted.socket = socket
    attempt.timings.noteConnected(easy, isKept: isKept)
    return CURL_PREREQFUNC_OK
}

extension Attempt {
    /// Whether the system trusts the server of a new connection. False without a handshake of the attempt's own:
    /// libcurl has verified the server then.
    fileprivate func hasVerifiedServer(_ easy: EasyHandle) -> Bool {
        guard let handshake = tls.handshake, let connection = byteclub_easy_get_tls(easy.raw)
        else { return false }
        return handshake.hasVerifiedServer(of: connection)
    }

    /// Whether the connection has negotiated HTTP/2 or HTTP/3.
    fileprivate func speaksHTTP2(_ easy: EasyHandle) -> Bool {
        guard http.version.mayMultiplex else { return false }
        guard http.version != .http2Only else { return true }
        guard let connection = byteclub_easy_get_tls(easy.raw) else { return false }
        return byteclub_tls_speaks(connection, "h2") || byteclub_tls_speaks(connection, "h3")
    }
}

// MARK: - TLS

/// Attaches the handshake to a new TLS connection, so that it pauses before a byte of the request is sent.
func attachHandshake(
    easy: UnsafeMutableRawPointer?, tls: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let tls else { return CURLE_SSL_CONNECT_ERROR }
    let attempt = Attempt.from(context)
    // With a TLS proxy, the first TLS connection is the proxy's, which libcurl verifies itself.
    if attempt.route.proxy?.kind == .https, !attempt.tls.hasPassedProxy {
        attempt.tls.hasPassedProxy = true
        return CURLE_OK
    }
    return attempt.tls.handshake?.attach(to: tls) == .attached ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

/// Called when the handshake has paused.
func noteHandshakePause(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Attempt.from(context).transfer?.setNeedsProcessing()
}
