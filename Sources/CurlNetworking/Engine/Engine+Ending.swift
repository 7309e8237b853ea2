import CCurl
import FoundationEssentials

// How a load ends: well, early, or in another leg.

extension Engine {
    // MARK: - The end

    func conclude(_ load: Load) {
        guard let verdict = load.verdict else { return }
        if load.caching.standIn != nil { return serveStandIn(of: load) }
        if let next = load.following {
            keepRedirect(of: load)
            return beginNextLeg(of: load, next)
        }
        guard verdict == CURLE_OK else {
            guard let easy = load.easy else { return }
            if let loss = loss(of: load, verdict) { return settle(load, after: loss) }
            if isRefusedTunnel(load) { return }
            return end(load, with: failure(of: load, verdict, easy))
        }
        guard load.response != nil else {
            return end(
                load,
                with: URLError(
                    .networkConnectionLost, failingURL: load.request.url,
                    underlyingText: "the connection ended within the head of the answer"))
        }
        if load.isWebSocket {
            return endLostWebSocket(load)
        }
        guard !load.isCutShort else {
            return end(
                load,
                with: URLError(
                    .cannotDecodeContentData, failingURL: load.request.url,
                    underlyingText: "the compressed body ended early"))
        }
        leave(load)
        let task = load.task
        if !load.deliversAsItComes, !load.memory.isEmpty { _ = task.post(load.memory) }
        guard let file = load.file else {
            let result = TaskResult(data: load.memory)
            guard load.caching.writer != nil else { return tellAfterTurn(task, result) }
            return keepAnswer(of: load) { task.post(.completed(result)) }
        }
        keepAnswer(of: load) {
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

    /// What of the request had left, when it is the leg's kept-alive connection that failed; nil for
    /// every other failure.
    private func loss(of load: Load, _ verdict: CURLcode) -> Load.ConnectionLoss? {
        if let loss = load.loss { return loss }
        guard load.notes.isReused, load.head.isUntouched else { return nil }
        switch verdict {
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
    private func settle(_ load: Load, after loss: Load.ConnectionLoss) {
        let lost = LostRequest(
            method: load.request.method, hasLeft: loss == .sent,
            isRepetition: load.needsFreshConnection)
        guard lost.isSentAgain else {
            return end(
                load,
                with: URLError(
                    .networkConnectionLost, failingURL: load.request.url,
                    underlyingText: "the connection was lost before an answer came; the server may "
                        + "have got the request, so it was not sent again"))
        }
        load.needsFreshConnection = true
        guard lost.hasLeft else {
            load.notes.requestStart = 0  // for the metrics, too, it never was on its way
            return connectAgain(load)
        }
        detach(load)
        load.beginLeg()
        prepareBody(of: load)
    }

    /// Ends a load early.
    func end(_ load: Load, with error: URLError) {
        guard load.stage != .over, !waitsForNetwork(load, after: error),
            !isHelpedFromCache(load, after: error), !survives(load, error)
        else { return }
        leave(load)
        load.caching.writer?.discard()
        tellFailure(of: load, error)
    }

    func leave(_ load: Load) {
        detach(load)
        load.stage = .over
        load.body = .none
        stopWatchingNetwork(for: load)
        loads[load.id] = nil
        giveUpConnection(of: load)
    }

    /// Takes the transfer off libcurl, which closes its connection if it was not done with it.
    func detach(_ load: Load) {
        if let easy = load.easy {
            noteTransaction(of: load, easy)
            load.easy = nil
            multi.remove(easy)
            if load.handshake != nil { multi.handshakes.end(easy) }
            load.handshake = nil
            // One that stopped midway keeps buffers that libcurl then refuses to resize.
            if load.verdict == CURLE_OK { giveBack(easy) }
        }
        load.stage = .preparing
        load.updateTimers(at: now)
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
