import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Many requests on one connection, each with a life of its own.
@Suite(.timeLimit(.minutes(1)), .enabled(if: speaksHTTP2, whyNoHTTP2))
struct HTTP2StreamTests {
    /// None is answered before all have come: six at a time would wait for ever.
    @Test(arguments: [1, 6]) func requestsThatBeginAtOnceShareOneConnection(
        limit: Int
    ) async throws {
        let count = 60
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                let streams = (0..<count).compactMap { _ in peer.nextRequest() }
                for stream in streams.reversed() { peer.answer(stream, body: "\(stream)") }
                peer.readToClose()
            })
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate) { $0.httpMaximumConnectionsPerHost = limit }
        session.dataTask(with: server.url("/first")).resume()
        await delegate.completion()
        for index in 0..<count { session.dataTask(with: server.url("/\(index)")).resume() }
        await delegate.completion(of: count + 1)
        #expect(delegate.error == nil)
        #expect(server.connectionCount == 1)
        let transactions = delegate.snapshot.metrics.flatMap(\.transactionMetrics)
        #expect(transactions.count == count + 1)
        #expect(transactions.allSatisfy { $0.networkProtocolName == "h2" })
        #expect(transactions.filter { !$0.isReusedConnection }.count == 1)
        for transaction in transactions {
            let start = try #require(transaction.requestStartDate)
            #expect(try #require(transaction.responseStartDate) >= start)
            #expect(transaction.isReusedConnection == (transaction.connectStartDate == nil))
        }
    }

    @Test func aServersLimitOfStreamsIsKept() async throws {
        let most = Mutex(0)
        let server = try LoopbackServer(
            http2: [(3, 2)],
            { peer in
                peer.begin()
                while let stream = peer.nextRequest() {
                    // All that the client sends before it gets an answer.
                    peer.ping()
                    let count = 1 + peer.pendingCount
                    most.withLock { $0 = max($0, count) }
                    peer.answer(stream, body: "a")
                }
            })
        let session = makeHTTP2Session { $0.httpMaximumConnectionsPerHost = 1 }
        _ = try await session.data(from: server.url("/first"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask { _ = try await session.data(from: server.url("/\(index)")) }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } <= 2)
        #expect(server.connectionCount <= 2)
    }

    @Test func aSuspendedTaskStallsNoOther() async throws {
        let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let isFull = LoopbackGate()
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                guard let large = peer.nextRequest() else { return }
                peer.sendHead(large, 200, [("content-length", "\(body.count)")])
                // As much as the client takes of it while its task is suspended.
                var sent = peer.sendWhatFits(large, body[...])
                for _ in 0..<20 {
                    guard let small = peer.nextRequest() else { return }
                    while peer.room(on: large) > 0, sent < body.count {
                        sent += peer.sendWhatFits(large, body[sent...])
                    }
                    peer.answer(small, body: "small")
                }
                peer.wait(for: isFull)
                peer.sendData(large, Array(body[sent...]))
                peer.readToClose()
            })
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate)
        _ = try await makeHTTP2Session().data(from: server.url("/first"))
        let large = session.dataTask(with: server.url("/large"))
        large.resume()
        await delegate.record { !$0.body.isEmpty }
        large.suspend()
        await engineIsDone()
        let before = delegate.body.count
        for _ in 0..<20 {
            let (data, _) = try await session.data(from: server.url("/small"))
            #expect(data == Data("small".utf8))
        }
        #expect(delegate.body.count <= before + (1 << 20))
        #expect(large.state == .suspended)
        isFull.open()
        large.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.body == Data(body))
        #expect(server.connectionCount == 1)
    }

    /// The slow delegate of one task holds its stream alone.
    @Test func aSlowDelegateHoldsItsStreamAlone() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                guard let large = peer.nextRequest() else { return }
                peer.sendHead(large)
                guard let small = peer.nextRequest() else { return }
                var sent = 0
                var rounds = 0
                // It stops taking long before this.
                while sent < 64 << 20, rounds < 100 {
                    let count = peer.sendWhatFits(
                        large, [UInt8](repeating: 7, count: 16 << 10)[...])
                    sent += count
                    guard count == 0 else { continue }
                    rounds += 1
                    peer.ping()
                }
                peer.answer(small, body: "\(sent)")
                peer.readToClose()
            })
        _ = try await makeHTTP2Session().data(from: server.url("/first"))
        let held = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { hooks in hooks.data = { _, _ in held.wait() } }
        let large = makeHTTP2Session(delegate).dataTask(with: server.url("/large"))
        large.resume()
        #expect(await engine(has: large) { !$0.isQueued })
        let (data, _) = try await makeHTTP2Session().data(from: server.url("/small"))
        let sent = try #require(Int(String(decoding: data, as: UTF8.self)))
        #expect(sent < 64 << 20)
        large.cancel()
        for _ in 0..<10_000 { held.signal() }
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
    }

    @Test func cancellingATaskResetsItsStreamAlone() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                let streams = (0..<3).compactMap { _ in peer.nextRequest() }
                guard streams.count == 3 else { return }
                for stream in streams { peer.sendHead(stream) }
                for stream in streams { peer.sendData(stream, [1], isEnd: false) }
                _ = peer.readReset(of: streams[1])
                for stream in [streams[0], streams[2]] { peer.sendData(stream, [2]) }
                peer.readToClose()
            })
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate)
        _ = try await makeHTTP2Session().data(from: server.url("/first"))
        var tasks: [URLSessionDataTask] = []
        for index in 0..<3 {
            let task = session.dataTask(with: server.url("/\(index)"))
            task.resume()
            tasks.append(task)
            // In this order on the connection.
            #expect(await engine(has: task) { $0.isExchanging })
        }
        try await eventually("a byte") { tasks[1].countOfBytesReceived == 1 }
        tasks[1].cancel()
        await delegate.completion(of: 3)
        #expect(tasks.map { ($0.error as? URLError)?.code } == [nil, .cancelled, nil])
        #expect(tasks[0].countOfBytesReceived == 2)
        #expect(tasks[2].countOfBytesReceived == 2)
        #expect(server.connectionCount == 1)
    }

    @Test func aPriorityIsToldToTheServer() async throws {
        let weights = Mutex<[UInt8]>([])
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let frame = peer.readFrame() {
                    guard frame.kind == HTTP2Frame.Kind.headers.rawValue else { continue }
                    let hasPriority = frame.flags & 0x20 != 0
                    weights.withLock { $0.append(hasPriority ? frame.payload[4] : 15) }
                    peer.answer(frame.stream, body: "a")
                }
            })
        let session = makeHTTP2Session()
        for priority in [URLSessionTask.lowPriority, 0.5, URLSessionTask.highPriority] {
            await withCheckedContinuation { continuation in
                let task = session.dataTask(with: server.url()) { _, _, _ in continuation.resume() }
                task.priority = priority
                task.resume()
            }
        }
        // On the wire a weight is one less.
        #expect(weights.withLock { $0 } == [3, 15, 63])
    }

    // MARK: - New connections

    /// libcurl would take a connection with streams, however old it is.
    @Test(arguments: ["flush", "reset"])
    func aConnectionFromBeforeAResetGetsNoRequestsMore(way: String) async throws {
        let isOver = LoopbackGate()
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                guard let held = peer.nextRequest() else { return }
                peer.wait(for: isOver)
                peer.answer(held, body: "held")
                while let stream = peer.nextRequest() { peer.answer(stream, body: "old") }
            },
            { peer in while let stream = peer.nextRequest() { peer.answer(stream, body: "new") } })
        let session = makeHTTP2Session()
        let other = makeHTTP2Session()
        _ = try await session.data(from: server.url("/first"))
        let delegate = RecordingDelegate()
        let held = makeHTTP2Session(delegate).dataTask(with: server.url("/held"))
        held.resume()
        #expect(await engine(has: held) { $0.isExchanging })
        if way == "flush" { await session.flush() } else { await session.reset() }
        for _ in 0..<3 {
            let (data, _) = try await session.data(from: server.url("/later"))
            #expect(data == Data("new".utf8))
        }
        isOver.open()
        await delegate.completion()
        #expect(delegate.body == Data("held".utf8))
        // To others it is as good as before.
        let (data, _) = try await other.data(from: server.url("/other"))
        #expect(data == Data("old".utf8))
    }

    /// Each gives its connection back under the name that it has then.
    @Test func tasksThatBecomeDownloadsLeaveTheirConnections() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let stream = peer.nextRequest() else { return }
                // It takes no more. To close it at once could reset it before the answer is read.
                peer.goAway(last: stream)
                peer.answer(stream, body: "first")
                peer.readToClose()
            })
        let delegate = RecordingDelegate { $0.response = { _ in .becomeDownload } }
        let session = makeHTTP2Session(delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        for count in 1...4 {
            session.dataTask(with: server.url("/\(count)")).resume()
            await delegate.completion(of: count)
        }
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files.count == 4)
        #expect(server.connectionCount == 4)
    }

    @Test func nobodyWaitsForAnothersConnectionLongerThanForOnesOwn() async throws {
        // Its handshake never ends.
        let server = try LoopbackServer(scripts: [[.stall]])
        var parts = try #require(
            URLComponents(url: server.url(), resolvingAgainstBaseURL: true))
        parts.scheme = "https"
        let url = try #require(parts.url)
        let session = makeHTTP2Session()
        let first = Task { try await session.data(from: url).1 }
        await server.bytes(atLeast: 1)
        var request = URLRequest(url: url)
        request.timeoutInterval = 0.3
        let second = Task { [request] in try await session.data(for: request).1 }
        let error = await #expect(throws: URLError.self) { try await second.value }
        #expect(error?.code == .timedOut)
        #expect(server.connectionCount == 1)
        first.cancel()
        await #expect(throws: URLError.self) { try await first.value }
    }
}
