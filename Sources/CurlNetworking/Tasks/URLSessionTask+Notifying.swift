import Dispatch
import FoundationEssentials
import Synchronization

// How a task reports: the engine posts events, the delegate's queue takes them one per turn, so that
// other work of that queue (drawing, keys) comes in between. Only the completion of a download comes in
// the turn of its file.

extension URLSessionTask {
    /// The carrier has let go of a cancelled task: now its end can be reported.
    ///
    /// - Parameter resumeData: Of a download or upload that was asked for it.
    func finishCancelling(resumeData: Data? = nil) {
        let receivers = status.withLock { status in
            status.reports.isHeldBack = false
            if let resumeData {
                status.reports.events.amendCompletion { $0.add(resumeData, of: self) }
            }
            defer { status.reports.resumeDataReceivers = [] }
            return status.reports.resumeDataReceivers
        }
        if !receivers.isEmpty {
            session.callbackQueue.async {
                for receive in receivers { receive(resumeData) }
            }
        }
        post()
    }

    /// Posts an event for the delegate or handler, and asks for a turn on the delegate's queue if one is needed.
    ///
    /// - Parameters:
    ///   - event: nil for what waits already.
    ///   - update: Changes what the task says of itself.
    func post(_ event: TaskEvent? = nil, update: (inout TaskStatus) -> Void = { _ in }) {
        let needsTurn = status.withLock { status in
            update(&status)
            if let event { status.reports.events.append(event) }
            guard !status.reports.isReporting, !status.reports.events.isEmpty, !status.life.isHeld,
                !status.reports.isHeldBack
            else { return false }
            status.reports.isReporting = true
            return true
        }
        guard needsTurn else { return }
        if receiver.isAwaited, listener == nil, session.delegate == nil {
            notifyNext()  // there is nobody whose calls it could get in front of
        } else {
            session.callbackQueue.async { [self] in notifyNext() }
        }
    }

    /// Posts a piece of body.
    func post(_ data: Data) -> FlowControl.Change {
        var change = FlowControl.Change.none
        post(.data(data)) { change = $0.reports.flow.add(data.count) }
        return change
    }

    /// Counts bytes that are on their way to a file.
    func willConsume(_ byteCount: Int) -> FlowControl.Change {
        status.withLock { $0.reports.flow.add(byteCount) }
    }

    /// Bytes of the body were used up: the transfer goes on if it was held for them.
    func didConsume(_ byteCount: Int) {
        let change = status.withLock { $0.reports.flow.remove(byteCount) }
        if change == .drained { carrier.flowOpened(for: self) }
    }

    /// Who gets the events of the task as such.
    var listener: (any URLSessionTaskDelegate)? {
        status.withLock { $0.delegate } ?? session.delegate as? any URLSessionTaskDelegate
    }

    /// Whether somebody wants to be asked about the head of the answer.
    var asksAboutResponse: Bool {
        switch receiver {
        case .delegate: dataListener != nil
        case .bytes: true
        case .dataHandler: watchesBody
        case .fileDelegate, .fileHandler: false
        }
    }
}

extension URLSessionTask {
    /// Whether somebody wants to be asked about what is stored of the answer.
    var asksAboutCaching: Bool {
        guard case .delegate = receiver else { return false }
        return dataListener != nil
    }
}

// MARK: - Turns on the delegate's queue

extension URLSessionTask {
    /// - Parameter isAfterFile: Whether the delegate was given the task's file in this turn. Its
    ///   completion follows in the same one: a program that ends in between has the file without the
    ///   word that all is well.
    private func notifyNext(isAfterFile: Bool = false) {
        let event: TaskEvent? = status.withLock { status in
            guard !status.life.isHeld, !status.reports.isHeldBack,
                let event = status.reports.events.takeFirst()
            else { return nil }
            if case .completed(let result) = event {
                status.life.complete()
                status.error = hasEndedWell ? nil : result.reportedError
                session.unregister(self)
            }
            return event
        }
        if let event {
            // Needs no turn of its own.
            if isUnheard(event) { return notifyNext(isAfterFile: isAfterFile) }
            notify(event)
            if event.isFile || isAfterFile { return notifyNext(isAfterFile: true) }
        }
        post { $0.reports.isReporting = false }
    }

    private func isUnheard(_ event: TaskEvent) -> Bool {
        switch event {
        case .downloaded: fileListener == nil
        case .metrics: listener == nil
        default: false
        }
    }

    private func notify(_ event: TaskEvent) {
        switch event {
        case .needsBodyStream(let reply):
            guard let listener else { return reply(nil) }
            listener.urlSession(session, task: self, needNewBodyStream: { reply(BodyStream($0)) })
        case .sent(let total, let expected):
            notifySent(total: total, expected: expected)
        case .redirect(let response, let proposal, let reply):
            guard let listener else { return reply(proposal) }
            listener.urlSession(
                session, task: self, willPerformHTTPRedirection: response, newRequest: proposal,
                completionHandler: { reply($0) })
        case .challenge(let challenge, let audience, let reply):
            notifyChallenge(challenge, audience, reply)
        case .response(let response, let reply):
            notifyResponse(response, reply)
        case .data(let data):
            notifyData(data)
        case .wrote(let total, let expected):
            notifyWrote(total: total, expected: expected)
        case .waitsForConnectivity:
            listener?.urlSession(session, taskIsWaitingForConnectivity: self)
        case .willCache(let proposal, let reply):
            notifyWillCache(proposal, reply)
        case .informational(let response):
            listener?.urlSession(session, task: self, didReceiveInformationalResponse: response)
        case .needsRestOfBody(let offset, let reply):
            guard let listener else { return reply(nil) }
            listener.urlSession(
                session, task: self, needNewBodyStreamFrom: offset,
                completionHandler: { reply(BodyStream($0)) })
        case .resumed(let offset, let expected):
            notifyResumed(at: offset, expected: expected)
        case .sendsAgain(let offset):
            status.withLock { $0.reports.sent = offset }
        case .delayed(let request, let reply):
            notifyDelayed(request, reply)
        case .becameDownload(let successor):
            notifyBecameDownload(successor)
        case .downloaded(let file):
            notifyDownloaded(file)
        case .metrics:
            notifyMetrics()
        case .completed(let result):
            notifyCompletion(result)
        }
    }

    private func notifySent(total: Int64, expected: Int64) {
        let (reported, handedOver) = status.withLock { status in
            defer { status.reports.sent = total }
            return (total < status.reports.sent ? 0 : status.reports.sent, status.counts.handedOver)
        }
        if let observer = listener as? any SendingObserver {
            observer.handedOver(handedOver, of: expected, by: self)
        }
        guard total > reported else { return }
        listener?.urlSession(
            session, task: self, didSendBodyData: total - reported, totalBytesSent: total,
            totalBytesExpectedToSend: expected)
    }

    private func notifyResponse(
        _ response: URLResponse, _ reply: Reply<URLSession.ResponseDisposition>
    ) {
        if case .bytes(let channel) = receiver {
            channel.open(with: response)
            return reply(.allow)
        }
        guard let task = self as? URLSessionDataTask,
            let listener = dataListener
        else { return reply(.allow) }
        listener.urlSession(
            session, dataTask: task, didReceive: response, completionHandler: { reply($0) })
    }

    private func notifyWillCache(_ proposal: CachedURLResponse, _ reply: Reply<CachedURLResponse?>)
    {
        guard let task = self as? URLSessionDataTask,
            let listener = dataListener
        else { return reply(proposal) }
        listener.urlSession(
            session, dataTask: task, willCacheResponse: proposal,
            completionHandler: { reply($0) })
    }

    private func notifyData(_ data: Data) {
        if case .bytes(let channel) = receiver {
            return channel.append(data)  // counted as used up when it is read
        }
        if let task = self as? URLSessionDataTask,
            let listener = dataListener
        {
            listener.urlSession(session, dataTask: task, didReceive: data)
        }
        if watchesBody { status.withLock { $0.reports.body.append(data) } }
        didConsume(data.count)
    }

    private func notifyWrote(total: Int64, expected: Int64) {
        guard let task = self as? URLSessionDownloadTask, let listener = downloadListener else {
            return
        }
        let reported = status.withLock { status in
            defer { status.reports.written = total }
            return status.reports.written
        }
        guard total > reported else { return }
        listener.urlSession(
            session, downloadTask: task, didWriteData: total - reported, totalBytesWritten: total,
            totalBytesExpectedToWrite: expected)
    }

    private func notifyDownloaded(_ file: TemporaryFile) {
        guard let task = self as? URLSessionDownloadTask, let listener = fileListener else {
            return
        }
        file.announce()
        listener.urlSession(session, downloadTask: task, didFinishDownloadingTo: file.url)
        file.remove()
    }

    private func notifyCompletion(_ result: TaskResult) {
        updateProgress()
        trace(.taskCompleted(error: result.reportedError), currentRequest ?? firstRequest)
        let response = self.response
        switch receiver {
        case .delegate, .fileDelegate:
            listener?.urlSession(session, task: self, didCompleteWithError: result.reportedError)
        case .dataHandler(_, let handler):
            let body = watchesBody ? status.withLock { $0.reports.body } : result.data ?? Data()
            handler(result.reportedError == nil ? body : nil, response, result.reportedError)
        case .fileHandler(let isAwaited, let handler):
            if isAwaited { result.file?.keep() }
            handler(result.file?.url, response, result.reportedError)
            if !isAwaited { result.file?.remove() }
        case .bytes(let channel):
            channel.finish(result.reportedError)
        }
        carrier.completionReported(of: self)
        status.withLock { status in
            status.delegate = nil
            status.succession.predecessor = nil
        }
        session.finishInvalidationIfIdle()
    }

    /// Whether the end of the connection is not a failure: a WebSocket was closed with a close frame.
    private var hasEndedWell: Bool {
        (self as? URLSessionWebSocketTask)?.hasSaidGoodbye ?? false
    }

    /// Who is given the file of a download.
    private var fileListener: (any URLSessionDownloadDelegate)? {
        guard case .fileDelegate = receiver else { return nil }
        return downloadListener
    }
}
