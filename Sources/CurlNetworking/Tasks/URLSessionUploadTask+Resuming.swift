public import FoundationEssentials

extension URLSessionUploadTask {
    /// Cancels the upload, and produces data with which a later task can resume it.
    ///
    /// The resume data is nil unless the server supports resumable uploads and has announced that with an
    /// interim response (`104`). It contains neither the body nor credentials.
    ///
    /// - Parameter completionHandler: Called once on the session's `delegateQueue`, before the task
    ///   completes. The error of the completion contains the resume data, too.
    public func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void
    ) {
        cancel(producing: completionHandler)
    }

    /// Cancels the upload, and returns data with which a later task can resume it; nil if that is impossible.
    public func cancelByProducingResumeData() async -> Data? {
        await cancelProducing()
    }
}

extension URLSession {
    /// Creates a task that resumes an upload: it asks the server how much has arrived, and sends the rest.
    ///
    /// In the process that produced the resume data, the request and the body are still known, until a task has
    /// sent the rest: those of the last 32 uploads, and bodies in memory up to 4 MiB. A file must not have
    /// changed. In another process, pass both again with
    /// ``uploadTask(withResumeData:request:fromFile:)``. Otherwise the task asks its delegate for the rest of
    /// the body (`needNewBodyStreamFrom`) and sends only the configuration's header fields.
    ///
    /// The task fails with `.cannotDecodeRawData` if the data is damaged or has another format.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        uploadTask(.find(resumeData), for: .delegate)
    }

    /// Creates a task that resumes an upload and calls a handler with the response.
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            .find(resumeData), for: .dataHandler(isAwaited: false, OneShot(completionHandler)))
    }

    /// Creates a task that resumes the upload of a file, possibly started by another process.
    ///
    /// Not part of Apple's API. Restarts the upload if the server no longer has it.
    ///
    /// - Parameters:
    ///   - request: The first task's request. The task fails with `.cannotDecodeRawData` if the upload is at
    ///     another server.
    ///   - fileURL: The same body, with the same length.
    public func uploadTask(
        withResumeData resumeData: Data, request: URLRequest, fromFile fileURL: URL
    ) -> URLSessionUploadTask {
        uploadTask(
            UploadStart(resumeData, request: request, source: .file(fileURL)), for: .delegate)
    }

    /// Creates a task that resumes the upload of data in memory. See
    /// ``uploadTask(withResumeData:request:fromFile:)``.
    public func uploadTask(
        withResumeData resumeData: Data, request: URLRequest, from bodyData: Data
    ) -> URLSessionUploadTask {
        uploadTask(
            UploadStart(resumeData, request: request, source: .data(bodyData)), for: .delegate)
    }

    /// Resumes an upload, and returns the response with its body.
    public func upload(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            uploadTask(
                .find(resumeData), for: .dataHandler(isAwaited: true, OneShot(receive)),
                delegate: delegate)
        }
    }

    private func uploadTask(
        _ start: UploadStart, for receiver: TaskReceiver,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) -> URLSessionUploadTask {
        register { identifier in
            URLSessionUploadTask(
                session: self, identifier: identifier, request: start.request,
                source: start.source, receiver: receiver, delegate: delegate, start: start)
        }
    }
}

/// The state from which an upload task resumes.
struct UploadStart: TaskStart {
    let blob: Data
    let request: URLRequest
    let source: BodySource
    /// Whether it has a complete request with which to restart.
    let hasRequest: Bool
    let read: Result<UploadResumeData, URLError>

    /// Finds the request and body of an upload of this process.
    static func find(_ blob: Data) -> UploadStart {
        guard let body = UploadBodies.find(blob) else { return UploadStart(blob) }
        return UploadStart(blob, request: body.request, source: body.source)
    }

    private init(_ blob: Data) {
        self.blob = blob
        read = Result { () throws(URLError) in try UploadResumeData(blob: blob) }
        let location = try? read.get().location
        var request = URLRequest(url: location ?? URL(filePath: "/"))
        if location == nil { request.url = nil }
        self.request = request
        source = .stream
        hasRequest = false
    }

    init(_ blob: Data, request: URLRequest, source: BodySource) {
        self.blob = blob
        self.request = request
        self.source = source
        hasRequest = true
        read = Result { () throws(URLError) in
            let data = try UploadResumeData(blob: blob)
            // The request's credentials must not be sent to another server.
            guard request.url.flatMap(Origin.init) == Origin(of: data.location) else {
                throw URLError(
                    .cannotDecodeRawData, failingURL: request.url,
                    underlyingText: "the resume data is of an upload to another server")
            }
            return data
        }
    }
}
