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
            if diesOnAKeptConnection(load, verdict, easy) { return restart(load) }
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

    /// Whether the server had given up a kept-alive connection before the request was all there.
    ///
    /// libcurl asks again by itself when it notices while reading, but not while sending, nor when
    /// the body is a stream that is half spent.
    func diesOnAKeptConnection(
        _ load: Load, _ verdict: CURLcode, _ easy: EasyHandle
    ) -> Bool {
        guard !load.needsFreshConnection, load.head.isUntouched else { return false }
        if verdict == CURLE_SEND_FAIL_REWIND, case .stream = load.source { return true }
        return verdict == CURLE_SEND_ERROR && easy.number(CURLINFO_NUM_CONNECTS) == 0
    }

    /// Asks once more, on a new connection.
    func restart(_ load: Load) {
        detach(load)
        load.beginLeg()
        load.needsFreshConnection = true
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
