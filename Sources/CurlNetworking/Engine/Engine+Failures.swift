import CByteClubCurl
import FoundationEssentials
import Synchronization

// What follows a failure: another attempt, a stored response, or an error.

/// Whether a transfer continues after a failure.
enum Recovery {
    case underway
    case impossible
}

extension Engine {
    /// Tries to continue after a failure: by waiting for a network, with a stored response, or by resuming an
    /// upload.
    func recover(_ transfer: Transfer, from error: URLError) -> Recovery {
        if waitForNetwork(transfer, after: error) == .underway { return .underway }
        if let answer = transfer.storedAnswer(after: error) {
            transfer.attempt.cache.fallback = answer
            replayFallback(of: transfer)
            return .underway
        }
        return continueUpload(of: transfer, after: error)
    }

    /// Handles a failed result of libcurl.
    func retryOrFail(_ transfer: Transfer) {
        if transfer.attempt.http.lacksConnection { return rejoinSharing(transfer) }
        if transfer.attempt.http.wasOfferedOldConnection { return replaceOldConnection(transfer) }
        if let loss = transfer.connectionLoss { return retry(transfer, after: loss) }
        if let head = transfer.refusedTunnel { return takeRefusedTunnel(head, of: transfer) }
        if transfer.isHandshakeUnanswered { return failLostWebSocket(transfer) }
        fail(transfer, with: failure(of: transfer))
    }

    /// Sends a lost request again on a new connection, or fails.
    private func retry(_ transfer: Transfer, after loss: Attempt.ConnectionLoss) {
        let lost = LostRequest(
            method: transfer.request.method, hasLeft: loss != .unsent,
            isRepetition: transfer.history.needsFreshConnection,
            isRefused: loss == .refused || loss == .needsHTTP1,
            lossCount: transfer.history.lostConnections)
        guard lost.isSentAgain else {
            return fail(
                transfer,
                with: URLError(
                    .networkConnectionLost, failingURL: transfer.request.url,
                    underlyingText: lost.isRefused
                        ? "the server has refused the request \(lost.lossCount + 1) times"
                        : "the connection was lost before an answer came; the server may "
                            + "have received the request, so it was not sent again"))
        }
        transfer.history.lostConnections += 1
        if loss == .needsHTTP1 { return downgrade(transfer) }
        if loss != .refused { transfer.history.needsFreshConnection = true }
        guard lost.hasLeft else {
            // The metrics treat it as not sent.
            transfer.attempt.timings.requestStart = 0
            return connectAgain(transfer)
        }
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        openBody(of: transfer)
    }

    // MARK: - Errors

    /// Converts libcurl's result to a `URLError`.
    private func failure(of transfer: Transfer) -> URLError {
        let attempt = transfer.attempt
        guard let easy = attempt.easy, let result = attempt.result else {
            return URLError(.unknown, failingURL: transfer.request.url)
        }
        let text = easy.message
        let error = URLError(
            curl: result, certificate: easy.number(CURLINFO_SSL_VERIFYRESULT),
            system: easy.number(CURLINFO_OS_ERRNO), text: text, url: transfer.request.url)
        var code = error.code
        var proxyTrouble: String?
        if let status = attempt.route.tunnelHead?.head?.status, transfer.state.isConnecting,
            !(200..<300).contains(status)
        {
            code = .cannotConnectToHost
            proxyTrouble = attempt.route.proxy?.trouble("answered \(status)")
        } else if let proxy = attempt.route.proxy, transfer.state.isConnecting,
            [.cannotFindHost, .cannotConnectToHost].contains(code)
        {
            proxyTrouble = proxy.trouble("cannot be reached")
        } else if result == CURLE_BAD_FUNCTION_ARGUMENT, let url = transfer.request.url,
            transfer.identity(for: url) != nil
        {
            code = .clientCertificateRejected  // reported since 8.20 for an unreadable key
        } else if let text, text.contains(" alert "), let url = transfer.request.url {
            // TLS reports both cases by an alert, before or after the handshake.
            if transfer.identity(for: url) != nil {
                code = .clientCertificateRejected
            } else if text.contains("certificate required")
                || attempt.tls.handshake?.wantsClientCertificate == true
            {
                code = .clientCertificateRequired
            }
        }
        if code == .clientCertificateRejected,
            let origin = transfer.request.url.flatMap(Origin.init(of:))
        {
            transfer.task.session.authenticationCache.withLock { $0.remember(nil, for: origin) }
        }
        guard code != error.code || proxyTrouble != nil else { return error }
        return URLError(code, failingURL: error.failingURL, underlyingText: proxyTrouble ?? text)
    }
}

extension Transfer {
    /// How much of the request was sent, if its kept-alive connection failed; nil for any other failure.
    fileprivate var connectionLoss: Attempt.ConnectionLoss? {
        if let loss = attempt.noted.loss { return loss }
        guard attempt.timings.isReused, attempt.head.isUntouched else { return nil }
        switch attempt.result {
        // Sending fails with the first two codes. When libcurl then tries a new connection, the name lookup
        // may fail before it asks for a socket.
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_HTTP2:
            return .sent
        default:
            return nil
        }
    }

    /// Why a response is incomplete although libcurl reports success.
    var incompleteness: URLError? {
        if attempt.response == nil {
            return URLError(
                .networkConnectionLost, failingURL: request.url,
                underlyingText: "the connection ended within the head of the response")
        }
        guard isCutShort else { return nil }
        return URLError(
            .cannotDecodeContentData, failingURL: request.url,
            underlyingText: "the compressed body ended early")
    }

    /// The stored response to use if the server cannot be reached (RFC 5861 §4).
    fileprivate func storedAnswer(after error: URLError) -> CachePlan.Answer? {
        guard attempt.response == nil, state.isReachingServer, error.code.isConnectionFailure else {
            return nil
        }
        return attempt.cache.plan?.fallbackResponse(at: Date())
    }
}

extension URLError.Code {
    /// Whether the error means that no server could be reached.
    fileprivate var isConnectionFailure: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed:
            true
        default: false
        }
    }
}

extension URLError {
    /// Returns the same error with another URL.
    func `for`(_ url: URL?) -> URLError {
        URLError(
            code, failingURL: url, underlyingText: underlyingText,
            downloadTaskResumeData: downloadTaskResumeData,
            uploadTaskResumeData: uploadTaskResumeData)
    }
}
