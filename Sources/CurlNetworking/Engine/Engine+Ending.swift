import CCurl
import FoundationEssentials

// How a transfer ends: well, early, or in another attempt.

extension Engine {
    // MARK: - The end

    func complete(_ transfer: Transfer) {
        guard let result = transfer.result else { return }
        if transfer.caching.fallbackResponse != nil { return serveFallbackResponse(of: transfer) }
        if let next = transfer.nextRequest {
            keepRedirect(of: transfer)
            return beginNextAttempt(of: transfer, next)
        }
        guard result == CURLE_OK else {
            guard let easy = transfer.easy else { return }
            if let loss = loss(of: transfer, result) { return retryLost(transfer, after: loss) }
            if isRefusedTunnel(transfer) { return }
            return fail(transfer, with: failure(of: transfer, result, easy))
        }
        guard transfer.response != nil else {
            return fail(
                transfer,
                with: URLError(
                    .networkConnectionLost, failingURL: transfer.request.url,
                    underlyingText: "the connection ended within the head of the answer"))
        }
        if transfer.isWebSocket {
            return endLostWebSocket(transfer)
        }
        guard !transfer.isCutShort else {
            return fail(
                transfer,
                with: URLError(
                    .cannotDecodeContentData, failingURL: transfer.request.url,
                    underlyingText: "the compressed body ended early"))
        }
        remove(transfer)
        let task = transfer.task
        if !transfer.deliversAsItComes, !transfer.memory.isEmpty { _ = task.post(transfer.memory) }
        guard let file = transfer.file else {
            let result = TaskResult(data: transfer.memory)
            guard transfer.caching.writer != nil else { return reportAfterTurn(task, result) }
            return keepAnswer(of: transfer) { task.post(.completed(result)) }
        }
        keepAnswer(of: transfer) {
            file.finish { result in
                switch result {
                case .success(let file):
                    task.post(.completed(TaskResult(file: file)))
                case .failure(let error):
                    task.post(.completed(TaskResult(error: error.for(task.currentRequest?.url))))
                }
            }
        }
    }

    /// What of the request had left, when it is the attempt's kept-alive connection that failed; nil for
    /// every other failure.
    private func loss(of transfer: Transfer, _ result: CURLcode) -> Transfer.ConnectionLoss? {
        if let loss = transfer.loss { return loss }
        guard transfer.timings.isReused, transfer.head.isUntouched else { return nil }
        switch result {
        // While sending libcurl fails at once, and when it cannot have the body again; for a new
        // connection it may have to look up the name again before it asks for a socket.
        case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .sent
        default:
            return nil
        }
    }

    /// Sends a lost request again on a new connection, or fails.
    private func retryLost(_ transfer: Transfer, after loss: Transfer.ConnectionLoss) {
        let lost = LostRequest(
            method: transfer.request.method, hasLeft: loss == .sent,
            isRepetition: transfer.needsFreshConnection)
        guard lost.isSentAgain else {
            return fail(
                transfer,
                with: URLError(
                    .networkConnectionLost, failingURL: transfer.request.url,
                    underlyingText: "the connection was lost before an answer came; the server may "
                        + "have got the request, so it was not sent again"))
        }
        transfer.needsFreshConnection = true
        guard lost.hasLeft else {
            transfer.timings.requestStart = 0  // for the metrics, too, it never was on its way
            return connectAgain(transfer)
        }
        detach(transfer)
        transfer.beginAttempt()
        prepareBody(of: transfer)
    }

    /// Ends a transfer early.
    func fail(_ transfer: Transfer, with error: URLError) {
        guard transfer.stage != .over, !waitsForNetwork(transfer, after: error),
            !isHelpedFromCache(transfer, after: error), !survives(transfer, error)
        else { return }
        remove(transfer)
        transfer.caching.writer?.discard()
        reportFailure(of: transfer, error)
    }

    func remove(_ transfer: Transfer) {
        detach(transfer)
        transfer.stage = .over
        transfer.body = .none
        stopWatchingNetwork(for: transfer)
        transfers[transfer.id] = nil
        giveUpConnection(of: transfer)
    }

    /// Takes the transfer off libcurl, which closes its connection if it was not done with it.
    func detach(_ transfer: Transfer) {
        if let easy = transfer.easy {
            noteTransaction(of: transfer, easy)
            transfer.easy = nil
            multi.remove(easy)
            if transfer.handshake != nil { multi.handshakes.remove(easy) }
            transfer.handshake = nil
            // One that stopped midway keeps buffers that libcurl then refuses to resize.
            if transfer.result == CURLE_OK { giveBack(easy) }
        }
        transfer.stage = .preparing
        transfer.updateTimers(at: now)
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
