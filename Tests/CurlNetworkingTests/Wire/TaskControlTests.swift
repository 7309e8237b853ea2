import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct TaskControlTests {
    // MARK: - Cancel

    @Test func cancellingEndsTheConnectionAndCompletesOnce() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        await server.bytes(atLeast: 10)
        task.cancel()
        #expect(task.state != .running)
        task.cancel()
        task.resume()
        await delegate.completion()
        await server.end()
        await drain(session.delegateQueue)
        #expect(delegate.snapshot.completionCount == 1)
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.calls == ["completed"])
        #expect(task.state == .completed)
    }

    @Test func cancellingATaskThatNeverRanCompletesItToo() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        session.dataTask(with: url).cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.error?.failingURL == url)
    }

    @Test func cancellingFromACallStopsAllFurtherCalls() async throws {
        let server = try LoopbackServer { _ in [.answer(body: Array(makeBytes(5_000_000)))] }
        let delegate = RecordingDelegate { $0.data = { task, _ in task.cancel() } }
        let session = makeSession(delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "data", "completed"])
        #expect(delegate.body.count < 5_000_000)
        #expect(delegate.error?.code == .cancelled)
    }

    @Test func theResponseCanBeDeclined() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "unwanted")] }
        let delegate = RecordingDelegate { $0.response = { _ in .cancel } }
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "completed"])
        #expect(delegate.error?.code == .cancelled)
    }

    @Test func cancellingTheSwiftTaskCancelsTheTransfer() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let session = makeSession()
        let url = server.url()
        let work = Task { try await session.data(from: url) }
        await server.bytes(atLeast: 10)
        work.cancel()
        await #expect { try await work.value } throws: { ($0 as? URLError)?.code == .cancelled }
        await server.end()
    }

    @Test func droppingASequenceOfBytesEndsTheTransfer() async throws {
        let server = try LoopbackServer(scripts: [
            [.readHead, .send("HTTP/1.1 200 OK\r\n\r\nabc"), .stall]
        ])
        do {
            let (bytes, _) = try await makeSession().bytes(from: server.url())
            var iterator = bytes.makeAsyncIterator()
            #expect(try await iterator.next() == UInt8(ascii: "a"))
        }
        await server.end()
    }

    @Test func everyOneOfManyRacingCancelsCompletesOnce() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let session = makeSession()
        let completions = Signal()
        for index in 0..<200 {
            let task = session.dataTask(with: server.url()) { _, _, _ in completions.add() }
            task.resume()
            if index % 2 == 0 { DispatchQueue.global().async { task.cancel() } }
            if index % 3 == 0 { DispatchQueue.global().async { task.cancel() } }
        }
        await completions.wait(for: 200)
        await drain(session.delegateQueue)
        #expect(completions.count == 200)
        #expect(await session.allTasks.isEmpty)
    }

    // MARK: - Suspend

    @Test func nothingMovesBeforeResume() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let session = makeSession()
        let idle = session.dataTask(with: server.url("/idle"))
        #expect(idle.state == .suspended)
        idle.suspend()
        idle.resume()  // one short
        _ = try await session.data(from: server.url("/other"))
        #expect(server.requests.map(\.target) == ["/other"])
        #expect(idle.state == .suspended)
        idle.resume()
        await server.requests(atLeast: 2)
        #expect(server.requests.last?.target == "/idle")
    }

    @Test func aSuspendedTransferHoldsAndGoesOnWithoutLossOrRepetition() async throws {
        let body = makeBytes(12_000_000)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let suspensions = Mutex(0)
        let delegate = RecordingDelegate { hooks in
            hooks.data = { task, _ in
                let suspends = suspensions.withLock { count in
                    count += 1
                    return count <= 5
                }
                guard suspends else { return }
                task.suspend()
                // After everything that is under way has had the chance to slip through.
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
                    task.resume()
                }
            }
        }
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.body == body)
    }

    @Test func noCallComesWhileSuspended() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "hello")] }
        let suspended = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.response = { task in
                task.suspend()
                suspended.add()
                return .allow
            }
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/held"))
        task.resume()
        await suspended.wait()
        let other = try await session.data(from: server.url("/other"))
        #expect(other.0.count == 5)
        await drain(session.delegateQueue)
        #expect(delegate.calls == ["response 200"])
        #expect(task.state == .suspended)
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["response 200", "data", "completed"])
    }

    @Test func suspensionStopsTheTimers() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .wait(gate),
                .send("late"),
            ]
        ])
        let suspended = Signal()
        let delegate = RecordingDelegate { hooks in
            hooks.response = { task in
                task.suspend()
                suspended.add()
                return .allow
            }
        }
        let session = makeSession(delegate) {
            $0.timeoutIntervalForRequest = 3000
            $0.timeoutIntervalForResource = 4000
        }
        let task = session.dataTask(with: server.url())
        task.resume()
        await suspended.wait()
        // What is asked holds a timer, too: not any more.
        await drain(session.delegateQueue)
        await engineIsDone()
        let held = try #require(await engineFacts(of: task))
        #expect(!held.isAsking)
        #expect(held.runsNoTimer)
        #expect(delegate.calls == ["response 200"])
        task.resume()
        let resumed = try #require(await engineFacts(of: task))
        #expect(resumed.requestDeadline != nil)
        #expect(resumed.resourceDeadline != nil)
        gate.open()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(String(decoding: delegate.body, as: UTF8.self) == "late")
    }

    // MARK: - Back-pressure

    @Test func aSlowDelegateHoldsTheServerBack() async throws {
        let total = 200_000_000
        let gate = DispatchSemaphore(value: 0)
        let sent = Mutex(0)
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n"),
                .fill(0x61, byteCount: total),
            ]
        ])
        let delegate = RecordingDelegate { hooks in
            hooks.data = { task, data in
                let isFirst = sent.withLock { count in
                    defer { count += data.count }
                    return count == 0
                }
                if isFirst { gate.wait() }
            }
        }
        // Whatever happens: one that waits for ever keeps all that it was to be told.
        defer { gate.signal() }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        try await RequestsAside().run(300)
        // It has not seen the first piece: only a little is on its way.
        #expect(task.countOfBytesReceived <= 640 << 10)
        task.cancel()
        gate.signal()
        await delegate.completion()
    }

    // MARK: - The session

    @Test func identifiersAreUniqueAndAscending() throws {
        let session = makeSession()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let identifiers = (0..<5).map { _ in session.dataTask(with: url).taskIdentifier }
        #expect(identifiers == identifiers.sorted())
        #expect(Set(identifiers).count == 5)
    }

    @Test func listsTasksThatRun() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [[.readHead, .wait(gate), .answer()]])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let idle = session.dataTask(with: server.url())
        let tasks: [URLSessionTask] = [
            session.dataTask(with: server.url()), session.downloadTask(with: server.url()),
            session.uploadTask(with: URLRequest(url: server.url()), from: Data()),
        ]
        for task in tasks { task.resume() }
        #expect(await session.allTasks == tasks)
        let kinds = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { data, upload, download in
                continuation.resume(returning: [data.count, upload.count, download.count])
            }
        }
        #expect(kinds == [1, 1, 1])
        #expect(idle.state == .suspended)
        gate.open()
        await delegate.completion(of: 3)
        #expect(await session.allTasks.isEmpty)
    }

    @Test func finishingWaitsForTasksAndThenLetsTheDelegateGo() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [[.readHead, .wait(gate), .answer()]])
        var delegate: RecordingDelegate? = RecordingDelegate()
        weak let trace = delegate
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        session.finishTasksAndInvalidate()
        #expect(session.delegate != nil)
        gate.open()
        await delegate?.invalidated()
        #expect(delegate?.calls == ["response 200", "completed", "invalid"])
        await drain(session.delegateQueue)
        #expect(session.delegate == nil)
        delegate = nil
        #expect(trace == nil)
    }

    @Test func invalidatingCancelsAndLaterTasksAreBornCancelled() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        session.dataTask(with: server.url()).resume()
        let idle = session.dataTask(with: server.url())
        session.invalidateAndCancel()
        await delegate.invalidated()
        #expect(delegate.calls == ["completed", "invalid"])
        #expect(delegate.snapshot.completionCount == 2)
        #expect(idle.state == .completed)
        await #expect { try await session.data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .cancelled
        }
    }

    @Test func theSharedSessionCannotBeInvalidated() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        URLSession.shared.invalidateAndCancel()
        URLSession.shared.finishTasksAndInvalidate()
        #expect(try await URLSession.shared.data(from: server.url()).0.count == 1)
    }

    @Test func aSessionNobodyKeepsStillFinishesItsTasks() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let done = Signal()
        makeSession().dataTask(with: server.url()) { data, _, _ in
            if data?.count == 1 { done.add() }
        }.resume()
        await done.wait()
    }

    /// The last one may be held weakly until it is resumed.
    @Test func aTaskNobodyStartedAndKeepsIsForgotten() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        weak let first: URLSessionTask? = session.dataTask(with: url)
        #expect(first != nil)
        weak let second: URLSessionTask? = session.dataTask(with: url)
        #expect(first == nil && second != nil)
        session.finishTasksAndInvalidate()
        #expect(second == nil)
        await delegate.invalidated()
    }

    @Test func aTaskThatIsHeldWeaklyCanBeResumed() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let body: Data? = try await withCheckedThrowingContinuation { continuation in
            weak let task: URLSessionTask? = session.dataTask(with: server.url()) {
                data, _, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(data))
            }
            task?.resume()
            if task == nil { continuation.resume(returning: nil) }
        }
        #expect(body == Data("x".utf8))
        session.finishTasksAndInvalidate()
        await delegate.invalidated()
    }

    // MARK: - Connections

    @Test func opensNoMoreConnectionsThanAllowed() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 2 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask { _ = try await session.data(from: server.url()) }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount <= 2)
        #expect(server.requests.count == 40)
    }

    @Test func theNextConnectionGoesToTheHighestPriority() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            (request.target == "/first" ? [.wait(gate)] : []) + [.answer()]
        }
        let done = Signal()
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 1 }
        let tasks = ([("/first", 0.5), ("/low", 0.1), ("/high", 0.9)] as [(String, Float)]).map {
            (path, priority) in
            let task = session.dataTask(with: server.url(path)) { _, _, _ in done.add() }
            task.priority = priority
            task.resume()
            return task
        }
        await server.requests(atLeast: 1)
        for task in tasks.dropFirst() { #expect(await engine(has: task) { $0.isQueued }) }
        gate.open()
        await done.wait(for: 3)
        #expect(server.requests.map(\.target) == ["/first", "/high", "/low"])
    }

    @Test func queueingEatsNoTime() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            (request.target == "/slow" ? [.wait(gate)] : []) + [.answer()]
        }
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 1 }
        let done = Signal()
        session.dataTask(with: server.url("/slow")) { _, _, _ in done.add() }.resume()
        await server.requests(atLeast: 1)
        let queued = session.dataTask(with: server.url("/queued")) { _, response, _ in
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            done.add()
        }
        queued.resume()
        #expect(await engine(has: queued) { $0.isQueued && $0.runsNoTimer })
        #expect(queued.state == .running)
        gate.open()
        await done.wait(for: 2)
    }

    /// The slot of the first one comes free while all are cancelled, and before the engine has heard of the others.
    @Test func whatIsCancelledInTheQueueSendsNothing() async throws {
        let server = try LoopbackServer { request in
            request.target == "/stalled" ? [.stall] : [.answer()]
        }
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 1 }
        let cancelled = Signal()
        let stalled = session.dataTask(with: server.url("/stalled")) { _, _, error in
            if (error as? URLError)?.code == .cancelled { cancelled.add() }
        }
        stalled.resume()
        await server.requests(atLeast: 1)
        let queued = (0..<300).map { index -> URLSessionDataTask in
            var request = URLRequest(url: server.url("/\(index)"))
            request.httpMethod = "POST"
            request.httpBody = Data("x".utf8)
            let task = session.dataTask(with: request) { _, _, error in
                if (error as? URLError)?.code == .cancelled { cancelled.add() }
            }
            task.resume()
            return task
        }
        let last = try #require(queued.last)
        #expect(await engine(has: last) { $0.isQueued })
        holdingEngine {
            stalled.cancel()
            for task in queued { task.cancel() }
        }
        await cancelled.wait(for: 301)
        #expect(server.requests.count == 1)
        // It gets the slot, and comes after all that was sent.
        _ = try await session.data(from: server.url("/last"))
        #expect(server.requests.map(\.target) == ["/stalled", "/last"])
        #expect(server.connectionCount == 2)
    }

    @Test func thousandsInTheQueueCanFailOneAfterTheOther() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            (request.target == "/stalled" ? [.wait(gate)] : []) + [.answer()]
        }
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 1 }
        let (done, failed) = (Signal(), Signal())
        session.dataTask(with: server.url("/stalled")) { _, _, _ in done.add() }.resume()
        await server.requests(atLeast: 1)
        let queued = (0..<10_000).map { _ -> URLSessionDataTask in
            var request = URLRequest(url: server.url("/body"))
            request.httpBody = Data("x".utf8)
            let task = session.dataTask(with: request) { _, _, error in
                if (error as? URLError)?.code == .dataLengthExceedsMaximum { failed.add() }
            }
            task.resume()
            return task
        }
        let last = try #require(queued.last)
        #expect(await engine(has: last) { $0.isQueued })
        gate.open()
        await done.wait()
        await failed.wait(for: 10_000)
        _ = try await session.data(from: server.url("/last"))
        #expect(server.requests.map(\.target) == ["/stalled", "/last"])
    }

    @Test func whatIsSuspendedWithItsSlotLetsTheNextOneGo() async throws {
        let server = try LoopbackServer { request in
            request.target == "/stalled" ? [.stall] : [.answer()]
        }
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 1 }
        let done = Signal()
        let tasks = ["/stalled", "/second", "/third"].map { path -> URLSessionDataTask in
            let task = session.dataTask(with: server.url(path)) { _, response, _ in
                if response != nil { done.add() }
            }
            task.resume()
            return task
        }
        await server.requests(atLeast: 1)
        for task in tasks.dropFirst() { #expect(await engine(has: task) { $0.isQueued }) }
        await cancel(tasks[0], suspending: tasks[1])
        await done.wait()
        #expect(server.requests.map(\.target) == ["/stalled", "/third"])
        tasks[1].resume()
        await done.wait(for: 2)
        #expect(server.requests.map(\.target) == ["/stalled", "/third", "/second"])
    }
}
