public import FoundationEssentials

// The async forms without a delegate are separate methods instead of default arguments. Only then does a
// session conform to a protocol that requires `func data(for: URLRequest) async throws -> …`.

extension URLSession {
    /// Loads the response of a request into memory.
    ///
    /// - Throws: `URLError`; `.cancelled` if the surrounding task is cancelled.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    /// Loads a URL with GET. See `data(for:)`.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(from: url, delegate: nil)
    }

    /// Sends a body and loads the response.
    public func upload(
        for request: URLRequest, from bodyData: Data
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// Sends a file, without loading all of it into memory, and loads the response.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    /// Loads the response body into a temporary file, which the caller has to move or remove.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    /// Loads a URL with GET into a temporary file. See `download(for:)`.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    /// Starts loading and returns when the head of the response has been received; the sequence delivers the
    /// body. The transfer is paused while the reader is slow.
    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, delegate: nil)
    }

    /// Loads a URL with GET, and returns when the head of the response has been received. See `bytes(for:)`.
    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(from: url, delegate: nil)
    }
}
