import CurlNetworking
import CurlNetworkingHTTPTypes
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Bodies as streams, and what is behind them. The cases of swift-http-api-proposal's suite are named by its names.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
    private let session = makeSession()

    // MARK: - Sending

    /// `testEchoString`, `testPostConvenience`
    @Test func aWrittenBodyIsChunked() async throws {
        let server = try LoopbackServer { request in [.answer(body: request.body)] }
        let (response, body) = try await session.send(
            server.request(method: .post),
            body: .written { writer in
                try await writer.write(Data("Hello ".utf8))
                try await writer.write("World".utf8)
                return nil
            })
        #expect(response.status == .ok)
        #expect(String(decoding: try await body.collect(upTo: 100), as: UTF8.self) == "Hello World")
        #expect(server.requests.first?["Transfer-Encoding"] == "chunked")
        #expect(server.requests.first?["Content-Length"] == nil)
    }

    /// `testEcho1MBBody`
    @Test func aBodyOfKnownLengthSaysSo() async throws {
        let server = try LoopbackServer { request in [.answer(body: request.body)] }
        let text = Data(repeating: UInt8(ascii: "A"), count: 1_000_000)
        let (_, body) = try await session.send(
            server.request(method: .post),
            body: .written(byteCount: 1_000_000) { writer in
                try await writer.write(text)
                return nil
            })
        #expect(try await body.collect(upTo: .max) == text)
        #expect(server.requests.first?["Content-Length"] == "1000000")
    }

    /// `testEmptyChunkedBody`
    @Test(arguments: [0, nil] as [Int64?]) func anEmptyBodyIsOne(byteCount: Int64?) async throws {
        let server = try LoopbackServer { request in [.answer(body: "\(request.body.count)")] }
        let (_, body) = try await session.send(
            server.request(method: .post), body: .written(byteCount: byteCount) { _ in nil })
        #expect(try await body.collect(upTo: 10) == Data("0".utf8))
    }

    @Test(arguments: [3, 7]) func aBodyOfAnotherLengthIsAnError(announced: Int64) async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let error = await #expect(throws: URLError.self) {
            try await session.send(
                server.request(method: .post),
                body: .written(byteCount: announced) { writer in
                    try await writer.write(Data("12345".utf8))
                    return nil
                })
        }
        #expect(error?.code == .requestBodyStreamExhausted)
    }

    @Test func whatTheBodyThrowsIsTheError() async throws {
        struct Gone: Error {}
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        await #expect(throws: Gone.self) {
            try await session.send(
                server.request(method: .post),
                body: .written { writer in
                    try await writer.write(Data("1".utf8))
                    throw Gone()
                })
        }
        await server.end()
    }

    @Test func piecesOfASequenceAreSent() async throws {
        let server = try LoopbackServer { request in [.answer(body: request.body)] }
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        for word in ["a", "b", "c"] { continuation.yield(Data(word.utf8)) }
        continuation.finish()
        let (_, body) = try await session.send(
            server.request(method: .put), body: .pieces(of: stream))
        #expect(try await body.collect(upTo: 10) == Data("abc".utf8))
    }

    /// `testTrailerWrite`
    @Test func trailersFollowABody() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let one = try #require(HTTPField.Name("X-Request-Trailer-One"))
        let two = try #require(HTTPField.Name("X-Request-Trailer-Two"))
        let (response, _) = try await session.send(
            server.request(method: .post),
            body: .written { writer in
                try await writer.write(Data("Hello World".utf8))
                return [one: "first", two: "second\r\nX-Forged: yes"]
            })
        #expect(response.status == .ok)
        let sent = String(decoding: server.received(on: 0), as: UTF8.self)
        #expect(
            sent.contains("\r\n0\r\nX-Request-Trailer-One: first\r\nX-Request-Trailer-Two: second"))
        #expect(!sent.contains("\nX-Forged"))
        #expect(server.requests.first?.text == "Hello World")
    }

    // MARK: - Sending again

    @Test func aBodyIsWrittenAgainForARedirect() async throws {
        let server = try LoopbackServer { request in
            request.target == "/b"
                ? [.answer(body: request.body)]
                : [.answer("307 Temporary Redirect", ["Location: /b"])]
        }
        let starts = Mutex(0)
        let (response, body) = try await session.send(
            server.request("/a", method: .post),
            body: .written { writer in
                starts.withLock { $0 += 1 }
                try await writer.write(Data("again".utf8))
                return nil
            })
        #expect(response.status == .ok)
        #expect(try await body.collect(upTo: 10) == Data("again".utf8))
        #expect(starts.withLock { $0 } == 2)
    }

    @Test func aBodyThatCannotBeWrittenAgainFailsAtARedirect() async throws {
        let server = try LoopbackServer { _ in
            [.answer("307 Temporary Redirect", ["Location: /b"])]
        }
        let error = await #expect(throws: URLError.self) {
            try await session.send(
                server.request("/a", method: .post),
                body: .written(isRestartable: false) { writer in
                    try await writer.write(Data("once".utf8))
                    return nil
                })
        }
        #expect(error?.code == .requestBodyStreamExhausted)
    }

    // MARK: - Both ways

    /// `testEchoInterleave`, `testSpeakInterleave`: each chunk is written when the one before has come back.
    @Test func bothBodiesMoveAtTheSameTime() async throws {
        let server = try LoopbackServer(talking: { peer in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while peer.read(1) == [UInt8(ascii: "1")], let rest = peer.read(5) {
                peer.send("1" + String(decoding: rest, as: UTF8.self))
            }
            peer.send("0\r\n\r\n")
        })
        let (echoes, echoed) = AsyncStream<Void>.makeStream()
        let (_, body) = try await session.send(
            server.request(method: .post),
            body: .written { writer in
                var turns = echoes.makeAsyncIterator()
                for _ in 0..<200 {
                    try await writer.write(Data("A".utf8))
                    await turns.next()
                }
                return nil
            })
        var count = 0
        for try await piece in body {
            #expect(piece == Data("A".utf8))
            count += 1
            echoed.yield()
        }
        #expect(count == 200)
    }

    @Test func aWriterIsHeldBackByAServerThatDoesNotRead() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(
            on: .unixSocket,
            scripts: [[.readHead, .wait(gate), .read(byteCount: 20_000_000), .answer()]])
        let written = Mutex(0)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.unixSocketPath = server.socketPath
        let session = URLSession(configuration: configuration)
        let sending = Task {
            try await session.send(
                server.request(method: .post),
                body: .written(byteCount: 20_000_000) { writer in
                    for _ in 0..<200 {
                        try await writer.write(Data(count: 100_000))
                        written.withLock { $0 += 1 }
                    }
                    return nil
                })
        }
        await server.bytes(atLeast: 10)
        let aside = try LoopbackServer { _ in [.answer()] }
        let other = makeSession()
        for _ in 0..<50 { _ = try await other.data(for: aside.request()) }
        #expect(written.withLock { $0 } < 100)
        gate.open()
        _ = try await sending.value
        #expect(written.withLock { $0 } == 200)
    }

    // MARK: - Receiving

    /// `testTrailerRead`
    @Test func trailersAreThereAtTheEnd() async throws {
        let server = try LoopbackServer { _ in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Checksum: head\r\n\r\n"
                        + "d\r\nResponse body\r\n0\r\nX-Trailer-One: first-value\r\n"
                        + "X-Checksum: abc123\r\nContent-Length: 4\r\n\r\n")
            ]
        }
        let (response, body) = try await session.send(server.request())
        #expect(try await body.collect(upTo: 100) == Data("Response body".utf8))
        let trailers = try #require(body.trailers)
        let checksum = try #require(HTTPField.Name("X-Checksum"))
        #expect(trailers.map(\.name.rawName) == ["X-Trailer-One", "X-Checksum"])
        #expect(trailers[checksum] == "abc123")
        #expect(response.headerFields[checksum] == "head")
    }

    /// `testUnderRead`
    @Test func aBodyThatIsDroppedUnreadEndsItsConnection() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n"),
                .fill(0x41, byteCount: 90_000_000),
            ]
        ])
        do {
            let (_, body) = try await session.send(server.request())
            var pieces = body.makeAsyncIterator()
            #expect(try await pieces.next()?.first == 0x41)
        }
        await server.end()
    }

    /// `testDripRead`
    @Test func bytesMayBeReadOneByOne() async throws {
        let text = [UInt8](repeating: 0x41, count: 1_000_000)
        let server = try LoopbackServer { _ in [.answer(body: text)] }
        let (bytes, _) = try await session.bytes(for: server.request())
        var count = 0
        for try await byte in bytes where byte == 0x41 { count += 1 }
        #expect(count == text.count)
    }

    @Test func aBodyThatIsTooLongIsNotCollected() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "12345")] }
        let (_, body) = try await session.send(server.request())
        let error = await #expect(throws: URLError.self) { try await body.collect(upTo: 4) }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }

    // MARK: - Cancelling

    /// `testCancelPreHeaders`, `testCancelPreBody`
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc"])
    func cancellingTheTaskEndsTheRequest(answer: String) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .send(answer), .stall]])
        let session = session
        let reading = Task {
            let (_, body) = try await session.send(server.request())
            for try await _ in body {}
        }
        await server.bytes(atLeast: 10)
        reading.cancel()
        let error = await #expect(throws: URLError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
        await server.end()
    }

    @Test func aWriterIsCancelledWithItsRequest() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let session = session
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let sending = Task {
            try await session.send(
                server.request(method: .post),
                body: .written { writer in
                    defer { ended.yield(Task.isCancelled) }
                    try await writer.write(Data("1".utf8))
                    let (silence, _) = AsyncStream<Void>.makeStream()
                    for await _ in silence {}
                    return nil
                })
        }
        await server.bytes(atLeast: 10)
        sending.cancel()
        let error = await #expect(throws: URLError.self) { try await sending.value }
        #expect(error?.code == .cancelled)
        #expect(await ends.first { _ in true } == true)
    }

    // MARK: - Requests that cannot be made

    @Test func aRequestWithoutAnAuthorityIsABadURL() async throws {
        let error = await #expect(throws: URLError.self) {
            try await session.send(
                HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"))
        }
        #expect(error?.code == .badURL)
    }

    @Test func requestsAreConvertedBothWays() throws {
        var request = HTTPRequest(
            method: .put, scheme: "https", authority: "a.test:8443", path: "/b?c=d")
        request.headerFields[.accept] = "text/plain"
        request.headerFields.append(HTTPField(name: .cookie, value: "a=1"))
        request.headerFields.append(HTTPField(name: .cookie, value: "b=2"))
        let converted = try #require(URLRequest(httpRequest: request))
        #expect(converted.url?.absoluteString == "https://a.test:8443/b?c=d")
        #expect(converted.httpMethod == "PUT")
        #expect(converted.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
        let back = try #require(converted.httpRequest)
        #expect(back.method == .put)
        #expect(back.url == converted.url)
        #expect(back.headerFields[.accept] == "text/plain")
    }
}
