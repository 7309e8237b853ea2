public import FoundationEssentials

// The async forms without a delegate are methods of their own, not defaults of the others: only so does a
// session conform to a protocol that asks for `func data(for: URLRequest) async throws -> …`.

extension URLSession {
    /// Loads a body into memory.
    ///
    /// - Throws: `URLError`; `.cancelled` when the surrounding task is cancelled.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    /// Like `data(for:)`, for a GET.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(from: url, delegate: nil)
    }

    /// Sends a body and loads the answer's.
    public func upload(
        for request: URLRequest, from bodyData: Data
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// Sends a file, without ever holding all of it, and loads the answer's body.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    /// Loads a body into a temporary file, which the caller moves or removes.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    /// Like `download(for:)`, for a GET.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    /// Starts loading and returns as soon as the head of the answer is there; the body is read from
    /// the sequence. A slow reader holds the transfer back.
    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, delegate: nil)
    }

    /// Like `bytes(for:)`, for a GET.
    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(from: url, delegate: nil)
    }
}
