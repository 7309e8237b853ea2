import CurlNetworking
import Foundation
import TestSupport
import Testing

/// What a program asks of a session behind a protocol of its own, to have another in its tests.
private protocol Loading {
    func data(for request: URLRequest) async throws -> (Data, URLResponse)
    func data(from url: URL) async throws -> (Data, URLResponse)
    func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse)
    func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse)
    func download(for request: URLRequest) async throws -> (URL, URLResponse)
    func download(from url: URL) async throws -> (URL, URLResponse)
    func bytes(for request: URLRequest) async throws -> (URLSession.AsyncBytes, URLResponse)
    func bytes(from url: URL) async throws -> (URLSession.AsyncBytes, URLResponse)
}

private protocol LoadingWithDelegate {
    func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
}

extension URLSession: Loading, LoadingWithDelegate {}

@Suite(.timeLimit(.minutes(1))) struct ProtocolConformanceTests {
    @Test func aSessionConformsToAProtocolOfTheProgram() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let session = makeSession()
        let loading: any Loading = session
        let request = URLRequest(url: server.url())
        #expect(try await loading.data(for: request).0 == Data("x".utf8))
        #expect(try await session.data(for: request).0 == Data("x".utf8))
        #expect(try await session.data(for: request, delegate: nil).0 == Data("x".utf8))
    }
}
