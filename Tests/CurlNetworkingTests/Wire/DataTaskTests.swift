import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DataTaskTests {
    @Test func sendsExactlyThis() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "hello")] }
        var request = URLRequest(url: server.url("/a/../b?q=1#fragment"))
        request.setValue("x", forHTTPHeaderField: "X-Own")
        request.setValue("", forHTTPHeaderField: "User-Agent")
        request.setValue("", forHTTPHeaderField: "X-Empty")
        let session = makeSession {
            $0.httpAdditionalHeaders = ["X-Added": "y", "x-own": "not this", "X-Empty": "nor this"]
        }
        let (data, response) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let sent = String(decoding: server.received(on: 0), as: UTF8.self)
        #expect(
            sent
                == [
                    "GET /a/../b?q=1 HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Accept: */*",
                    "Accept-Encoding: gzip, deflate", "X-Own: x", "X-Empty:", "X-Added: y", "", "",
                ].joined(separator: "\r\n"))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func anEmptyBodyHasALengthAndNoType(method: String) async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = method
        _ = try await makeSession().data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent.method == method)
        #expect(sent["Content-Length"] == "0")
        #expect(sent["Content-Type"] == nil)
        #expect(sent["Expect"] == nil)
        #expect(sent["Transfer-Encoding"] == nil)
    }

    @Test func sendsABodyOfAnyMethodAndTakesAPostForAForm() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        for method in ["POST", "DELETE", "PROPFIND"] {
            var request = URLRequest(url: server.url())
            request.httpMethod = method
            request.httpBody = Data("<body/>".utf8)
            request.setValue("3", forHTTPHeaderField: "Content-Length")
            _ = try await makeSession().data(for: request)
        }
        #expect(server.requests.map(\.method) == ["POST", "DELETE", "PROPFIND"])
        for sent in server.requests {
            #expect(sent.text == "<body/>")
            #expect(sent.values(of: "Content-Length") == ["7"])
        }
        #expect(
            server.requests.map { $0["Content-Type"] }
                == ["application/x-www-form-urlencoded", nil, nil])
    }

    @Test(arguments: [("application/json", ["application/json"]), ("", [])])
    func theRequestSaysWhatItsBodyIs(field: String, sent: [String]) async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("{}".utf8))
        request.setValue(field, forHTTPHeaderField: "Content-Type")
        _ = try await makeSession().data(for: request)
        #expect(server.requests.first?.values(of: "Content-Type") == sent)
    }

    @Test func aGetHasNoBody() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let body = Data("which".utf8)
        var request = URLRequest(url: server.url())
        request.httpBody = Data()
        _ = try await makeSession().data(for: request)
        request.httpBody = body
        let session = makeSession()
        await expectRefusal { _ = try await session.data(for: request) }
        await expectRefusal { _ = try await session.download(for: request) }
        request.httpBodyStream = InputStream(data: body)
        await expectRefusal { _ = try await session.data(for: request) }
        request.httpBodyStream = nil
        await expectRefusal { _ = try await session.upload(for: request, from: body) }
        let delegate = RecordingDelegate { $0.body = { InputStream(data: body) } }
        makeSession(delegate).uploadTask(withStreamedRequest: request).resume()
        await delegate.completion()
        #expect(delegate.calls == ["bodyStream", "completed"])
        #expect(delegate.error?.code == .dataLengthExceedsMaximum)
        #expect(server.requests.count == 1)
    }

    private func expectRefusal(_ load: () async throws -> Void) async {
        do {
            try await load()
            Issue.record("it was sent")
        } catch {
            #expect((error as? CurlNetworking.URLError)?.code == .dataLengthExceedsMaximum)
        }
    }

    @Test(arguments: [nil, Data(), Data([1])]) func aHeadHasNoBody(body: Data?) async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")]
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        request.httpBody = body
        let (data, response) = try await makeSession().data(for: request)
        #expect(data.isEmpty)
        #expect(response.expectedContentLength == 9)
    }

    @Test(arguments: [204, 304, 400, 401, 404, 409, 429, 500, 503, 507])
    func everyStatusIsAnAnswer(status: Int) async throws {
        let server = try LoopbackServer { _ in [.answer("\(status) X", ["Retry-After: 7"])] }
        let (_, response) = try await makeSession().data(from: server.url())
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == status)
        #expect(answer.value(forHTTPHeaderField: "retry-after") == "7")
    }

    @Test func tellsTheDelegateInOrder() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "hello")] }
        let queue = DispatchQueue(label: "test")
        let delegate = RecordingDelegate(on: queue)
        let session = makeSession(delegate, on: queue)
        let task = session.dataTask(with: server.url())
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "data", "completed"])
        #expect(delegate.body == Data("hello".utf8))
        #expect(delegate.snapshot.stateAtCompletion == .completed)
        #expect(task.countOfBytesReceived == 5)
        #expect(task.countOfBytesExpectedToReceive == 5)
        #expect(task.error == nil)
    }

    @Test func aHandlerTaskBypassesResponseAndDataCalls() async throws {
        let server = try LoopbackServer { request in
            request.target == "/"
                ? [.answer("302 Found", ["Location: /x"])] : [.answer(body: "end")]
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("end".utf8))
        #expect(delegate.calls == ["redirect 302"])
    }

    @Test func aTaskDelegateIsToldInPlaceOfTheSessions() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegates = (session: RecordingDelegate(), task: RecordingDelegate())
        let queue = DispatchQueue(label: "test")
        let task = makeSession(delegates.session, on: queue).dataTask(with: server.url())
        task.delegate = delegates.task
        task.resume()
        await delegates.task.completion()
        #expect(delegates.session.calls == [])
        #expect(delegates.task.calls == ["response 200", "data", "completed"])
        await drain(queue)
        #expect(task.delegate == nil)
    }

    @Test(arguments: [Data(), makeBytes(1), makeBytes(300_000), makeBytes(5_000_000)])
    func bringsEveryByteOnce(body: Data) async throws {
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        session.dataTask(with: server.url()).resume()
        let (data, _) = try await session.data(from: server.url())
        await delegate.completion()
        #expect(data == body)
        #expect(delegate.body == body)
    }

    @Test func readsChunksAndIgnoresTrailers() async throws {
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Late: 1\r\n\r\n"),
            ]
        }
        let (data, response) = try await makeSession().data(from: server.url())
        #expect(String(decoding: data, as: UTF8.self) == "hello world")
        #expect(response.expectedContentLength == -1)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Late") == nil)
    }

    @Test func aBodyWithoutALengthEndsWithTheConnection() async throws {
        let server = try LoopbackServer { _ in [.send("HTTP/1.1 200 OK\r\n\r\nall of it"), .close] }
        let (data, _) = try await makeSession().data(from: server.url())
        #expect(String(decoding: data, as: UTF8.self) == "all of it")
    }

    @Test func decodesGzip() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Encoding: gzip"], body: gzippedHello)]
        }
        let (data, response) = try await makeSession().data(from: server.url())
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect(response.expectedContentLength == -1)
    }

    @Test func leavesCodingAloneWhenAskedTo() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Encoding: gzip"], body: gzippedHello)]
        }
        var request = URLRequest(url: server.url())
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let (data, _) = try await makeSession().data(for: request)
        #expect(Array(data) == gzippedHello)
        #expect(server.requests.first?["Accept-Encoding"] == "identity")
    }

    @Test func lineEndsInAValueCannotForgeAField() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.allHTTPHeaderFields = ["Accept-Encoding": "gzip\r\nX-Forged: 1"]
        request.setValue("a\r\n X-Forged: 1", forHTTPHeaderField: "X-Own")
        let session = makeSession {
            $0.httpAdditionalHeaders = ["X-Added": "a\r\nX-Forged: 1"]
        }
        _ = try await session.data(for: request)
        #expect(server.requests.first?["X-Forged"] == nil)
        #expect(server.requests.first?["X-Own"] == "a   X-Forged: 1")
        #expect(server.requests.first?["X-Added"] == "a  X-Forged: 1")
    }

    @Test func keepsTheConnection() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let session = makeSession()
        for _ in 0..<5 { _ = try await session.data(from: server.url()) }
        #expect(server.connectionCount == 1)
    }

    @Test func behindASocketIsAnotherServer() {
        let configuration = URLSessionConfiguration.default
        configuration.unixSocketPath = "/run/engine"
        #expect(configuration.urlCache == nil)
        #expect(configuration.httpCookieStorage !== HTTPCookieStorage.shared)
        #expect(configuration.httpCookieStorage != nil)
        let own = URLCache(memoryCapacity: 1000, diskCapacity: 0)
        configuration.urlCache = own
        configuration.unixSocketPath = "/run/other"
        #expect(configuration.urlCache === own)
    }

    @Test func speaksThroughAUnixSocket() async throws {
        let server = try LoopbackServer(on: .unixSocket) { _ in [.answer(body: "inside")] }
        let session = makeSession { $0.unixSocketPath = server.socketPath }
        var request = URLRequest(url: server.url("/x"))
        request.httpMethod = "POST"
        request.httpBody = Data("in".utf8)
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "inside")
        #expect(server.requests.first?["Host"] == "loopback")
        #expect(server.requests.first?.text == "in")
    }

    @Test func readsBytesAsTheyCome() async throws {
        let gate = LoopbackGate()
        let body = makeBytes(200_000)
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"),
                .send(Array(body.prefix(10))), .wait(gate), .send(Array(body.dropFirst(10))),
            ]
        }
        let (bytes, response) = try await makeSession().bytes(from: server.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var received = Data()
        for try await byte in bytes {
            received.append(byte)
            if received.count == 10 { gate.open() }
        }
        #expect(received == body)
    }
}

/// `hello`, as gzip writes it.
let gzippedHello: [UInt8] = [
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36,
    5, 0, 0, 0,
]
