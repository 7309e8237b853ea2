public import CurlNetworking
import CurlNetworkingHTTPTypes
public import Foundation
public import HTTPTypes
public import OpenAPIRuntime

// To be copied into a target that depends on CurlNetworking, CurlNetworkingHTTPTypes, HTTPTypes and OpenAPIRuntime.

/// Sends the requests of a generated client by a `URLSession` of CurlNetworking. Both bodies are streams.
///
/// ```swift
/// let client = Client(serverURL: try Servers.server1(), transport: CurlTransport())
/// ```
public struct CurlTransport: ClientTransport {
    private let session: URLSession

    /// - Parameter session: Its configuration, cookies, cache, credentials and delegate count.
    public init(session: URLSession = .shared) {
        self.session = session
    }

    /// - Throws: `URLError`, `.badURL` for a base URL without a host; what the request's body throws.
    public func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let (response, received) = try await session.send(
            try request.based(on: baseURL), body: body.map(HTTPRequestBody.init))
        let length = response.headerFields[.contentLength].flatMap(Int64.init)
        let isCoded = response.headerFields[.contentEncoding] != nil
        let isEmpty = request.method == .head || [204, 304].contains(response.status.code)
        guard !isEmpty else { return (response, nil) }
        return (
            response,
            HTTPBody(
                received.map { ArraySlice($0) },
                length: isCoded ? .unknown : length.map { .known($0) } ?? .unknown,
                iterationBehavior: .single)
        )
    }
}

extension HTTPRequest {
    /// The request below a server's URL, whose path goes in front.
    fileprivate func based(on base: URL) throws -> HTTPRequest {
        guard let scheme = base.scheme, let host = base.host(percentEncoded: true) else {
            throw URLError(.badURL)
        }
        var prefix = base.path(percentEncoded: true)
        if prefix.hasSuffix("/") { prefix.removeLast() }
        var request = self
        request.scheme = scheme
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        request.authority = base.port.map { "\(name):\($0)" } ?? name
        request.path = prefix + (path ?? "/")
        return request
    }
}

extension HTTPRequestBody {
    fileprivate init(_ body: HTTPBody) {
        var byteCount: Int64?
        if case .known(let count) = body.length { byteCount = count }
        self = .written(
            byteCount: byteCount, isRestartable: body.iterationBehavior == .multiple
        ) { writer in
            for try await chunk in body { try await writer.write(Data(chunk)) }
            return nil
        }
    }
}
