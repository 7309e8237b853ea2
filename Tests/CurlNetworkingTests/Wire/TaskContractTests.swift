import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// What a task promises from its first call to its last.
@Suite(.timeLimit(.minutes(3))) struct TaskContractTests {
    // MARK: - The order of calls

    @Test func tellsAnUploadInOrder() async throws {
        let server = try LoopbackServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/", _): [.answer("307 X", ["Location: /inside"])]
            case (_, nil): [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""])]
            default: [.answer("201 Created", body: "stored")]
            }
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let delegate = OrderDelegate()
        let queue = DispatchQueue(label: "test")
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        session.uploadTask(with: request, from: makeBytes(5000)).resume()
        await delegate.completed.wait()
        #expect(
            delegate.calls == [
                "created", "sent", "redirect", "sent", "challenge", "sent", "response", "data",
                "metrics", "completed",
            ])
        let metrics = try #require(delegate.metrics.first)
        #expect(metrics.redirectCount == 1)
        #expect(
            metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
                == [307, 401, 201])
        #expect(
            metrics.transactionMetrics.allSatisfy {
                $0.request.value(forHTTPHeaderField: "Authorization") == nil
            })
        #expect(server.requests.map(\.body.count) == [5000, 5000, 5000])
    }

    @Test func tellsACachedAnswerInOrder() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=600"], body: "keep me")]
        }
        let delegate = OrderDelegate()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate,
            delegateQueue: DispatchQueue(label: "test"))
        session.dataTask(with: server.url()).resume()
        await delegate.completed.wait()
        #expect(
            delegate.calls == ["created", "response", "data", "willCache", "metrics", "completed"])
        session.dataTask(with: server.url()).resume()
        await delegate.completed.wait(for: 2)
        #expect(
            delegate.calls.dropFirst(6) == ["created", "response", "data", "metrics", "completed"])
        #expect(server.requests.count == 1)
        let second = try #require(delegate.metrics.last?.transactionMetrics.first)
        #expect(second.resourceFetchType == .localCache)
        #expect(second.connectStartDate == nil)
        #expect((second.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func everyTaskOfARaceTellsItsCompletionLastAndOnce() async throws {
        let server = try LoopbackServer { _ in [.answer(body: String(repeating: "x", count: 3000))]
        }
        let delegate = OrderDelegate()
        let queue = DispatchQueue(label: "test")
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        for index in 0..<150 {
            let task: URLSessionTask =
                index % 2 == 0
                ? session.dataTask(with: server.url()) : session.downloadTask(with: server.url())
            task.resume()
            let others = DispatchQueue(label: "other")
            if index % 3 == 0 { others.async { task.cancel() } }
            if index % 4 == 0 {
                others.async {
                    task.suspend()
                    task.resume()
                }
            }
        }
        await delegate.completed.wait(for: 150)
        await drain(queue)
        for calls in delegate.callsByTask.values {
            #expect(calls.last == "completed")
            #expect(calls.filter { $0 == "completed" }.count == 1)
            #expect(calls.dropLast().last == "metrics")
        }
        #expect(delegate.callsByTask.count == 150)
        #expect(delegate.wrongStates == 0)
        #expect(await session.allTasks.isEmpty)
    }

    // MARK: - Suspended

    @Test func aSuspendedTransferTakesNothingMoreAndCanBeCancelled() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n"),
                .fill(0x61, byteCount: 90_000_000),
            ]
        ])
        let suspended = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.data = { task, _ in
                task.suspend()
                suspended.add()
            }
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        await suspended.wait()
        let aside = try RequestsAside()
        try await aside.run(50)
        let received = task.countOfBytesReceived
        try await aside.run(50)
        #expect(task.countOfBytesReceived == received)
        #expect(received < 8_000_000)
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.calls == ["response 200", "data", "completed"])
    }

    @Test func aSuspendedUploadSendsNothingMore() async throws {
        let gate = LoopbackGate()
        // Over TCP a reader that is late is offered what it had no room for again at ever longer intervals.
        let server = try LoopbackServer(
            on: .unixSocket,
            scripts: [
                [.readHead, .wait(gate), .read(byteCount: 12_000_000), .answer("201 Created")]
            ])
        let folder = try ScratchFolder()
        let body = makeBytes(12_000_000)
        let file = try folder.put(body)
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let suspended = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.sent = { task, _ in
                guard suspended.count == 0 else { return }
                task.suspend()
                suspended.add()
            }
        }
        let session = makeSession(delegate) { $0.unixSocketPath = server.socketPath }
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        await suspended.wait()
        gate.open()
        // What the sockets hold may still arrive.
        let aside = try RequestsAside()
        try await aside.run(100)
        let sent = task.countOfBytesSent
        try await aside.run(50)
        #expect(task.countOfBytesSent == sent)
        #expect(sent < 12_000_000)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(task.countOfBytesSent == 12_000_000)
        #expect(Data(server.received(on: 0).suffix(12_000_000)) == body)
    }

    // MARK: - Connections

    @Test func aChildProcessHoldsNoConnectionOpen() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await server.bytes(atLeast: 10)
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("300"), nil]
        #expect(posix_spawn(&child, "/bin/sleep", nil, nil, &words, environ) == 0)
        for word in words { free(word) }
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        task.cancel()
        await server.end()
        await delegate.completion()
    }

    // MARK: - Time

    @Test(arguments: [0.3, 0.9]) func aTimeoutBelowASecondIsKept(seconds: Double) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let session = makeSession { $0.timeoutIntervalForRequest = seconds }
        let start = ContinuousClock.now
        await #expect { try await session.data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .timedOut
        }
        #expect(ContinuousClock.now - start >= .seconds(seconds - 0.01))
    }

    // MARK: - Bodies

    @Test(arguments: [307, 308]) func aDataTaskKeepsMethodAndBody(status: Int) async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("\(status) X", ["Location: x"])] : [.answer()]
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("the body".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        _ = try await makeSession().data(for: request)
        #expect(server.requests.map(\.target) == ["/", "/x"])
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.map(\.text) == ["the body", "the body"])
        #expect(server.requests.last?["Content-Type"] == "text/plain")
    }

    @Test func aHandlersFileIsGoneWhenItReturns() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Accept-Ranges: bytes", "ETag: \"v\""], body: "content")]
        }
        let folder = try ScratchFolder()
        let places = Mutex<[URL]>([])
        let queue = DispatchQueue(label: "test")
        let session = makeSession(on: queue) { $0.partialDownloadsFolder = folder.url(of: "p") }
        let done = Signal()
        for _ in 0..<3 {
            session.downloadTask(with: server.url()) { url, _, _ in
                if let url, (try? String(contentsOf: url, encoding: .utf8)) == "content" {
                    places.withLock { $0.append(url) }
                }
                done.add()
            }.resume()
        }
        await done.wait(for: 3)
        await drain(queue)
        #expect(places.withLock { $0.count } == 3)
        for url in places.withLock({ $0 }) {
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "p")) == [])
    }
}
