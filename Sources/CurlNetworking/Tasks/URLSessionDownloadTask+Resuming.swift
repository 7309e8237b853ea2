public import FoundationEssentials

extension URLSessionDownloadTask {
    /// Cancels the download, and keeps what has arrived so that a later task can go on with it.
    ///
    /// The resume data is nil when that is impossible: the server has to send byte ranges and a strong
    /// `ETag` or a `Last-Modified`, the request has to be a GET, and something has to have arrived. It
    /// may be kept and used by another process, for 14 days. It holds no passwords, tokens or cookies:
    /// give those again with ``URLSession/downloadTask(withResumeData:headers:)`` when the server wants
    /// them.
    ///
    /// - Parameter completionHandler: Called once on the session's `delegateQueue`, before the task's
    ///   completion. The error of the completion has the resume data too.
    public func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void
    ) {
        cancel(producing: completionHandler)
    }

    /// Like ``cancel(byProducingResumeData:)``.
    public func cancelByProducingResumeData() async -> Data? {
        await cancelProducing()
    }
}

extension URLSession {
    /// Makes a task that goes on with a download for the session's delegate.
    ///
    /// It asks for the rest under the condition that the resource is still the same, and starts over
    /// when it is not. It fails with `.cannotDecodeRawData` for data that is damaged or not ours, and
    /// with `.cannotOpenFile` when the part is gone or another task goes on with it.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        downloadTask(DownloadStart(resumeData), for: .fileDelegate)
    }

    /// Makes a task that goes on with a download, with fields that resume data does not keep: an
    /// `Authorization` for instance.
    ///
    /// Not in Apple's suite.
    public func downloadTask(
        withResumeData resumeData: Data, headers: [String: String]
    ) -> URLSessionDownloadTask {
        downloadTask(DownloadStart(resumeData, headers: headers), for: .fileDelegate)
    }

    /// Makes a task that goes on with a download. The file is removed when `completionHandler` returns.
    public func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(
            DownloadStart(resumeData), for: .fileHandler(isAwaited: false, completionHandler))
    }

    /// Goes on with a download into a temporary file, which the caller moves or removes.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await answer { receive in
            downloadTask(
                DownloadStart(resumeData), for: .fileHandler(isAwaited: true, receive),
                delegate: delegate)
        }
    }

    private func downloadTask(
        _ start: DownloadStart, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionDownloadTask {
        register { identifier in
            URLSessionDownloadTask(
                session: self, identifier: identifier, request: start.request,
                source: start.source, receiver: receiver, delegate: delegate, start: start)
        }
    }
}

/// What a download begins with that goes on.
struct DownloadStart: TaskStart {
    let blob: Data
    let read: Result<ResumeData, URLError>
    /// Fields that the blob does not keep.
    private let headers: HTTPHeaderFields

    init(_ blob: Data, headers: [String: String] = [:]) {
        self.blob = blob
        self.headers = HTTPHeaderFields(headers)
        read = Result { () throws(URLError) in try ResumeData(blob: blob) }
    }

    var source: BodySource { .none }

    /// The request the first task was made with, as far as the blob contains it.
    var request: URLRequest {
        var request = URLRequest(url: data?.originalURL ?? URL(filePath: "/"))
        if data == nil { request.url = nil }
        request.headers = data?.headers ?? HTTPHeaderFields()
        return complete(request)
    }

    /// Adds the caller's fields.
    func complete(_ request: URLRequest) -> URLRequest {
        var request = request
        for field in headers.fields { request.headers[field.name] = field.value }
        return request
    }
}
