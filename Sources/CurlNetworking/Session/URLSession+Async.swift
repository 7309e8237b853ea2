public import FoundationEssentials

extension URLSession {
    /// Loads a body into memory.
    ///
    /// - Parameter delegate: Gets the events of this task, in place of the session's delegate.
    /// - Throws: `URLError`; `.cancelled` when the surrounding task is cancelled.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            guard !isSubclassed else {
                return dataTask(with: request, completionHandler: receive).reporting(to: delegate)
            }
            return dataTask(
                request, for: .dataHandler(isAwaited: true, receive), delegate: delegate)
        }
    }

    /// Like `data(for:delegate:)`, for a GET.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a body and loads the answer's.
    public func upload(
        for request: URLRequest, from bodyData: Data,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            guard !isSubclassed else {
                return uploadTask(with: request, from: bodyData, completionHandler: receive)
                    .reporting(to: delegate)
            }
            return uploadTask(
                request, .data(bodyData), for: .dataHandler(isAwaited: true, receive),
                delegate: delegate)
        }
    }

    /// Sends a file, without ever holding all of it, and loads the answer's body.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL,
        delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            guard !isSubclassed else {
                return uploadTask(with: request, fromFile: fileURL, completionHandler: receive)
                    .reporting(to: delegate)
            }
            return uploadTask(
                request, .file(fileURL), for: .dataHandler(isAwaited: true, receive),
                delegate: delegate)
        }
    }

    /// Loads a body into a temporary file, which the caller moves or removes.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await answer { receive in
            downloadTask(
                request, for: .fileHandler(isAwaited: true, receive), delegate: delegate)
        }
    }

    /// Like `download(for:delegate:)`, for a GET.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Whether the tasks of this session may be somebody's own: those of a mock, in a test.
    private var isSubclassed: Bool { type(of: self) != URLSession.self }

    /// Runs a task made with a completion handler, and cancels it with the surrounding task.
    func answer<Body: Sendable>(
        _ make: (@escaping @Sendable (Body?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Body, URLResponse) {
        let result = AsyncResult<(Body, URLResponse)>()
        let task = make { body, response, error in
            if let body, let response {
                result.finish(.success((body, response)))
            } else {
                result.finish(.failure(error ?? URLError(.unknown)))
            }
        }
        return try await withTaskCancellationHandler {
            task.resume()
            return try await result.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension URLSessionTask {
    fileprivate func reporting(to delegate: (any URLSessionTaskDelegate)?) -> Self {
        if let delegate { self.delegate = delegate }
        return self
    }
}
