import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct InputStreamTests {
    @Test func theNameMeansOursBesideAllOfFoundation() {
        #expect(type(of: InputStream(data: Data())) == CurlNetworking.InputStream.self)
    }

    @Test func memoryIsReadFromOpenToEnd() {
        let stream = InputStream(data: Data([1, 2, 3]))
        #expect(stream.streamStatus == .notOpen)
        #expect(!stream.hasBytesAvailable)
        #expect(read(stream, 2) == nil)
        stream.open()
        #expect(stream.hasBytesAvailable)
        #expect(read(stream, 2) == [1, 2])
        #expect(read(stream, 2) == [3])
        #expect(read(stream, 2) == [])
        #expect(stream.streamStatus == .atEnd)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(read(stream, 2) == nil)
    }

    @Test func aFileIsReadFromOpenToEnd() throws {
        let folder = try ScratchFolder()
        let file = try folder.put(Data([7, 8]))
        let stream = try #require(InputStream(url: file))
        stream.open()
        #expect(read(stream, 10) == [7, 8])
        #expect(read(stream, 10) == [])
        stream.close()
    }

    @Test func aMissingFileShowsWhenItIsOpened() throws {
        let stream = try #require(InputStream(fileAtPath: "/nowhere/at/all"))
        stream.open()
        #expect(stream.streamStatus == .error)
        #expect((stream.streamError as? URLError)?.code == .fileDoesNotExist)
        #expect(try InputStream(url: #require(URL(string: "http://a.test"))) == nil)
    }

    @Test func aRequestsOwnStreamGoesOutChunked() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let body = makeBytes(300_000)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: body)
        _ = try await makeSession().data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent["Transfer-Encoding"] == "chunked")
        #expect(Data(sent.body) == body)
        #expect(request.httpBodyStream?.streamStatus != .notOpen)
    }

    @Test func withAContentLengthItGoesOutUnchanged() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let body = makeBytes(300_000)
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: body + Data([1, 2, 3]))
        request.setValue("300000", forHTTPHeaderField: "Content-Length")
        let task = makeSession().dataTask(with: request)
        _ = try await makeSession().data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent["Content-Length"] == "300000")
        #expect(sent["Transfer-Encoding"] == nil)
        #expect(Data(sent.body) == body)
        task.cancel()
    }

    @Test func aStreamShorterThanItsContentLengthFailsTheTask() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data([1, 2, 3]))
        request.setValue("4", forHTTPHeaderField: "Content-Length")
        await #expect {
            try await makeSession().data(for: request)
        } throws: {
            ($0 as? URLError)?.code == .requestBodyStreamExhausted
        }
    }

    @Test func aClosureMakesTheBodyWhileItIsSentAndARedirectAsksForANewOne()
        async throws
    {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("307 X", ["Location: /again"])] : [.answer()]
        }
        let delegate = RecordingDelegate { $0.body = { InputStream(data: Data("again".utf8)) } }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let rest = Mutex(3)
        request.httpBodyStream = InputStream { buffer in
            rest.withLock { rest in
                guard rest > 0 else { return 0 }
                rest -= 1
                buffer.copyBytes(from: Array("abc".utf8))
                return 3
            }
        }
        makeSession(delegate).dataTask(with: request).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.requests.map(\.text) == ["abcabcabc", "again"])
        #expect(
            delegate.calls.filter { $0 != "sent" }
                == ["redirect 307", "bodyStream", "response 200", "completed"])
    }

    /// nil when the stream refuses.
    private func read(_ stream: InputStream, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = stream.read(&bytes, maxLength: count)
        return read < 0 ? nil : Array(bytes.prefix(read))
    }
}
