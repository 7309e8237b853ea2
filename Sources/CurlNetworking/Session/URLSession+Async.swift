public import FoundationEssentials

extension URLSession {
    /// Loads the response of a request into memory.
    ///
    /// - Parameter delegate: Receives the events of this task instead of the session's delegate.
    /// - Throws: `URLError`; `.cancelled` if the surrounding task is cancelled.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            guard !isSubclassed else {
                return dataTask(with: request, completionHandler: receive).reporting(to: delegate)
            }
            return dataTask(
                request, for: .dataHandler(isAwaited: true, OneShot(receive)), delegate: delegate)
        }
    }

    /// Loads a URL with GET. See `data(for:delegate:)`.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Sends a body and loads the response.
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
                request, .data(bodyData), for: .dataHandler(isAwaited: true, OneShot(receive)),
                delegate: delegate)
        }
    }

    /// Sends a file, without loading all of it into memory, and loads the response.
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
                request, .file(fileURL), for: .dataHandler(isAwaited: true, OneShot(receive)),
                delegate: delegate)
        }
    }

    /// Loads the response body into a temporary file, which the caller has to move or remove.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await answer { receive in
            downloadTask(
                request, for: .fileHandler(isAwaited: true, OneShot(receive)), delegate: delegate)
        }
    }

    /// Loads a URL with GET into a temporary file. See `download(for:delegate:)`.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await download(for: URLRequest(url: url), delegate: delegate)
    }

    /// Whether the session is a subclass, whose tasks may be mocks of a test.
    private var isSubclassed: Bool { type(of: self) != URLSession.self }

    /// Runs a task that is created with a completion handler, and cancels it with the surrounding task.
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
