import CCurl
import FoundationEssentials
import Synchronization

// What becomes of a transfer that has failed: another attempt, a stored response, or an error.

/// Whether a transfer goes on after a failure.
enum Recovery {
    case underway
    case impossible
}

extension Engine {
    /// Looks for another way to an answer: a network to wait for, a stored response, an upload that the
    /// server has a part of.
    func recover(_ transfer: Transfer, from error: URLError) -> Recovery {
        if waitForNetwork(transfer, after: error) == .underway { return .underway }
        if let answer = transfer.storedAnswer(after: error) {
            transfer.attempt.cache.fallback = answer
            replayFallback(of: transfer)
            return .underway
        }
        return continueUpload(of: transfer, after: error)
    }

    /// libcurl has failed.
    func retryOrFail(_ transfer: Transfer) {
        if transfer.attempt.http.lacksConnection { return joinAgain(transfer) }
        if transfer.attempt.http.hasMetOldConnection { return leaveOldConnection(transfer) }
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
                            + "have got the request, so it was not sent again"))
        }
        transfer.history.lostConnections += 1
        if loss == .needsHTTP1 { return downgrade(transfer) }
        if loss != .refused { transfer.history.needsFreshConnection = true }
        guard lost.hasLeft else {
            // For the metrics, too, it never was on its way.
            transfer.attempt.timings.requestStart = 0
            return connectAgain(transfer)
        }
        closeAttempt(of: transfer)
        transfer.makeAttempt()
        openBody(of: transfer)
    }

    // MARK: - Errors

    /// libcurl's result in Apple's words.
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
            code = .clientCertificateRejected  // since 8.20 for a key that cannot be read
        } else if let text, text.contains(" alert "), let url = transfer.request.url {
            // TLS has no better way to say it than an alert, before or after the handshake.
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
    /// What of the request had left, when it is the attempt's kept-alive connection that failed; nil for
    /// every other failure.
    fileprivate var connectionLoss: Attempt.ConnectionLoss? {
        if let loss = attempt.noted.loss { return loss }
        guard attempt.timings.isReused, attempt.head.isUntouched else { return nil }
        switch attempt.result {
        // While sending libcurl fails at once, and when it cannot have the body again; for a new
        // connection it may have to look up the name again before it asks for a socket.
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_HTTP2:
            return .sent
        default:
            return nil
        }
    }

    /// Why a response is not whole although libcurl is content with it.
    var incompleteness: URLError? {
        if attempt.response == nil {
            return URLError(
                .networkConnectionLost, failingURL: request.url,
                underlyingText: "the connection ended within the head of the answer")
        }
        guard isCutShort else { return nil }
        return URLError(
            .cannotDecodeContentData, failingURL: request.url,
            underlyingText: "the compressed body ended early")
    }

    /// What may be given where no answer came from the server (RFC 5861 §4).
    fileprivate func storedAnswer(after error: URLError) -> CachePlan.Answer? {
        guard attempt.response == nil, state.isReachingServer, error.code.isOfTheConnection else {
            return nil
        }
        return attempt.cache.plan?.fallbackResponse(at: Date())
    }
}

extension URLError.Code {
    /// Whether it says that no server could be spoken to.
    fileprivate var isOfTheConnection: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
            .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed:
            true
        default: false
        }
    }
}

extension URLError {
    /// The same error, for a URL.
    func `for`(_ url: URL?) -> URLError {
        URLError(
            code, failingURL: url, underlyingText: underlyingText,
            downloadTaskResumeData: downloadTaskResumeData,
            uploadTaskResumeData: uploadTaskResumeData)
    }
}
