import Foundation
import Glibc
import TestSupport
import Testing

@testable import CurlNetworking

/// What a background session does while its program is there.
@Suite(.timeLimit(.minutes(2))) struct BackgroundTransferTests {
    @Test func aDownloadIsCarriedByAProcessOfItsOwn() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(300_000)
        let server = try LoopbackServer { _ in [.answer(body: Array(body))] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url("/photo"))
        #expect(
            await session.background?.isApart() == true,
            "nothing is started for a session that does nothing")
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(delegate.error == nil)
        #expect(delegate.calls.suffix(2) == ["file", "completed"])
        #expect(task.state == .completed)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.countOfBytesReceived == 300_000)
        #expect(home.helpers.count == 1)
        #expect(home.helpers.first != getpid())
        await calm(session)
        #expect(home.journalNames == [])
        #expect(home.resultNames == [])
        #expect(home.partNames == [])
    }

    @Test func anUploadFromAFileTellsTheAnswersHeadAndBody() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(200_000)
        let server = try LoopbackServer { _ in [.answer("201 Created", body: "kept as 7")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url("/photos"))
        request.httpMethod = "PUT"
        request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        let task = session.uploadTask(with: request, fromFile: try home.makeFile(body))
        task.resume()
        await delegate.completion()
        #expect(delegate.calls == ["sent", "response 201", "data", "completed"])
        #expect(String(decoding: delegate.body, as: UTF8.self) == "kept as 7")
        #expect(server.requests.first?.body == Array(body))
        #expect(server.requests.first?["Authorization"] == "Bearer t")
        #expect(delegate.snapshot.progress.last?.dropFirst() == [200_000, 200_000])
        await calm(session)
        #expect(home.journalNames == [])
        #expect(home.resultNames == [])
    }

    @Test func anAnswerThatIsAnErrorToHTTPIsNoneToTheTask() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer("404 Not Found", body: "no")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url())
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("no".utf8)])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
    }

    @Test func anEmptyBodyIsAnEmptyFile() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer()] }
        let delegate = RecordingDelegate()
        home.session("test", delegate).downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [Data()])
    }

    @Test func redirectsAreFollowedWithoutAsking() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { request in
            request.target == "/old"
                ? [.answer("302 Found", ["Location: /new"])] : [.answer(body: "there")]
        }
        let delegate = RecordingDelegate { $0.redirect = { _ in nil } }
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url("/old"))
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [Data("there".utf8)])
        #expect(task.currentRequest?.url == server.url("/new"))
        #expect(task.originalRequest?.url == server.url("/old"))
    }

    @Test func whatTheConfigurationSaysGoesAlong() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(on: .unixSocket) { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) {
            $0.httpAdditionalHeaders = ["X-Club": "bytes"]
            $0.unixSocketPath = server.socketPath
        }
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.requests.first?["X-Club"] == "bytes")
        #expect(session.configuration.identifier == "test")
    }

    @Test func aRequestMayHaveABodyOfItsOwn() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "list")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("which".utf8)
        session.downloadTask(with: request).resume()
        await delegate.completion()
        #expect(server.requests.first?.text == "which")
        request.httpBody = Data(count: 2 << 20)
        session.downloadTask(with: request).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error?.code == .dataLengthExceedsMaximum)
    }

    @Test func suspendingHoldsTheTransferInTheHelper() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let body = makeBytes(3 << 20)
        let server = try LoopbackServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"),
                .send(Array(body.prefix(100_000))), .wait(gate),
                .send(Array(body.dropFirst(100_000))),
            ]
        }
        let begun = Signal()
        let delegate = RecordingDelegate { $0.wrote = { _, _ in begun.add() } }
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url())
        task.resume()
        await begun.wait()
        task.suspend()
        #expect(task.state == .suspended)
        gate.open()
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
    }

    @Test func cancellingLeavesNothing() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n"),
                .fill(7, byteCount: 500_000), .stall,
            ]
        ])
        let begun = Signal()
        let delegate = RecordingDelegate { $0.wrote = { _, _ in begun.add() } }
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url())
        task.resume()
        await begun.wait()
        #expect(home.journalNames.count == 1)
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        await server.end()
        await calm(session)
        #expect(home.journalNames == [])
        #expect(home.partNames == [])
    }

    @Test func aCancelledDownloadIsGoneOnWithByItsResumeData() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let body = makeBytes(600_000)
        let server = try LoopbackServer { request in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast())
            else {
                let head =
                    "HTTP/1.1 200 OK\r\nETag: \"v\"\r\nAccept-Ranges: bytes\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n"
                return [.send(head), .send(Array(body.prefix(400_000))), .wait(gate), .close]
            }
            let place = "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)"
            return [
                .answer(
                    "206 Partial Content", ["ETag: \"v\"", place],
                    body: Array(body.dropFirst(start)))
            ]
        }
        let begun = Signal()
        let delegate = RecordingDelegate { $0.wrote = { _, _ in begun.add() } }
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url())
        task.resume()
        await begun.wait()
        let data = try #require(await task.cancelByProducingResumeData())
        await delegate.completion()
        gate.open()
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.error?.downloadTaskResumeData == data)
        await calm(session)
        #expect(home.journalNames == [])
        #expect(home.partNames.count == 1)
        session.downloadTask(withResumeData: data).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.last?["Range"] != nil)
        // What was gone on with is no longer there to go on with.
        session.downloadTask(withResumeData: data).resume()
        await delegate.completion(of: 3)
        #expect(delegate.error?.code == .cannotOpenFile)
        session.downloadTask(withResumeData: Data("nonsense".utf8)).resume()
        await delegate.completion(of: 4)
        #expect(delegate.error?.code == .cannotDecodeRawData)
    }

    @Test func invalidatingCancelsAndSaysGoodbye() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await server.requestHead()
        session.invalidateAndCancel()
        await delegate.invalidated()
        #expect(delegate.calls == ["completed", "invalid"])
        await calm(session)
        #expect(home.journalNames == [])
    }

    // MARK: - What it does not take

    @Test func completionHandlersAndBodiesFromMemoryAreRefused() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer()] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await #expect {
            try await session.download(from: server.url())
        } throws: {
            ($0 as? URLError)?.underlyingText?.contains("completion handlers") == true
        }
        await #expect(throws: URLError.self) { try await session.data(from: server.url()) }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        session.uploadTask(with: request, from: Data("x".utf8)).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .unknown)
        #expect(delegate.error?.underlyingText?.contains("from files only") == true)
        session.downloadTask(with: try #require(URL(string: "file:///etc/passwd"))).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error?.code == .unsupportedURL)
        #expect(server.connectionCount == 0)
        #expect(home.helpers.isEmpty)
    }

    @Test func aPostWhoseAnswerIsLostIsNotSentAgain() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.close] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        session.uploadTask(with: request, fromFile: try home.makeFile(makeBytes(20_000))).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(server.requests.count == 1)
    }

    @Test func aPostThatBreaksOffMidwayIsSentAgain() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(40_000_000)
        let server = try LoopbackServer(scripts: [
            [.readHead, .close], [.readRequest, .answer(body: "kept")],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        session.uploadTask(with: request, fromFile: try home.makeFile(body)).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.connectionCount == 2)
    }

    @Test func aFileThatIsNotThereFailsTheTask() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer()] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: URL(filePath: home.path(of: "no"))).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .fileDoesNotExist)
    }

    @Test func dataTasksRunInTheProgram() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "here")] }
        let delegate = RecordingDelegate()
        home.session("test", delegate).dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == "here")
        #expect(home.helpers.isEmpty)
    }

    // MARK: - Trying again

    @Test func aBrokenTransferIsTriedAgainUntilItIsWhole() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(600_000)
        // So few that the transfer is not paused: libcurl 8.5 drops what it has read meanwhile when the rest is missing.
        let server = try LoopbackServer(scripts: [
            [.readHead, .reset],
            [.readHead, .close],
            [
                .readHead,
                .send(
                    "HTTP/1.1 200 OK\r\nETag: \"v\"\r\nAccept-Ranges: bytes\r\n"
                        + "Content-Length: 600000\r\n\r\n"),
                .send(Array(body.prefix(40_000))), .close,
            ],
            [
                .readHead,
                .send(
                    "HTTP/1.1 206 Partial Content\r\nETag: \"v\"\r\n"
                        + "Content-Range: bytes 40000-599999/600000\r\n"
                        + "Content-Length: 560000\r\n\r\n"),
                .send(Array(body.dropFirst(40_000))),
            ],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        let last = String(decoding: server.received(on: 3), as: UTF8.self)
        #expect(last.contains("Range: bytes=40000-\r\n"))
        #expect(last.contains("If-Range: \"v\"\r\n"))
        await calm(session)
        #expect(home.partNames == [])
    }

    @Test func timeOutsAreTriedAgain() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [
            [.readHead, .stall], [.readHead, .stall], [.readHead, .answer(body: "at last")],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.timeoutIntervalForRequest = 0.2 }
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("at last".utf8)])
    }

    @Test func whatCannotBeGoneOnWithIsNotLeftBehind() async throws {
        let home = try BackgroundHome()
        let body = makeBytes(400_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n"
        let server = try LoopbackServer(scripts: [
            [.readHead, .send(head), .send(Array(body.prefix(300_000))), .close],
            [.readHead, .send(head), .send(Array(body))],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(!String(decoding: server.received(on: 1), as: UTF8.self).contains("Range"))
        await calm(session)
        #expect(home.partNames == [])
    }

    @Test func theResourceTimeoutEndsAllAttempts() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.timeoutIntervalForResource = 1 }
        session.downloadTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .timedOut)
    }

    @Test func aServerThatIsAwayIsWaitedFor() async throws {
        let home = try BackgroundHome()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.timeoutIntervalForResource = 1 }
        let closed = try LoopbackServer { _ in [] }
        let url = closed.url()
        closed.stop()
        session.downloadTask(with: url).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .timedOut)
    }

    /// Waits until the helper has forgotten what was told.
    private func calm(_ session: URLSession) async {
        await session.background?.calm()
    }
}

extension BackgroundClient {
    /// Whether it is connected to a helper that has sent it the session's tasks. Not to be asked on its queue.
    nonisolated var isAttached: Bool {
        executor.queue.sync {
            assumeIsolated { if case .attached = $0.connection.stage { true } else { false } }
        }
    }

    /// Waits until the session is free for others.
    func gone() async {
        await withCheckedContinuation { continuation in
            submit { $0.whenGone { continuation.resume() } }
        }
    }

    /// Whether it has no line to a helper, and none on its way.
    func isApart() async -> Bool {
        await withCheckedContinuation { continuation in
            submit { client in
                if case .disconnected = client.connection.stage {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
        }
    }

    /// Waits until the helper knows all it has to, of a call to the delegate that has not returned yet, too.
    func calm() async {
        await withCheckedContinuation { continuation in
            submit { client in
                let work: @Sendable () -> Void = {
                    client.submit { $0.whenCalm { continuation.resume() } }
                }
                guard let queue = client.session?.delegateQueue else { return work() }
                queue.async(execute: work)
            }
        }
    }
}

extension LoopbackServer {
    /// Waits until something of a request is there.
    func requestHead() async { await bytes(atLeast: 1) }
}
