import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// What may happen in a call, and what may not before it is answered.
@Suite(.timeLimit(.minutes(1))) struct TaskCallsTests {
    /// The calls that the delegate gets for a streamed upload that is redirected, challenged and answered,
    /// and for a download, in order.
    private static let uploadCalls = [
        "created", "stream", "sent", "redirect", "challenge", "response", "data", "metrics",
        "completed",
    ]
    private static let downloadCalls = ["created", "wrote", "file", "metrics", "completed"]

    // MARK: - Cancelling

    @Test(arguments: uploadCalls) func anUploadCanBeCancelledFromAnyCall(call: String) async throws
    {
        let server = try LoopbackServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/", _): [.answer("307 X", ["Location: /inside"])]
            case (_, nil): [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""])]
            default: [.answer("201 Created", body: "stored")]
            }
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let session = makeSession(cancellingFrom: call)
        let task = session.session.uploadTask(withStreamedRequest: request)
        task.resume()
        await session.expectOneEnd(of: task)
    }

    @Test(arguments: downloadCalls)
    func aDownloadCanBeCancelledFromAnyCall(call: String) async throws {
        let server = try LoopbackServer { _ in [.answer(body: "content")] }
        let session = makeSession(cancellingFrom: call)
        let task = session.session.downloadTask(with: server.url())
        task.resume()
        await session.expectOneEnd(of: task)
    }

    @Test func aTaskCanBeCancelledWhileItsCachingIsAskedAbout() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=600"], body: "keep me")]
        }
        let session = makeSession(cancellingFrom: "willCache")
        let task = session.session.dataTask(with: server.url())
        task.resume()
        await session.expectOneEnd(of: task)
    }

    private struct Cancelling {
        let session: URLSession
        let delegate: OrderDelegate
        let call: String

        /// All calls up to the one that cancels, then the metrics and one completion.
        func expectOneEnd(of task: URLSessionTask) async {
            await delegate.completed.wait()
            await drain(session.delegateQueue)
            let reported = delegate.callsByTask[task.taskIdentifier] ?? []
            #expect(reported.filter { $0 == call }.count == 1, "\(reported)")
            #expect(reported.suffix(2) == ["metrics", "completed"], "\(reported)")
            #expect(reported.filter { $0 == "completed" }.count == 1)
            #expect(task.state == .completed)
            #expect(delegate.wrongStates == 0)
            if call == "completed" {
                #expect(task.error == nil)
            } else {
                #expect((task.error as? URLError)?.code == .cancelled)
                #expect(
                    reported.last { $0 != "metrics" && $0 != "completed" || $0 == call } == call)
            }
        }
    }

    private func makeSession(cancellingFrom call: String) -> Cancelling {
        let delegate = OrderDelegate(during: { name, task in
            if name == call { task.cancel() }
        })
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate,
            delegateQueue: DispatchQueue(label: "test"))
        return Cancelling(session: session, delegate: delegate, call: call)
    }

    @Test func whatIsCancelledIsNoLongerListed() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let cancelled = Signal()
        let mayGoOn = DispatchSemaphore(value: 0)
        let delegate = RecordingDelegate { hooks in
            hooks.response = { task in
                task.cancel()
                cancelled.add()
                mayGoOn.wait()
                return .allow
            }
        }
        let session = CurlNetworkingTests.makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        await cancelled.wait()
        #expect(task.state == .canceling)
        #expect(await session.allTasks.isEmpty)
        mayGoOn.signal()
        await delegate.completion()
    }

    // MARK: - Questions

    @Test func nothingComesBeforeTheResponseIsAllowed() async throws {
        let server = try LoopbackServer { _ in [.answer(body: Array(makeBytes(30_000)))] }
        let reply = Mutex<(@Sendable (URLSession.ResponseDisposition) -> Void)?>(nil)
        let asked = Signal()
        let delegate = OrderDelegate(answer: { receive in
            reply.withLock { $0 = receive }
            asked.add()
        })
        let queue = DispatchQueue(label: "test")
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        let task = session.dataTask(with: server.url())
        task.resume()
        await asked.wait()
        try await RequestsAside().run(30)
        await drain(queue)
        #expect(delegate.calls == ["created", "response"])
        #expect(task.countOfBytesReceived == 0)
        let allow = try #require(reply.withLock { $0 })
        allow(.allow)
        allow(.cancel)  // only the first answer counts
        await delegate.completed.wait()
        #expect(
            delegate.calls == ["created", "response", "data", "willCache", "metrics", "completed"])
        #expect(task.error == nil)
        #expect(task.countOfBytesReceived == 30_000)
    }

    // MARK: - The queue

    @Test func everyHandlerIsCalledOnTheDelegatesQueue() async throws {
        let server = try LoopbackServer { request in
            request.target == "/endless"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .stall]
                : [.answer(body: "x")]
        }
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: true)
        let places = Mutex<[String: Bool]>([:])
        let called = Signal()
        let note: @Sendable (String) -> Void = { name in
            let isThere = DispatchQueue.getSpecific(key: key) == true
            places.withLock { $0[name] = isThere }
            called.add()
        }
        let session = CurlNetworkingTests.makeSession(on: queue)
        let url = server.url()
        session.dataTask(with: url) { _, _, _ in note("data") }.resume()
        session.downloadTask(with: url) { _, _, _ in note("download") }.resume()
        session.uploadTask(with: URLRequest(url: url), from: Data()) { _, _, _ in note("upload") }
            .resume()
        session.getAllTasks { _ in note("all") }
        session.getTasksWithCompletionHandler { _, _, _ in note("kinds") }
        let endless = session.downloadTask(with: server.url("/endless"))
        endless.resume()
        endless.cancel { _ in note("resume data") }
        session.dataTask(with: url) { _, _, _ in note("cancelled") }.cancel()
        await called.wait(for: 7)
        session.flush { note("flush") }
        session.reset { note("reset") }
        await called.wait(for: 9)
        #expect(places.withLock { $0.filter { !$0.value } }.isEmpty)
        #expect(places.withLock { $0.count } == 9)
    }

    // MARK: - Suspended

    /// So little that nothing but the suspension holds it back.
    @Test func aSuspendedTaskReceivesNothing() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 50005\r\n\r\nhello"),
                .wait(gate), .fill(0x61, byteCount: 50_000), .stall,
            ]
        ])
        let suspended = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.data = { task, _ in
                guard suspended.count == 0 else { return }
                task.suspend()
                suspended.add()
            }
        }
        let task = CurlNetworkingTests.makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await suspended.wait()
        // The engine gets to know of the suspension, then the rest may come.
        let aside = try RequestsAside()
        try await aside.run(3)
        gate.open()
        try await aside.run(50)
        #expect(task.countOfBytesReceived == 5)
        task.resume()
        await delegate.completion()
        #expect(task.countOfBytesReceived == 50_005)
        #expect(delegate.body.count == 50_005)
    }
}
