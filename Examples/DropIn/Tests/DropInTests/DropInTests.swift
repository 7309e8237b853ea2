import CurlNetworking
import Foundation
import Testing

/// What programs written for URLSession rely on, with Foundation's own types.
@Suite struct DropInTests {
    private let url = URL(string: "http://mock.test/a")!

    // MARK: - Errors

    @Test func errorsAreFoundationsOwn() async throws {
        let server = try #require(SilentServer())
        let session = URLSession(configuration: .ephemeral)
        let error = await #expect(throws: (any Error).self) {
            _ = try await session.data(for: URLRequest(url: server.url, timeoutInterval: 0.2))
        }
        let found = try #require(error)
        #expect(isTimeout(found))
        #expect(isTimeoutByNumber(found))
        #expect(sentence { throw found } == "timed out at 127.0.0.1")
        #expect((found as NSError).userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url)
        #expect(found.localizedDescription == "The server did not answer in time.")
    }

    @Test func aRequestWithoutATimeoutHasTheSessions() async throws {
        let server = try #require(SilentServer())
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        let session = URLSession(configuration: configuration)
        let requests = [
            URLRequest(url: server.url, cachePolicy: .reloadIgnoringLocalCacheData),
            NSMutableURLRequest(url: server.url) as URLRequest,
            NSURLRequest(url: server.url) as URLRequest,
        ]
        for request in requests {
            #expect(request.timeoutInterval == 60)
            let error = await #expect(throws: (any Error).self) {
                _ = try await session.data(for: request)
            }
            #expect(isTimeout(try #require(error)))
        }
    }

    @Test func aCancelledTaskIsCaughtByFoundationsCode() async throws {
        let server = try #require(SilentServer())
        let session = URLSession(configuration: .ephemeral)
        let result: Result<Data, any Error> = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: server.url) { data, _, error in
                continuation.resume(
                    returning: error.map { .failure($0) } ?? .success(data ?? Data()))
            }
            task.resume()
            task.cancel()
        }
        #expect(sentence { _ = try result.get() } == "cancelled")
    }

    @Test func resumeDataIsInTheUserInfo() throws {
        let data = Data("a".utf8)
        let error = URLError(
            .networkConnectionLost, userInfo: ["NSURLSessionDownloadTaskResumeData": data])
        #expect(error.downloadTaskResumeData == data)
        #expect(throws: URLError.self) {
            try refuse(
                URLResponse(
                    url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
        }
    }

    // MARK: - Operation queues

    @Test func callsComeOnTheOperationQueueInOrder() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = Delegate()
        let session = MockURLProtocol.makeSession(delegate: delegate, delegateQueue: queue)
        #expect(session.delegateQueue === queue)
        session.dataTask(with: url).resume()
        delegate.done.wait()
        session.finishTasksAndInvalidate()
        delegate.done.wait()
        #expect(delegate.calls == ["response", "data", "complete", "invalid"])
        #expect(delegate.queuesOfCalls.allSatisfy { $0 === queue })
    }

    @Test func nothingIsCalledWhileTheOperationQueueIsSuspended() throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        let delegate = Delegate()
        let session = MockURLProtocol.makeSession(delegate: delegate, delegateQueue: queue)
        session.dataTask(with: url).resume()
        #expect(delegate.done.wait(timeout: .now() + 0.1) == .timedOut)
        #expect(delegate.calls.isEmpty)
        queue.isSuspended = false
        delegate.done.wait()
        #expect(delegate.calls.last == "complete")
    }

    /// Of one task the calls come one after the other, whatever the queue allows.
    @Test func aQueueOfManyThreadsKeepsTheOrderOfATask() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let delegate = Delegate()
        let session = MockURLProtocol.makeSession(delegate: delegate, delegateQueue: queue)
        for _ in 0..<20 {
            session.dataTask(with: url).resume()
            delegate.done.wait()
        }
        #expect(
            delegate.calls
                == Array(repeating: ["response", "data", "complete"], count: 20).flatMap(\.self))
    }

    @Test func aQueueOfOneTakesOneCallAtATimeOfAllTasks() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = Delegate()
        let session = MockURLProtocol.makeSession(delegate: delegate, delegateQueue: queue)
        for _ in 0..<20 { session.dataTask(with: url).resume() }
        for _ in 0..<20 { delegate.done.wait() }
        #expect(delegate.mostCallsAtOnce == 1)
        #expect(delegate.calls.count == 60)
    }

    @Test func aSessionWithoutAQueueMakesASerialOne() throws {
        let delegate = Delegate()
        let session = MockURLProtocol.makeSession(delegate: delegate)
        #expect(session.delegateQueue.maxConcurrentOperationCount == 1)
        #expect(session.delegateQueue === session.delegateQueue)
        session.dataTask(with: url).resume()
        delegate.done.wait()
        #expect(delegate.queuesOfCalls.allSatisfy { $0 === session.delegateQueue })
        let sessions = makeSessions(delegate)
        #expect(name(of: sessions[1]) == "callbacks")
        #expect(sessions[2].delegateQueue === OperationQueue.main)
        for session in sessions { session.invalidateAndCancel() }
    }

    // MARK: - Mocks

    @Test func aMockSessionAnswersItsOwnWay() async throws {
        let session = MockSession(answer: Data("mocked".utf8))
        let (data, response) = try await session.data(for: URLRequest(url: url))
        #expect(String(decoding: data, as: UTF8.self) == "mocked")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(session.lastURL == url)
        #expect(try loadNow(url, by: session).get() == data)
        let loading: any Loading = session
        #expect(try await loading.data(for: URLRequest(url: url)).0 == data)
    }

    @Test func aMockTaskIsTold() {
        let task = MockDataTask {}
        #expect(task.state == .running)
        task.cancel()
        #expect(task.state == .canceling)
        #expect(group([task, task]).count == 1)
    }

    @Test func aURLProtocolMarksItsRequestByTheMutableClass() async throws {
        let (data, _) = try await MockURLProtocol.makeSession().data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "GET /a 1")
    }

    // MARK: - Requests, streams, progress

    @Test func requestsCrossToTheirClassAndBack() throws {
        let request = makeRequest(url)
        #expect(request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "content-type") == "application/json")
        #expect(request.timeoutInterval == 5)
        #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        let object = request as NSURLRequest
        #expect(object.isEqual(request as NSURLRequest))
        let copy = try #require(object.mutableCopy() as? NSMutableURLRequest)
        copy.httpMethod = "PUT"
        #expect(object.httpMethod == "POST")
        #expect((copy as URLRequest).httpMethod == "PUT")
        #expect(search("a b")?.url?.query == "q=a%20b")
    }

    @Test func aBodyIsFoundationsStream() async throws {
        let body = stream(Data("abc".utf8), to: url)
        #expect(body.httpBodyStream?.streamStatus == .notOpen)
        #expect(makeBody("abc").streamStatus == .notOpen)
        let delegate = StreamDelegate()
        let session = MockURLProtocol.makeSession(delegate: delegate)
        let (data, _) = try await session.data(for: body)
        #expect(String(decoding: data, as: UTF8.self) == "PUT /a 1")
    }

    @Test func theProgressOfTasksIsPartOfAProgramsOwn() async throws {
        let session = MockURLProtocol.makeSession()
        let (stream, continuation) = AsyncStream.makeStream(of: Double.self)
        let tasks = (0..<2).map { _ in session.dataTask(with: url) { _, _, _ in } }
        let (all, observation) = follow(tasks) { continuation.yield($0) }
        for task in tasks { task.resume() }
        for await fraction in stream where fraction >= 1 { break }
        observation.invalidate()
        #expect(percent(of: all) == 100)
        #expect(all.isFinished)
    }

    @Test func cancellingAProgressCancelsItsTask() async throws {
        let server = try #require(SilentServer())
        let session = URLSession(configuration: .ephemeral)
        let error: (any Error)? = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: server.url) { _, _, error in
                continuation.resume(returning: error)
            }
            task.resume()
            task.progress.cancel()
        }
        #expect((error as? URLError)?.code == .cancelled)
    }

    // MARK: - Values

    @Test func storagesTellOfTheirChanges() throws {
        let heard = DispatchSemaphore(value: 0)
        let token = hearOfCookies { heard.signal() }
        defer { NotificationCenter.default.removeObserver(token) }
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "a", .value: "b", .domain: "mock.test", .path: "/", .version: "1",
                .port: "80,81",
            ]))
        HTTPCookieStorage().setCookie(cookie)
        #expect(heard.wait(timeout: .now() + 5) == .success)
        #expect(ports(of: cookie) == [80, 81])
    }

    @Test func answersAreCopiedAndCompared() throws {
        let one = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["A": "b"]))
        let other = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["A": "b"]))
        #expect(one == other)
        #expect(one.isEqual(other))
        #expect(one.hash == other.hash)
        #expect((one.copy() as? HTTPURLResponse) == other)
        #expect(NSSet(array: [one, other]).count == 1)
        #expect(objects(.shared).count == 5)
    }

    @Test func aDataURLAndItsLinesAreLoaded() async throws {
        let url = try #require(URL(string: "data:text/plain;base64,b25lCnR3bwo="))
        #expect(try await lines(at: url) == ["one", "two"])
    }

    @Test func aDownloadIsKeptByFoundationsFileManager() async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: place) }
        let isKept = await withCheckedContinuation { continuation in
            keep(url, at: place, by: MockURLProtocol.makeSession()) {
                continuation.resume(returning: $0)
            }
        }
        #expect(isKept)
        #expect(try String(contentsOf: place, encoding: .utf8) == "GET /a 1")
    }
}
