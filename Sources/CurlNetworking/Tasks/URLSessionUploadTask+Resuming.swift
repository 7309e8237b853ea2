public import FoundationEssentials

extension URLSessionUploadTask {
    /// Cancels the upload so that a later task can go on with it.
    ///
    /// The resume data is nil unless the server has said (by an interim `104`) that it keeps what has
    /// arrived. It holds neither the body nor credentials.
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
    /// Makes a task that goes on with an upload: it asks the server how much has arrived, and sends the
    /// rest.
    ///
    /// In the process that has made the resume data the request and the body are remembered; the file
    /// must not have changed. Elsewhere give both again, with
    /// ``uploadTask(withResumeData:request:fromFile:)``; this one then asks its delegate for the rest of
    /// the body, by `needNewBodyStreamFrom`, and has no header fields but the configuration's.
    ///
    /// It fails with `.cannotDecodeRawData` for data that is damaged or not ours.
    public func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask {
        uploadTask(.find(resumeData), for: .delegate)
    }

    /// Makes a task that goes on with an upload, and hands the answer to `completionHandler`.
    public func uploadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            .find(resumeData), for: .dataHandler(isAwaited: false, completionHandler))
    }

    /// Makes a task that goes on with an upload of a file, begun perhaps by another process.
    ///
    /// Not in Apple's suite. Starts over when the server has forgotten the upload.
    ///
    /// - Parameters:
    ///   - request: As for the first task. It fails with `.cannotDecodeRawData` when the upload is on
    ///     another server.
    ///   - fileURL: The same body, as long as then.
    public func uploadTask(
        withResumeData resumeData: Data, request: URLRequest, fromFile fileURL: URL
    ) -> URLSessionUploadTask {
        uploadTask(
            UploadStart(resumeData, request: request, source: .file(fileURL)), for: .delegate)
    }

    /// Like ``uploadTask(withResumeData:request:fromFile:)``, with the body in memory.
    public func uploadTask(
        withResumeData resumeData: Data, request: URLRequest, from bodyData: Data
    ) -> URLSessionUploadTask {
        uploadTask(
            UploadStart(resumeData, request: request, source: .data(bodyData)), for: .delegate)
    }

    /// Goes on with an upload, and loads the answer's body.
    public func upload(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await answer { receive in
            uploadTask(
                .find(resumeData), for: .dataHandler(isAwaited: true, receive),
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

/// What an upload begins with that goes on.
struct UploadStart: TaskStart {
    let blob: Data
    let request: URLRequest
    let source: BodySource
    /// Whether the request is one to begin again with.
    let hasRequest: Bool
    let read: Result<UploadResumeData, URLError>

    /// With the request and body of this process, if it remembers them.
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
            // The request's credentials are for its own server.
            guard request.url.flatMap(Origin.init) == Origin(of: data.location) else {
                throw URLError(
                    .cannotDecodeRawData, failingURL: request.url,
                    underlyingText: "the resume data is of an upload to another server")
            }
            return data
        }
    }
}
