public import CurlNetworking
public import FoundationEssentials
public import HTTPTypes
import Synchronization

extension URLSession {
    // MARK: - Streams

    /// Sends a request, and returns when the head of the response was received. Both bodies are streams and
    /// are transferred at the same time: the request's can be written while the response's is read.
    ///
    /// - Parameter delegate: Receives the events of the task instead of the session's delegate.
    /// - Throws: `URLError`; `.badURL` for a request without scheme, authority or path, `.cancelled` if the
    ///   surrounding task is cancelled; an error that the request's body throws.
    public func send(
        _ request: HTTPRequest, body: HTTPRequestBody? = nil,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (HTTPResponse, HTTPResponseBody) {
        let failure = BodyFailure()
        let content: StreamedExchange.Body =
            switch body?.source {
            case nil: .none
            case .data(let data)?: .data(data)
            case .file(let url)?: .file(url)
            case .written(let writing)?: .produced(writing.producer { failure.note($0) })
            }
        let exchange = StreamedExchange(
            try makeRequest(request), body: content, in: self, delegate: delegate)
        do {
            let response = try Self.converted(await exchange.response())
            return (response, HTTPResponseBody(exchange: exchange, failure: failure))
        } catch {
            throw failure.error ?? error
        }
    }

    // MARK: - Whole bodies, as in `HTTPTypesFoundation`

    /// Loads the response of a request into memory.
    public func data(
        for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await self.data(for: makeRequest(request), delegate: delegate)
        return (data, try Self.converted(response))
    }

    /// Sends a body and loads the response.
    public func upload(
        for request: HTTPRequest, from bodyData: Data,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: makeRequest(request), from: bodyData, delegate: delegate)
        return (data, try Self.converted(response))
    }

    /// Sends a file, without loading all of it into memory, and loads the response.
    public func upload(
        for request: HTTPRequest, fromFile fileURL: URL,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, HTTPResponse) {
        let (data, response) = try await upload(
            for: makeRequest(request), fromFile: fileURL, delegate: delegate)
        return (data, try Self.converted(response))
    }

    /// Loads the response body into a temporary file, which the caller has to move or remove.
    public func download(
        for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, HTTPResponse) {
        let (file, response) = try await download(for: makeRequest(request), delegate: delegate)
        return (file, try Self.converted(response))
    }

    /// Returns when the head of the response was received; the body is read byte by byte.
    public func bytes(
        for request: HTTPRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, HTTPResponse) {
        let (bytes, response) = try await self.bytes(for: makeRequest(request), delegate: delegate)
        return (bytes, try Self.converted(response))
    }

    private func makeRequest(_ request: HTTPRequest) throws -> URLRequest {
        guard let request = URLRequest(httpRequest: request) else { throw URLError(.badURL) }
        return request
    }

    private static func converted(_ response: URLResponse) throws -> HTTPResponse {
        guard let response = (response as? HTTPURLResponse)?.httpResponse else {
            throw URLError(.badServerResponse)
        }
        return response
    }
}

/// The error that the closure of a request's body has thrown.
final class BodyFailure: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    func note(_ error: any Error) {
        first.withLock { if $0 == nil { $0 = error } }
    }

    var error: (any Error)? { first.withLock { $0 } }
}
