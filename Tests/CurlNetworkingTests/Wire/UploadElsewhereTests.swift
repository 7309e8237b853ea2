import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Uploads that another process has begun: all there is of them is their resume data.
@Suite(.timeLimit(.minutes(1))) struct UploadElsewhereTests {
    private let body = makeBytes(200_000)
    private static let hasSome = LoopbackStep.send(
        "HTTP/1.1 204 X\r\nUpload-Offset: 70000\r\nUpload-Complete: ?0\r\n\r\n")

    /// Has the first 70,000 bytes, and takes the rest.
    private func makeServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.method == "HEAD"
                ? [Self.hasSome] : [.answer("201 Created", body: "stored")]
        }
    }

    private func makeBlob(for server: LoopbackServer) throws -> Data {
        try UploadResumeData(location: server.url("/upload/1"), byteCount: Int64(body.count)).blob
    }

    @Test func asksTheDelegateForTheRest() async throws {
        let server = try makeServer()
        let blob = try makeBlob(for: server)
        let delegate = RestDelegate(body)
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.uploadTask(withResumeData: blob)
        task.resume()
        await delegate.completed.wait()
        #expect(task.error == nil)
        #expect(server.requests.map(\.method) == ["HEAD", "PATCH"])
        #expect(server.requests.map(\.target) == ["/upload/1", "/upload/1"])
        #expect(server.requests.last?["Upload-Offset"] == "70000")
        #expect(server.requests.last.map { Data($0.body) } == body.dropFirst(70000))
        #expect(delegate.offsets.withLock { $0 } == [70000])
        #expect(task.countOfBytesSent == 200_000)
    }

    @Test func theRestMayBeReturned() async throws {
        let server = try makeServer()
        let blob = try makeBlob(for: server)
        let (data, _) = try await URLSession(
            configuration: .ephemeral, delegate: ReturningDelegate(body), delegateQueue: nil
        ).upload(resumeFrom: blob)
        #expect(data == Data("stored".utf8))
        #expect(server.requests.last.map { Data($0.body) } == body.dropFirst(70000))
    }

    @Test func withoutARestItFails() async throws {
        let server = try LoopbackServer { _ in [Self.hasSome] }
        let blob = try makeBlob(for: server)
        let delegate = RecordingDelegate()
        makeSession(delegate).uploadTask(withResumeData: blob).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .requestBodyStreamExhausted)
        let again = try #require(delegate.error?.uploadTaskResumeData)
        #expect(try UploadResumeData(blob: again) == UploadResumeData(blob: blob))
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    /// There is no request to begin again with.
    @Test func whatTheServerForgotIsOver() async throws {
        let server = try LoopbackServer { _ in [.answer("404 Not Found")] }
        let blob = try makeBlob(for: server)
        let delegate = RecordingDelegate()
        makeSession(delegate).uploadTask(withResumeData: blob).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .badServerResponse)
        #expect(server.requests.count == 1)
    }
}

private final class RestDelegate: URLSessionTaskDelegate {
    let completed = Signal()
    let offsets = Mutex<[Int64]>([])
    private let body: Data

    init(_ body: Data) {
        self.body = body
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        offsets.withLock { $0.append(offset) }
        completionHandler(InputStream(data: Data(body.dropFirst(Int(offset)))))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        completed.add()
    }
}

/// Gives the rest by returning it.
private final class ReturningDelegate: URLSessionTaskDelegate {
    private let body: Data

    init(_ body: Data) {
        self.body = body
    }

    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream? {
        await Task.yield()
        return InputStream(data: Data(body.dropFirst(Int(offset))))
    }
}
