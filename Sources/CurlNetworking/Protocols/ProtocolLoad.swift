import Dispatch
import FoundationEssentials
import Synchronization

/// A task that a ``URLProtocol`` loads: chooses its class, runs it on a queue of its own, and turns
/// what it reports into what the task tells.
final class ProtocolLoad: URLProtocolClient {
    private let task: URLSessionTask
    private let queue = DispatchQueue(label: "CurlNetworking.protocol")
    private let state = Mutex(State())

    private struct State: Sendable {
        var loader: Loader?
        /// Reports that wait until the delegate has answered.
        var waiting: [Report] = []
        var isAsking = false
        var isOver = false
        var redirectCount = 0
        var response: URLResponse?
        /// Kept for a completion handler, or for the cache.
        var body = Data()
        /// How the cache may keep the answer; nil when it may not, or when it has become too long.
        var cachePolicy: URLCache.StoragePolicy?
        var file: DownloadFile?
    }

    private enum Report: Sendable {
        case redirect(URLRequest, URLResponse)
        case response(URLResponse, URLCache.StoragePolicy)
        case data(Data)
        case end
        case failure(any Error)
    }

    /// A loader and its queue's right to use it.
    private struct Loader: @unchecked Sendable {
        // Unchecked because a loader is made and used on the load's queue alone; elsewhere only its
        // identity counts.
        let urlProtocol: URLProtocol
    }

    /// No longer answer is kept for the cache, in bytes.
    private static let largestCachedAnswer = 4 << 20

    private init(_ task: URLSessionTask) {
        self.task = task
    }

    /// Whether there is a class that has to be asked about a task.
    static func mayLoad(_ task: URLSessionTask) -> Bool {
        !task.session.protocolClasses.isEmpty || DataURLProtocol.canInit(with: task)
    }

    /// Starts a task: by a class that can load it, else by the engine.
    static func start(_ task: URLSessionTask) {
        let load = ProtocolLoad(task)
        task.status.withLock { $0.urlProtocol.load = load }
        load.queue.async { @Sendable in load.begin() }
    }

    /// The task was cancelled.
    func stop() {
        let loader = finish()
        queue.async { @Sendable in loader?.urlProtocol.stopLoading() }
    }

    // MARK: - On the queue

    private func begin() {
        guard !state.withLock({ $0.isOver }) else { return }
        let kinds = task.session.protocolClasses + [DataURLProtocol.self]
        guard let kind = kinds.first(where: { $0.canInit(with: task) })
        else {
            task.status.withLock { $0.urlProtocol.load = nil }
            return Engine.shared.thread.submit { [task] engine in engine.start(task) }
        }
        fillBody { [self] in queue.async { @Sendable [self] in load(by: kind) } }
    }

    /// Puts the body of an upload into the request, where a loader looks for it, and then goes on.
    private func fillBody(then proceed: @escaping @Sendable () -> Void) {
        var request = task.requestToLoad
        guard task.status.withLock({ $0.urlProtocol.request == nil }), request.httpBody == nil,
            request.httpBodyStream == nil
        else { return proceed() }
        switch task.source {
        case .data(let data):
            request.httpBody = data
        case .file(let url):
            request.httpBodyStream = InputStream(url: url)
        case .stream:
            let bare = request
            return task.post(
                .needsBodyStream(
                    Reply { [task] stream in
                        var request = bare
                        request.httpBodyStream = stream?.stream
                        task.status.withLock { [request] in $0.urlProtocol.request = request }
                        proceed()
                    }))
        case .none, .given, .pipe, .produced:
            return proceed()
        }
        task.status.withLock { [request] in $0.urlProtocol.request = request }
        proceed()
    }

    private func load(by kind: URLProtocol.Type) {
        guard !state.withLock({ $0.isOver }) else { return }
        let cached = cache?.cachedResponse(for: task.requestToLoad)
        let loader = Loader(
            urlProtocol: kind.init(task: task, cachedResponse: cached, client: self))
        let isWanted = state.withLock { state in
            if !state.isOver { state.loader = loader }
            return !state.isOver
        }
        if isWanted { loader.urlProtocol.startLoading() }
    }

    // MARK: - Reports

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
        /// The delegate was asked something, so that everything else has to wait.
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

    private func deliver(
        _ response: URLResponse, _ policy: URLCache.StoragePolicy = .notAllowed
    ) -> Progress {
        task.status.withLock { status in
            status.response = response
            status.counts.expectedToReceive = response.expectedContentLength
        }
        let asks = task.asksAboutResponse
        state.withLock { state in
            state.response = response
            state.isAsking = asks
            state.cachePolicy = policy == .notAllowed || cache == nil ? nil : policy
            if task.destination == .file, state.file == nil { state.file = DownloadFile(for: task) }
        }
        guard asks else { return .proceeding }
        task.post(
            .response(
                response,
                Reply { [task] disposition in
                    if disposition == .allow { self.proceed() } else { task.cancel() }
                }))
        return .asking
    }

    private func receive(_ data: Data) {
        task.status.withLock { $0.counts.received += Int64(data.count) }
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
        case .pieces: _ = task.post(data)  // a loader cannot be held back
        case .file:
            _ = task.willConsume(data.count)
            let (file, expected) = state.withLock { state in
                (state.file, state.response?.expectedContentLength ?? -1)
            }
            file?.append(data, expected: expected)
        }
    }

    private func redirect(to request: URLRequest, _ response: URLResponse) {
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
            self.state.withLock { $0.isAsking = false }
            guard let answer else {
                if self.deliver(response) == .proceeding { return self.complete() }
                return self.state.withLock { $0.waiting.append(.end) }
            }
            self.task.status.withLock { status in
                status.currentRequest = answer
                status.urlProtocol.request = answer
            }
            self.queue.async { @Sendable in self.begin() }
        }
        guard let response = response as? HTTPURLResponse else { return reply(request) }
        task.post(.redirect(response, proposal: request, reply))
    }

    // MARK: - The end

    /// Marks the load as over. Returns the loader, to be stopped on the queue.
    private func finish() -> Loader? {
        task.status.withLock { $0.urlProtocol.load = nil }
        return state.withLock { state in
            defer { state.loader = nil }
            state.isOver = true
            state.waiting = []
            return state.loader
        }
    }

    private func complete() {
        let (hasResponse, body, file) = state.withLock { state in
            (state.response != nil, state.body, state.file)
        }
        guard hasResponse else {
            return fail(
                URLError(
                    .badServerResponse, failingURL: task.currentRequest?.url,
                    underlyingText: "the URLProtocol finished without a response"))
        }
        storeAnswer()
        stop()
        guard let file else { return task.post(.completed(TaskResult(data: body))) }
        file.finish { [task] result in
            switch result {
            case .success(let file):
                task.post(.completed(TaskResult(file: file)))
            case .failure(let error):
                task.post(.completed(TaskResult(error: error.for(task.currentRequest?.url))))
            }
        }
    }

    /// Keeps the answer as its loader allows, if the delegate agrees.
    private func storeAnswer() {
        let (response, body, policy) = state.withLock { state in
            (state.response, state.body, state.cachePolicy)
        }
        guard let response, let policy, let cache else { return }
        let proposal = CachedURLResponse(response: response, data: body, storagePolicy: policy)
        let reply = Reply<CachedURLResponse?> { [request = task.requestToLoad] answer in
            if let answer { cache.storeCachedResponse(answer, for: request) }
        }
        guard case .delegate = task.receiver, task.dataListener != nil else {
            return reply(proposal)
        }
        task.post(.willCache(proposal, reply))
    }

    private var cache: URLCache? { task.session.settings.web.cache }

    private func fail(_ error: any Error) {
        state.withLock { $0.file }?.discard()
        stop()
        if let error = error as? URLError {
            task.post(.completed(TaskResult(error: error)))
        } else {
            task.post(.completed(TaskResult(foreignError: error)))
        }
    }
}

// MARK: - What a loader reports

extension ProtocolLoad {
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

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        take(.end, from: `protocol`)
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        take(.failure(error), from: `protocol`)
    }
}

extension URLSession {
    /// Who is asked whether it loads a task, in this order.
    var protocolClasses: [URLProtocol.Type] {
        settings.protocolClasses + (isShared ? URLProtocol.registeredClasses : [])
    }
}
