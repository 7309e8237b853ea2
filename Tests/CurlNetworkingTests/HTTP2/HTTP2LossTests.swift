import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Streams and connections that end before their answers do.
@Suite(.timeLimit(.minutes(1)), .enabled(if: speaksHTTP2, whyNoHTTP2))
struct HTTP2LossTests {
    private func post(_ server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("once".utf8)
        return request
    }

    @Test(arguments: ["GET", "POST"]) func aRefusedRequestIsSentAgain(method: String) async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let stream = peer.nextRequest() else { return }
                peer.reset(stream, .refusedStream)
                peer.readToClose()
            },
            { peer in
                peer.countBodies()
            })
        var request = post(server)
        if method == "GET" { request = URLRequest(url: server.url()) }
        let (data, _) = try await makeHTTP2Session().data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == (method == "GET" ? "0" : "4"))
        #expect(server.connectionCount == 2)
    }

    @Test func aServerThatAlwaysRefusesIsGivenUp() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() { peer.reset(stream, .refusedStream) }
            })
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(from: server.url())
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.connectionCount <= 8)
    }

    /// What came before the last stream that the server names is answered; what came behind was not processed.
    @Test func requestsBehindAGoAwayAreSentOnANewConnection() async throws {
        let count = 20
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                let streams = (0..<count).compactMap { _ in peer.nextRequest() }
                guard streams.count == count else { return }
                peer.goAway(last: streams[4])
                for stream in streams[...4] { peer.answer(stream, body: "old") }
                peer.readToClose()
            },
            { peer in while let stream = peer.nextRequest() { peer.answer(stream, body: "new") } })
        let session = makeHTTP2Session()
        _ = try await session.data(from: server.url("/first"))
        var answers: [String: Int] = [:]
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<count {
                group.addTask {
                    let (data, _) = try await session.data(from: server.url("/\(index)"))
                    return String(decoding: data, as: UTF8.self)
                }
            }
            for try await answer in group { answers[answer, default: 0] += 1 }
        }
        #expect(answers == ["old": 5, "new": count - 5])
        // Not one for each of them.
        #expect(server.connectionCount <= 1 + 6)
    }

    @Test func aPostBehindAGoAwayIsSentAgain() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                guard let first = peer.nextRequest(), let second = peer.nextRequest() else {
                    return
                }
                peer.readToEnd(of: second)
                peer.goAway(last: first)
                peer.answer(first, body: "old")
                peer.readToClose()
            },
            { peer in while let stream = peer.nextRequest() { peer.answer(stream, body: "new") } })
        let session = makeHTTP2Session()
        _ = try await session.data(from: server.url("/first"))
        async let first = session.data(from: server.url())
        async let second = session.data(for: post(server))
        let bodies = try await [first.0, second.0].map { String(decoding: $0, as: UTF8.self) }
        #expect(Set(bodies) == ["old", "new"])
    }

    @Test(arguments: [HTTP2ErrorCode.internalError, .cancel, .enhanceYourCalm])
    func aResetStreamFailsAloneAndIsNotRepeated(code: HTTP2ErrorCode) async throws {
        let server = try LoopbackServer(http2Harming: { peer, second in peer.reset(second, code) })
        try await server.expectSecondFailsAlone(.networkConnectionLost)
    }

    @Test(arguments: ["GET", "POST"])
    func aServerThatWantsHTTP1GetsIt(method: String) async throws {
        let connections = Mutex(0)
        let serveHTTP2 = HTTP2Peer.serve { peer in
            while let stream = peer.nextRequest() { peer.reset(stream, .http1Required) }
        }
        let server = try LoopbackServer(talking: { peer in
            // A GET is sent again over a new connection before its second loss is looked into.
            let isEarly = connections.withLock { count in
                count += 1
                return count <= (method == "GET" ? 2 : 1)
            }
            if isEarly { return serveHTTP2(peer) }
            while let head = peer.readHead() {
                if head.hasPrefix("POST") { _ = peer.read(4) }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold")
            }
        })
        let session = makeHTTP2Session()
        var request = post(server)
        if method == "GET" { request = URLRequest(url: server.url()) }
        let (data, _) = try await session.data(for: request)
        #expect(data == Data("old".utf8))
    }

    /// Riders are sent again once; the one that had opened the connection is not.
    @Test func aLostConnectionIsReplacedOnce() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let first = peer.nextRequest() else { return }
                peer.answer(first, body: "first")
                // Closes with a request on its way.
                _ = peer.nextRequest()
            },
            { peer in while let stream = peer.nextRequest() { peer.answer(stream, body: "new") } })
        let session = makeHTTP2Session()
        _ = try await session.data(from: server.url())
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("new".utf8))
        #expect(server.connectionCount == 2)
    }

    @Test func aPostIsNotSentAgainOverANewConnectionAfterALoss() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let first = peer.nextRequest() else { return }
                peer.answer(first, body: "first")
                if let second = peer.nextRequest() { peer.readToEnd(of: second) }
            },
            { peer in while let stream = peer.nextRequest() { peer.answer(stream, body: "new") } })
        let session = makeHTTP2Session()
        _ = try await session.data(from: server.url())
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: post(server))
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.connectionCount == 1)
    }

    @Test func aBodyThatEndsEarlyFails() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() {
                    peer.sendHead(stream, 200, [("content-length", "10")])
                    peer.sendData(stream, [1, 2, 3])
                }
            })
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(from: server.url())
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func nobodyWaitsForAServerThatIsNotThere() async throws {
        let nobody = try ReservedPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(nobody.number)/"))
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate)
        for _ in 0..<12 { session.dataTask(with: url).resume() }
        await delegate.completion(of: 12)
        #expect(delegate.error?.code == .cannotConnectToHost)
    }

    /// The connection that others wait for is never made: one of them opens another.
    @Test(arguments: ["cancel", "suspend"])
    func theNextTaskConnectsWhenTheFirstGivesUp(way: String) async throws {
        let server = try LoopbackServer(scripts: [[.stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let session = makeSession()
        let tasks = (0..<3).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        await server.connections(atLeast: 1)
        await engineIsDone()
        #expect(server.connectionCount == 1)
        if way == "cancel" { tasks[0].cancel() } else { tasks[0].suspend() }
        await server.connections(atLeast: 2)
        await engineIsDone()
        #expect(server.connectionCount == 2)
        for task in tasks { task.cancel() }
    }

    /// While it waits for another's connection its timer runs, and cancelling and suspending work.
    @Test func aTaskThatWaitsForAConnectionMayBeSuspendedAndCancelled() async throws {
        let server = try LoopbackServer(scripts: [[.stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.urlCache = nil }
        let first = session.dataTask(with: url)
        let second = session.dataTask(with: url)
        first.resume()
        second.resume()
        await server.connections(atLeast: 1)
        #expect(await engine(has: second) { !$0.runsNoTimer })
        second.suspend()
        #expect(await engine(has: second) { $0.isReadyToConnect && $0.runsNoTimer })
        second.resume()
        #expect(await engine(has: second) { !$0.isReadyToConnect && !$0.runsNoTimer })
        second.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        first.cancel()
        await delegate.completion(of: 2)
    }
}
