import Dispatch
import FoundationEssentials
import Synchronization

// The loader's reports, in order. While the delegate is asked about one, the next ones wait.

extension ProtocolLoad {
    enum Report: Sendable {
        case redirect(URLRequest, URLResponse)
        case response(URLResponse, URLCache.StoragePolicy)
        case data(Data)
        case end
        case failure(any Error)
    }

    private func take(_ report: Report, from urlProtocol: URLProtocol) {
        let mayGoOn = state.withLock { state in
            guard !state.isOver, state.loader?.urlProtocol === urlProtocol else { return false }
            if state.isAsking { state.waiting.append(report) }
            return !state.isAsking
        }
        if mayGoOn { act(on: report) }
    }

    private func proceed() {
        while true {
            let report: Report? = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.isAsking = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let report else { return }
            if act(on: report) == .asking { return }
        }
    }

    private enum Progress {
        case proceeding
        /// The delegate was asked, so that later reports have to wait.
        case asking
    }

    @discardableResult
    private func act(on report: Report) -> Progress {
        switch report {
        case .redirect(let request, let response): redirect(to: request, response)
        case .response(let response, let policy): return deliver(response, policy)
        case .data(let data): receive(data)
        case .end: complete()
        case .failure(let error): fail(error)
        }
        return .proceeding
    }
}

// MARK: - Results of a report

extension ProtocolLoad {
    /// The maximum length of a response for the cache, in bytes.
    private static let largestCachedAnswer = 4 << 20

    private func deliver(
        _ response: URLResponse, _ policy: URLCache.StoragePolicy = .notAllowed
    ) -> Progress {
        task.status.withLock { status in
            status.response = response
            status.counts.expectedToReceive = response.expectedContentLength
        }
        task.updateProgress()
        let asks = task.asksAboutResponse
        state.withLock { state in
            state.response = response
            state.isAsking = asks
            state.cachePolicy = policy == .notAllowed || cache == nil ? nil : policy
            // One that is stopped meanwhile has no use for a file.
            guard task.destination == .file, state.file == nil, !state.isOver else { return }
            state.file = DownloadFile(for: task)
        }
        guard asks else { return .proceeding }
        task.post(
            .response(
                response,
                Reply { [task] disposition in
                    switch disposition {
                    case .allow: self.proceed()
                    case .becomeDownload:
                        self.fail(
                            URLError(
                                .unsupportedURL, failingURL: response.url,
                                underlyingText: "what a URLProtocol loads cannot become a download")
                        )
                    default: task.cancel()
                    }
                }))
        return .asking
    }

    private func receive(_ data: Data) {
        let isWatched = task.status.withLock { status in
            status.counts.received += Int64(data.count)
            return status.progress != nil
        }
        if isWatched { task.updateProgress() }
        let destination = task.destination
        state.withLock { state in
            guard destination == .memory || state.cachePolicy != nil else { return }
            state.body.append(data)
            guard state.body.count > Self.largestCachedAnswer else { return }
            state.cachePolicy = nil
            if destination != .memory { state.body = Data() }
        }
        switch destination {
        case .memory: break
        case .pieces: _ = task.post(data)  // loaders have no flow control
        case .file:
            _ = task.willConsume(data.count)
            let (file, expected) = state.withLock { state in
                (state.file, state.response?.expectedContentLength ?? -1)
            }
            file?.append(data, expected: expected)
        }
    }

    private func redirect(to proposal: URLRequest, _ response: URLResponse) {
        let request = task.withoutSessionCredentials(proposal)
        let (loader, count) = state.withLock { state in
            defer { state.loader = nil }
            state.redirectCount += 1
            state.isAsking = true
            return (state.loader, state.redirectCount)
        }
        queue.async { @Sendable in loader?.urlProtocol.stopLoading() }
        guard count <= RedirectPolicy.limit else {
            return fail(URLError(.httpTooManyRedirects, failingURL: request.url))
        }
        let reply = Reply<URLRequest?> { answer in
            guard let answer else {
                // Before the response, whose question may be answered at once.
                self.state.withLock { $0.waiting.append(.end) }
                if self.deliver(response) == .proceeding { self.proceed() }
                return
            }
            self.state.withLock { $0.isAsking = false }
            self.task.status.withLock { status in
                status.currentRequest = answer
                status.urlProtocol.request = answer
            }
            self.queue.async { @Sendable in self.begin() }
        }
        guard let response = response as? HTTPURLResponse else { return reply(request) }
        task.post(.redirect(response, proposal: request, reply))
    }
}

// MARK: - From the loader

extension ProtocolLoad: URLProtocolClient {
    func urlProtocol(
        _ protocol: URLProtocol, wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        take(.redirect(request, redirectResponse), from: `protocol`)
    }

    func urlProtocol(
        _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse
    ) {
        take(.response(cachedResponse.response, .notAllowed), from: `protocol`)
        take(.data(cachedResponse.data), from: `protocol`)
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        take(.response(response, policy), from: `protocol`)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        take(.data(data), from: `protocol`)
    }

    func urlProtocol(
        _ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge
    ) {
        let isCurrent = state.withLock {
            !$0.isOver && $0.loader?.urlProtocol === `protocol`
        }
        guard isCurrent else { return }
        let reply = Reply<ChallengeAnswer> { [queue] answer in
            queue.async { @Sendable in challenge.send(answer) }
        }
        task.post(.challenge(challenge, .session, reply))
    }

    func urlProtocol(
        _ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge
    ) {}

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        take(.end, from: `protocol`)
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        take(.failure(error), from: `protocol`)
    }
}

extension URLAuthenticationChallenge {
    /// Passes a delegate's answer to the sender.
    fileprivate func send(_ answer: ChallengeAnswer) {
        switch (answer.disposition, answer.credential) {
        case (.useCredential, let credential?): sender?.use(credential, for: self)
        case (.useCredential, nil): sender?.continueWithoutCredential(for: self)
        case (.performDefaultHandling, _): sender?.performDefaultHandling(for: self)
        case (.cancelAuthenticationChallenge, _): sender?.cancel(self)
        case (.rejectProtectionSpace, _): sender?.rejectProtectionSpaceAndContinue(with: self)
        }
    }
}
