import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Requests on kept-alive connections that end without a word.
@Suite(.timeLimit(.minutes(1))) struct LostConnectionTests {
    private static let idleCount = 6

    /// A server that answers what is under `/warm`, and hangs up on everything else once it has read it.
    private func makeServer(_ gate: LoopbackGate) throws -> LoopbackServer {
        try LoopbackServer { request in
            request.target == "/warm" ? [.wait(gate), .answer(body: "warm")] : [.close]
        }
    }

    /// Opens so many connections, which are idle afterwards.
    private func warm(_ session: URLSession, _ server: LoopbackServer, _ gate: LoopbackGate)
        async throws
    {
        let url = server.url("/warm")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.idleCount {
                group.addTask { _ = try await session.data(from: url) }
            }
            await server.requests(atLeast: Self.idleCount)
            gate.open()
            try await group.waitForAll()
        }
        #expect(server.connectionCount == Self.idleCount)
    }

    private func arrivals(at server: LoopbackServer) -> Int {
        server.requests.count { $0.target != "/warm" }
    }

    @Test(arguments: [
        ("POST", 1), ("PATCH", 1), ("UNHEARD", 1), ("LOCK", 1), ("PUT", 2), ("DELETE", 2),
        ("PROPFIND", 2), ("MOVE", 2), ("GET", 2), ("HEAD", 2),
    ])
    func aRequestThatTheServerHasReadArrivesNoMoreThanItsMethodAllows(
        method: String, count: Int
    ) async throws {
        let gate = LoopbackGate()
        let server = try makeServer(gate)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        try await warm(session, server, gate)
        var request = URLRequest(url: server.url("/once"))
        request.httpMethod = method
        if !["GET", "HEAD"].contains(method) { request.httpBody = Data("the body".utf8) }
        let reported = delegate.snapshot.metrics.count
        await #expect { try await session.data(for: request) } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
        #expect(arrivals(at: server) == count)
        let transactions = delegate.snapshot.metrics.dropFirst(reported).flatMap(
            \.transactionMetrics)
        #expect(transactions.count == count)
        #expect(transactions.allSatisfy { $0.response == nil && $0.requestStartDate != nil })
        #expect(transactions.map(\.isReusedConnection) == Array([true, false].prefix(count)))
    }

    @Test(arguments: [("POST", 1), ("PUT", 2)], [10, 300_000])
    func soDoesAFile(_ sent: (method: String, count: Int), byteCount: Int) async throws {
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(byteCount))
        let gate = LoopbackGate()
        let server = try makeServer(gate)
        let session = makeSession()
        try await warm(session, server, gate)
        var request = URLRequest(url: server.url("/once"))
        request.httpMethod = sent.method
        await #expect { try await session.upload(for: request, fromFile: file) } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
        #expect(arrivals(at: server) == sent.count)
    }

    /// The first byte has left, and that is all the server needs.
    @Test func aPostOfWhichAPartWasReadIsNotSentAgain() async throws {
        let server = try LoopbackServer(scripts: [
            [.readRequest, .answer(), .readHead, .read(byteCount: 10), .reset],
            [.readRequest, .answer()],
        ])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        await #expect {
            try await session.upload(for: request, from: makeBytes(20_000_000))
        } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
        #expect(server.connectionCount == 1)
    }

    @Test func aRepetitionThatIsAnsweredIsTheAnswer() async throws {
        let server = try LoopbackServer(scripts: [
            [.readRequest, .answer(), .readRequest, .close],
            [.readRequest, .answer(body: "second")],
        ])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let (data, _) = try await session.upload(for: request, from: Data("body".utf8))
        #expect(data == Data("second".utf8))
        #expect(server.requests.map(\.text) == ["", "body", "body"])
    }

    // MARK: - Before anything was sent

    @Test(arguments: ["POST", "PATCH", "PUT", "GET"], [LoopbackStep.close, .reset].indices)
    func aConnectionThatWasClosedBeforeIsReplaced(method: String, isReset: Int) async throws {
        let server = try LoopbackServer(scripts: [
            [.readRequest, .answer(), isReset == 1 ? .reset : .close],
            [.readRequest, .answer(body: "second")],
        ])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        _ = try await session.data(from: server.url())
        #expect(await engine(hasUnreadOnConnectionTo: server.port))
        var request = URLRequest(url: server.url())
        request.httpMethod = method
        if method != "GET" { request.httpBody = Data("the body".utf8) }
        let (data, _) = try await session.data(for: request)
        #expect(data == Data("second".utf8))
        #expect(server.requests.count == 2)
        // Nothing was on its way twice, and nothing says so.
        let transactions = delegate.snapshot.metrics.last?.transactionMetrics ?? []
        #expect(transactions.dropLast().allSatisfy { $0.requestStartDate == nil })
    }

    /// A server over TLS says goodbye before it closes (RFC 8446 §6.1): libcurl 7.88 takes those bytes for a
    /// sign of life, newer ones do not use such a connection again.
    @Test func aTLSConnectionThatWasClosedBeforeIsReplaced() async throws {
        let shop = try CertificateShop()
        let authority = try shop.make("authority", isAuthority: true)
        let host = try TLSHost(shop.make(by: authority))
        let alert: [UInt8] = [0x17, 3, 3, 0, 0x13] + [UInt8](repeating: 7, count: 0x13)
        let door = try LoopbackServer(scripts: [[.relayAndSend(to: host.place.number, alert)]])
        let url = try #require(URL(string: "https://localhost:\(door.port)/posted"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.certificateAuthoritiesFile = authority.file }
        _ = try await session.data(from: url)
        host.hangUp()
        await door.end()
        #expect(await engine(hasUnreadOnConnectionTo: door.port))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("the body".utf8)
        let (data, _) = try await session.data(for: request)
        #expect(data == Data("in".utf8))
        #expect(door.connectionCount == 2)
        let transactions = delegate.snapshot.metrics.last?.transactionMetrics ?? []
        #expect(transactions.dropLast().allSatisfy { $0.requestStartDate == nil })
        #expect(transactions.last?.requestStartDate != nil)
    }

    @Test func bytesThatNobodyAskedForAnswerNothing() async throws {
        let sent = Signal()
        let answered = LoopbackGate()
        let server = try LoopbackServer(talking: { peer in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
            if sent.count == 0 {
                guard peer.readHead() != nil else { return }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
                // Not at once: what comes with an answer is cut off with it.
                peer.wait(for: answered)
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
                sent.add()
            }
            peer.readToEnd()
        })
        let session = makeSession()
        for _ in 0..<2 { _ = try await session.data(from: server.url()) }
        answered.open()
        await sent.wait()
        #expect(await engine(hasUnreadOnConnectionTo: server.port))
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("one".utf8))
    }
}
