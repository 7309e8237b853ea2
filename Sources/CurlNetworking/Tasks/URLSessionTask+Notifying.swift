import Dispatch
import FoundationEssentials
import Synchronization

// How a task reports: the engine posts events, and the delegate's queue takes one per turn, so that other
// work of that queue (such as drawing and input) can run in between. The exception is the completion of a
// download, which follows the file in the same turn.

extension URLSessionTask {
    /// The carrier has released a cancelled task; report its completion.
    ///
    /// - Parameter resumeData: The resume data, if it was requested.
    func finishCancelling(resumeData: Data? = nil) {
        let receivers = status.withLock { status in
            status.reports.isReportingSuspended = false
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

    /// Adds an event, and schedules a turn on the delegate's queue if needed.
    ///
    /// - Parameters:
    ///   - event: nil to report events that are already queued.
    ///   - update: A change of the status, made under the same lock.
    func post(_ event: TaskEvent? = nil, update: (inout TaskStatus) -> Void = { _ in }) {
        let needsTurn = status.withLock { status in
            update(&status)
            if let event { status.reports.events.append(event) }
            guard !status.reports.isReporting, !status.reports.events.isEmpty,
                !status.life.isSuspended,
                !status.reports.isReportingSuspended
            else { return false }
            status.reports.isReporting = true
            return true
        }
        guard needsTurn else { return }
        if receiver.isAwaited, listener == nil, session.delegate == nil {
            notifyNext()  // no other calls that it could overtake
        } else {
            session.callbackQueue.async { [self] in notifyNext() }
        }
    }

    /// Posts a piece of the body.
    func post(_ data: Data) -> FlowControl.Change {
        var change = FlowControl.Change.none
        post(.data(data)) { change = $0.reports.flow.add(data.count) }
        return change
    }

    /// Counts bytes that are being written to a file.
    func willConsume(_ byteCount: Int) -> FlowControl.Change {
        status.withLock { $0.reports.flow.add(byteCount) }
    }

    /// Counts consumed bytes, and resumes the transfer if it was paused for them.
    func didConsume(_ byteCount: Int) {
        let change = status.withLock { $0.reports.flow.remove(byteCount) }
        if change == .drained { carrier.flowOpened(for: self) }
    }

    /// The delegate that receives the task's events.
    var listener: (any URLSessionTaskDelegate)? {
        status.withLock { $0.delegate } ?? session.delegate as? any URLSessionTaskDelegate
    }

    /// Whether the delegate decides about the response.
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
    /// Whether the delegate decides about caching.
    var asksAboutCaching: Bool {
        guard case .delegate = receiver else { return false }
        return dataListener != nil
    }
}

// MARK: - Turns on the delegate's queue

extension URLSessionTask {
    /// Takes and reports the next event.
    ///
    /// - Parameter isAfterFile: Whether the delegate received the file in this turn. Completion follows in
    ///   the same turn, so a program that exits in between never has a file without a completion.
    private func notifyNext(isAfterFile: Bool = false) {
        let event: TaskEvent? = status.withLock { status in
            guard !status.life.isSuspended, !status.reports.isReportingSuspended,
                let event = status.reports.events.takeFirst()
            else { return nil }
            if case .completed(let result) = event {
                status.life.complete()
                status.error = isClosedNormally ? nil : result.reportedError
                session.beginCompletion(of: self)
            }
            return event
        }
        if let event {
            // Does not need a turn.
            if isIgnored(event) { return notifyNext(isAfterFile: isAfterFile) }
            notify(event)
            if event.isFile || isAfterFile { return notifyNext(isAfterFile: true) }
        }
        post { $0.reports.isReporting = false }
    }

    private func isIgnored(_ event: TaskEvent) -> Bool {
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
        let reported = status.withLock { status in
            defer { status.reports.sent = total }
            return total < status.reports.sent ? 0 : status.reports.sent
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
            return channel.append(data)  // consumed when the reader takes it
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
        if result.reportedError == nil, let blob = (self as? URLSessionUploadTask)?.resumption?.blob
        {
            UploadBodies.forget(blob)
        }
        switch receiver {
        case .delegate, .fileDelegate:
            listener?.urlSession(session, task: self, didCompleteWithError: result.reportedError)
        case .dataHandler(_, let handler):
            let body = watchesBody ? status.withLock { $0.reports.body } : result.data ?? Data()
            handler.take()?(
                result.reportedError == nil ? body : nil, response, result.reportedError)
        case .fileHandler(let isAwaited, let handler):
            if isAwaited { result.file?.keep() }
            handler.take()?(result.file?.url, response, result.reportedError)
            if !isAwaited { result.file?.remove() }
        case .bytes(let channel):
            channel.finish(result.reportedError)
        }
        carrier.completionReported(of: self)
        status.withLock { status in
            status.delegate = nil
            status.succession.predecessor = nil
        }
        session.completionReported()
    }

    /// Whether a WebSocket was closed by the close handshake, which is not an error.
    private var isClosedNormally: Bool {
        (self as? URLSessionWebSocketTask)?.isCloseHandshakeDone ?? false
    }

    /// The delegate that receives a download's file.
    private var fileListener: (any URLSessionDownloadDelegate)? {
        guard case .fileDelegate = receiver else { return nil }
        return downloadListener
    }
}
