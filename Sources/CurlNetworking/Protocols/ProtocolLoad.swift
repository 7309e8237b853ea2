import Dispatch
import FoundationEssentials
import Synchronization

/// Loads a task with a ``URLProtocol``: chooses the class, runs the loader on its own queue, and passes its
/// reports on to the task (`ProtocolLoad+Reports`).
final class ProtocolLoad: Sendable {
    let task: URLSessionTask
    let queue = DispatchQueue(label: "CurlNetworking.protocol")
    let state = Mutex(State())

    struct State: Sendable {
        var loader: Loader?
        /// Reports that wait for the delegate's answer.
        var waiting: [Report] = []
        var isAsking = false
        var isOver = false
        var redirectCount = 0
        var response: URLResponse?
        /// The body, for a completion handler or the cache.
        var body = Data()
        /// How the response may be cached; nil if it may not, or is too long.
        var cachePolicy: URLCache.StoragePolicy?
        var file: DownloadFile?
    }

    /// A loader, which may be used on its queue.
    struct Loader: @unchecked Sendable {
        // Unchecked because a loader is created and used on the load's queue only; elsewhere only its
        // identity is compared.
        let urlProtocol: URLProtocol
    }

    private init(_ task: URLSessionTask) {
        self.task = task
    }

    /// Whether there is a class that has to be asked about a task.
    static func mayLoad(_ task: URLSessionTask) -> Bool {
        !task.session.protocolClasses.isEmpty || DataURLProtocol.canInit(with: task)
            || !lastResorts(for: task).isEmpty
    }

    /// The registered classes, for a URL that the engine cannot load.
    private static func lastResorts(for task: URLSessionTask) -> [URLProtocol.Type] {
        let isKnown = task.requestToLoad.url.flatMap(Origin.init(of:)) != nil
        return isKnown ? [] : URLProtocol.registeredClasses
    }

    /// Starts a task with a class that can load it, otherwise with the engine.
    static func start(_ task: URLSessionTask) {
        let load = ProtocolLoad(task)
        // A task that is cancelled from here on stops the load; one that was is complete.
        let isWanted = task.status.withLock { status in
            if !status.life.isOver { status.urlProtocol.load = load }
            return !status.life.isOver
        }
        guard isWanted else { return }
        load.queue.async { @Sendable in load.begin() }
    }

    /// Called when the task was cancelled.
    func stop() {
        guard let (loader, file) = finish() else { return }
        file?.discard()
        stop(loader)
    }

    // MARK: - On the queue

    func begin() {
        guard !state.withLock({ $0.isOver }) else { return }
        let kinds =
            task.session.protocolClasses + [DataURLProtocol.self] + Self.lastResorts(for: task)
        guard let kind = kinds.first(where: { $0.canInit(with: task) })
        else {
            finish()?.file?.discard()  // of a response before the redirect
            return Engine.shared.thread.submit { [task] engine in engine.start(task) }
        }
        fillBody { [self] in queue.async { @Sendable [self] in load(by: kind) } }
    }

    /// Adds the body of an upload to the request, where loaders expect it, and then continues.
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
        let request = task.withAdditionalHeaders(task.requestToLoad)
        // As for a session: not one of another account.
        let query = CacheQuery(request: request.headers, requester: CacheRequester())
        let cached = cache.flatMap {
            $0.isSubclassed
                ? $0.cachedResponse(for: request) : $0.response(for: request, query)
        }
        let loader = Loader(
            urlProtocol: kind.init(task: task, cachedResponse: cached, client: self))
        let isWanted = state.withLock { state in
            if !state.isOver { state.loader = loader }
            return !state.isOver
        }
        if isWanted { loader.urlProtocol.startLoading() }
    }

    // MARK: - The end

    /// Marks the load as finished. Returns its loader, which has to be stopped, and its file, which has to be
    /// discarded or handed over; nil if it was finished before.
    private func finish() -> (loader: Loader?, file: DownloadFile?)? {
        task.status.withLock { $0.urlProtocol.load = nil }
        return state.withLock { state -> (loader: Loader?, file: DownloadFile?)? in
            guard !state.isOver else { return nil }
            defer {
                state.loader = nil
                state.file = nil
            }
            state.isOver = true
            state.waiting = []
            return (loader: state.loader, file: state.file)
        }
    }

    private func stop(_ loader: Loader?) {
        queue.async { @Sendable in loader?.urlProtocol.stopLoading() }
    }

    func complete() {
        let (hasResponse, body) = state.withLock { state in (state.response != nil, state.body) }
        // As with FoundationNetworking, delegates and handlers get what there is; an awaiting caller needs a response.
        guard hasResponse || task.takesMissingResponse else {
            return fail(
                URLError(
                    .badServerResponse, failingURL: task.currentRequest?.url,
                    underlyingText: "the URLProtocol finished without a response"))
        }
        storeAnswer()
        guard let end = finish() else { return }  // cancelled meanwhile
        stop(end.loader)
        guard let file = end.file else { return task.post(.completed(TaskResult(data: body))) }
        file.finish { [task] result in
            switch result {
            case .success(let file):
                task.post(.completed(TaskResult(file: file)))
            case .failure(let error):
                task.post(.completed(TaskResult(error: error.for(task.currentRequest?.url))))
            }
        }
    }

    /// Stores the response as its loader allows, if the delegate agrees.
    private func storeAnswer() {
        let (response, body, policy) = state.withLock { state in
            (state.response, state.body, state.cachePolicy)
        }
        guard let response, let policy, let cache else { return }
        let proposal = CachedURLResponse(response: response, data: body, storagePolicy: policy)
        let reply = Reply<CachedURLResponse?> {
            [request = task.withAdditionalHeaders(task.requestToLoad)] answer in
            if let answer { cache.storeCachedResponse(answer, for: request) }
        }
        guard case .delegate = task.receiver, task.dataListener != nil else {
            return reply(proposal)
        }
        task.post(.willCache(proposal, reply))
    }

    var cache: URLCache? { task.session.settings.web.cache }

    func fail(_ error: any Error) {
        guard let (loader, file) = finish() else { return }
        file?.discard()
        stop(loader)
        if let error = error as? URLError {
            task.post(.completed(TaskResult(error: error)))
        } else {
            task.post(.completed(TaskResult(foreignError: error)))
        }
    }
}

extension URLSessionTask {
    /// A redirect of a `URLProtocol`, most often a copy of the request that it was given: what the session had added for
    /// the first origin does not go to another.
    func withoutSessionCredentials(_ redirected: URLRequest) -> URLRequest {
        guard let more = session.settings.additionalHeaders,
            redirected.url.flatMap(Origin.init(of:)) != firstRequest.url.flatMap(Origin.init(of:))
        else { return redirected }
        var request = redirected
        for name in RedirectPolicy.originFields
        where more[name] != nil && request.headers[name] == more[name] {
            request.headers[name] = nil
        }
        return request
    }

    /// A request as a `URLProtocol` sees it. What belongs to the first origin does not go to another.
    func withAdditionalHeaders(_ request: URLRequest) -> URLRequest {
        guard var more = session.settings.additionalHeaders else { return request }
        if request.url.flatMap(Origin.init(of:)) != firstRequest.url.flatMap(Origin.init(of:)) {
            for name in RedirectPolicy.originFields { more[name] = nil }
        }
        var request = request
        request.headers.fill(from: more)
        return request
    }

    fileprivate var takesMissingResponse: Bool {
        switch receiver {
        case .delegate, .dataHandler(isAwaited: false, _): true
        case .dataHandler, .fileDelegate, .fileHandler, .bytes: false
        }
    }
}

extension URLSession {
    /// The classes that are asked whether they load a task, in order.
    var protocolClasses: [URLProtocol.Type] {
        settings.protocolClasses + (isShared ? URLProtocol.registeredClasses : [])
    }
}
