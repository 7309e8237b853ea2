public import FoundationEssentials

extension URLSessionDownloadTask {
    /// Cancels the download, and returns data with which a later task can resume it; nil if that is
    /// impossible.
    public func cancelByProducingResumeData() async -> Data? {
        await cancelProducing()
    }
}

extension URLSession {
    /// Creates a task that resumes a download, with header fields that resume data does not contain, such as
    /// `Authorization`.
    ///
    /// Not part of Apple's API.
    public func downloadTask(
        withResumeData resumeData: Data, headers: [String: String]
    ) -> URLSessionDownloadTask {
        downloadTask(DownloadStart(resumeData, headers: headers), for: .fileDelegate)
    }

    /// Resumes a download into a temporary file, which the caller has to move or remove.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await answer { receive in
            downloadTask(
                DownloadStart(resumeData), for: .fileHandler(isAwaited: true, OneShot(receive)),
                delegate: delegate)
        }
    }

    func downloadTask(
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

/// The state from which a download task resumes.
struct DownloadStart: TaskStart {
    let blob: Data
    let read: Result<ResumeData, URLError>
    /// Fields that resume data does not contain.
    private let headers: HTTPHeaderFields

    init(_ blob: Data, headers: [String: String] = [:]) {
        self.blob = blob
        self.headers = HTTPHeaderFields(headers)
        read = Result { () throws(URLError) in try ResumeData(blob: blob) }
    }

    var source: BodySource { .none }

    /// The first task's request, as far as the resume data contains it.
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
