public import FoundationEssentials

// MARK: - Data tasks

extension URLSession {
    /// Makes a task that reports to the session's delegate.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        dataTask(request, for: .delegate)
    }

    /// Makes a task that gets a URL and reports to the session's delegate.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    /// Makes a task that keeps the body in memory and hands it to `completionHandler`: the body and
    /// the response, or an error. Redirects still go to the delegate.
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(request, for: .dataHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that gets a URL and hands its body to `completionHandler`.
    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}

// MARK: - Upload tasks

extension URLSession {
    /// Makes a task that sends `bodyData`. The request's method should be POST or PUT.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        uploadTask(request, .data(bodyData), for: .delegate)
    }

    /// Makes a task that sends a file as it is on the disk, without ever holding all of it.
    ///
    /// The file is opened when the task starts. It fails with `.fileDoesNotExist`,
    /// `.fileIsDirectory` or `.noPermissionsToReadFile`, and with `.requestBodyStreamExhausted` when
    /// the file became shorter on the way.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask
    {
        uploadTask(request, .file(fileURL), for: .delegate)
    }

    /// Makes a task that asks its delegate for a body of unknown length.
    public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        uploadTask(request, .stream, for: .delegate)
    }

    /// Makes a task that sends `bodyData` and hands the answer to `completionHandler`.
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            request, .data(bodyData ?? Data()),
            for: .dataHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that sends a file and hands the answer to `completionHandler`.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(request, .file(fileURL), for: .dataHandler(isAwaited: false, completionHandler))
    }
}

// MARK: - Download tasks

extension URLSession {
    /// Makes a task that brings the body into a temporary file for the session's delegate.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileDelegate)
    }

    /// Makes a task that brings a URL's body into a temporary file for the session's delegate.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    /// Makes a task that brings the body into a temporary file. The file is removed when
    /// `completionHandler` returns: move or open it before.
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(request, for: .fileHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that brings a URL's body into a temporary file, which is removed when `completionHandler` returns.
    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }
}

// MARK: - Making them

extension URLSession {
    func dataTask(
        _ request: URLRequest, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDataTask {
        register { identifier in
            URLSessionDataTask(
                session: self, identifier: identifier, request: request,
                source: BodySource(of: request), receiver: receiver,
                delegate: delegate)
        }
    }

    func uploadTask(
        _ request: URLRequest, _ source: BodySource, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        register { identifier in
            URLSessionUploadTask(
                session: self, identifier: identifier, request: request, source: source,
                receiver: receiver, delegate: delegate)
        }
    }

    func downloadTask(
        _ request: URLRequest, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        register { identifier in
            URLSessionDownloadTask(
                session: self, identifier: identifier, request: request,
                source: BodySource(of: request), receiver: receiver,
                delegate: delegate)
        }
    }
}
