import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TaskMetricsTests {
    @Test func measuresARequestAndItsAnswer() async throws {
        let server = try LoopbackServer { _ in [.answer("200 OK", ["X-Own: 1"], body: "hello")] }
        let delegate = RecordingDelegate()
        let before = Date()
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("question".utf8)
        session.dataTask(with: request).resume()
        await delegate.completion()
        let metrics = try #require(delegate.snapshot.metrics.first)
        #expect(metrics.redirectCount == 0)
        #expect(metrics.taskInterval.start >= before)
        #expect(metrics.taskInterval.end <= Date())
        #expect(metrics.transactionMetrics.count == 1)
        let transaction = try #require(metrics.transactionMetrics.first)
        #expect(transaction.request.url == server.url())
        #expect((transaction.response as? HTTPURLResponse)?.statusCode == 200)
        let dates = try [
            metrics.taskInterval.start, #require(transaction.fetchStartDate),
            #require(transaction.domainLookupStartDate), #require(transaction.domainLookupEndDate),
            #require(transaction.connectStartDate), #require(transaction.connectEndDate),
            #require(transaction.requestStartDate), #require(transaction.requestEndDate),
            #require(transaction.responseStartDate), #require(transaction.responseEndDate),
            metrics.taskInterval.end,
        ]
        // Libcurl's instants are cut to microseconds.
        for (one, next) in zip(dates, dates.dropFirst()) {
            #expect(next.timeIntervalSince(one) > -0.000_5)
        }
        #expect(transaction.secureConnectionStartDate == nil)
        #expect(transaction.networkProtocolName == "http/1.1")
        #expect(!transaction.isReusedConnection)
        #expect(!transaction.isProxyConnection)
        #expect(transaction.resourceFetchType == .networkLoad)
        let sent = server.received(on: 0).count
        #expect(transaction.countOfRequestHeaderBytesSent == Int64(sent - 8))
        #expect(transaction.countOfRequestBodyBytesSent == 8)
        #expect(transaction.countOfRequestBodyBytesBeforeEncoding == 8)
        #expect(
            transaction.countOfResponseHeaderBytesReceived
                == Int64("HTTP/1.1 200 OK\r\nX-Own: 1\r\nContent-Length: 5\r\n\r\n".utf8.count))
        #expect(transaction.countOfResponseBodyBytesReceived == 5)
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == 5)
        #expect(transaction.remoteAddress == "127.0.0.1")
        #expect(transaction.remotePort == Int(server.port))
        #expect(transaction.localAddress == "127.0.0.1")
        #expect((transaction.localPort ?? 0) > 0)
        #expect(transaction.negotiatedTLSProtocolVersion == nil)
    }

    @Test func comesJustBeforeTheCompletionOfEveryKindOfTask() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "hello")] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(
            delegate.snapshot.allCalls
                == ["created", "response 200", "data", "metrics", "completed"])
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 2)
        #expect(
            delegate.snapshot.allCalls.dropFirst(5)
                == ["created", "wrote", "file", "metrics", "completed"])
        _ = try await session.data(from: server.url())
        #expect(delegate.snapshot.metrics.count == 3)
    }

    @Test func aReusedConnectionHasNoLookUp() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<2 { _ = try await session.data(from: server.url()) }
        let transactions = delegate.snapshot.metrics.flatMap(\.transactionMetrics)
        #expect(transactions.map(\.isReusedConnection) == [false, true])
        #expect(transactions.last?.domainLookupStartDate == nil)
        #expect(transactions.last?.connectStartDate == nil)
        #expect(transactions.last?.requestStartDate != nil)
        #expect(transactions.last?.remotePort == Int(server.port))
    }

    @Test func aRequestThatALostConnectionTookAlongIsATransaction() async throws {
        let server = try LoopbackServer(scripts: [
            [.readRequest, .answer(body: "x"), .readRequest, .close],
            [.readRequest, .answer(body: "x")],
        ])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<2 { _ = try await session.data(from: server.url()) }
        let transactions = delegate.snapshot.metrics.flatMap(\.transactionMetrics)
        #expect(transactions.map { $0.response == nil } == [false, true, false])
        #expect(transactions.map(\.isReusedConnection) == [false, true, false])
        #expect(transactions.allSatisfy { $0.requestStartDate != nil })
    }

    @Test func eachRedirectIsATransaction() async throws {
        let server = try LoopbackServer { request in
            request.target == "/a"
                ? [.answer("302 Found", ["Location: /b"])] : [.answer(body: "x")]
        }
        let delegate = RecordingDelegate()
        makeSession(delegate).dataTask(with: server.url("/a")).resume()
        await delegate.completion()
        let metrics = try #require(delegate.snapshot.metrics.first)
        #expect(metrics.redirectCount == 1)
        #expect(
            metrics.transactionMetrics.map(\.request.url) == [server.url("/a"), server.url("/b")])
        #expect(
            metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
                == [302, 200])
    }

    @Test func countsBeforeAndAfterCoding() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Encoding: gzip"], body: gzippedHello)]
        }
        let delegate = RecordingDelegate()
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        let transaction = try #require(delegate.snapshot.metrics.first?.transactionMetrics.first)
        #expect(transaction.countOfResponseBodyBytesReceived == Int64(gzippedHello.count))
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == 5)
    }

    @Test func aCancelledAndAFailedTaskHaveThemToo() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url())
        task.resume()
        await server.bytes(atLeast: 10)
        task.cancel()
        await delegate.completion()
        let transaction = try #require(delegate.snapshot.metrics.first?.transactionMetrics.first)
        #expect(transaction.response == nil)
        #expect(transaction.requestStartDate != nil)
        #expect(transaction.responseStartDate == nil)
        #expect(delegate.snapshot.allCalls == ["created", "metrics", "completed"])
    }

    @Test func interimAnswersAreTold() async throws {
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
                .send("HTTP/1.1 102 Processing\r\n\r\n"), .answer(body: "x"),
            ]
        }
        let delegate = RecordingDelegate()
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.snapshot.interim.map(\.statusCode) == [103, 102])
        #expect(delegate.snapshot.interim.first?.value(forHTTPHeaderField: "link") == "</a>")
        #expect(
            delegate.snapshot.allCalls
                == [
                    "created", "interim 103", "interim 102", "response 200", "data", "metrics",
                    "completed",
                ])
    }

    @Test func everyTaskIsToldOfWhenItIsMade() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let tasks = [session.dataTask(with: url), session.downloadTask(with: url)]
        session.finishTasksAndInvalidate()
        let late = session.dataTask(with: url)
        await drain(session.delegateQueue)
        let created = delegate.snapshot.created
        #expect(created.prefix(2) == [tasks[0].taskIdentifier, tasks[1].taskIdentifier])
        #expect(late.state != .running)
    }
}
