import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct UploadTaskTests {
    @Test(arguments: [0, 1, 70_000, 3_000_000])
    func sendsAFileWithItsLengthAndProgress(count: Int) async throws {
        let folder = try ScratchFolder()
        let body = makeBytes(count)
        let file = try folder.put(body)
        let server = try LoopbackServer { _ in [.answer("201 Created", body: "ok")] }
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(with: request, fromFile: file)
        task.resume()
        await delegate.completion()
        let sent = try #require(server.requests.first)
        #expect(Data(sent.body) == body)
        #expect(sent.values(of: "Content-Length") == ["\(count)"])
        #expect(sent["Expect"] == nil)
        #expect(
            sent["Content-Type"] == (count == 0 ? nil : "application/x-www-form-urlencoded"))
        let calls = (count == 0 ? [] : ["sent"]) + ["response 201", "data", "completed"]
        #expect(delegate.calls == calls)
        let progress = delegate.snapshot.progress
        #expect(progress.map { $0[0] }.reduce(0, +) == Int64(count))
        #expect(progress.allSatisfy { $0[2] == Int64(count) })
        #expect(progress.map { $0[1] } == progress.map { $0[1] }.sorted())
        #expect(task.countOfBytesSent == Int64(count))
        #expect(task.countOfBytesExpectedToSend == Int64(count))
    }

    @Test func sendsDataAndReturnsTheAnswer() async throws {
        let body = makeBytes(1_500_000)
        let server = try LoopbackServer { _ in [.answer("409 Conflict", body: "taken")] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await makeSession().upload(for: request, from: body)
        #expect(String(decoding: data, as: UTF8.self) == "taken")
        #expect((response as? HTTPURLResponse)?.statusCode == 409)
        #expect(server.requests.first.map { Data($0.body) } == body)
        #expect(server.requests.first?["Content-Type"] == "image/jpeg")
    }

    @Test func namesWhatIsWrongWithAFile() async throws {
        let folder = try ScratchFolder()
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let missing = folder.url(of: "missing")
        await #expect { try await makeSession().upload(for: request, fromFile: missing) } throws: {
            ($0 as? URLError)?.code == .fileDoesNotExist
        }
        await #expect {
            try await makeSession().upload(for: request, fromFile: folder.url)
        } throws: {
            ($0 as? URLError)?.code == .fileIsDirectory
        }
        let device = URL(filePath: "/dev/null")
        await #expect { try await makeSession().upload(for: request, fromFile: device) } throws: {
            ($0 as? URLError)?.code == .cannotOpenFile
        }
        #expect(server.connectionCount == 0)
    }

    @Test func noticesAFileThatShrinks() async throws {
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(40_000_000))
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [[.readHead, .wait(gate), .stall]])
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).uploadTask(with: request, fromFile: file)
        task.resume()
        await server.connections(atLeast: 1)
        try FileHandle(forWritingTo: file).truncate(atOffset: 1)
        gate.open()
        await delegate.completion()
        #expect(delegate.error?.code == .requestBodyStreamExhausted)
    }

    @Test func sendsAStreamInChunks() async throws {
        let body = makeBytes(1_200_000)
        let server = try LoopbackServer { _ in [.answer()] }
        let delegate = RecordingDelegate { $0.body = { PieceStream(body) } }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(withStreamedRequest: request)
        task.resume()
        await delegate.completion()
        let sent = try #require(server.requests.first)
        #expect(delegate.error == nil)
        #expect(sent["Transfer-Encoding"] == "chunked")
        #expect(sent["Content-Length"] == nil)
        #expect(Data(sent.body) == body)
        #expect(delegate.calls.prefix(2) == ["bodyStream", "sent"])
        #expect(task.countOfBytesExpectedToSend == -1)
        #expect(task.countOfBytesSent == Int64(body.count))
        #expect(delegate.snapshot.progress.last.map { $0[1] } == Int64(body.count))
    }

    @Test func asksForTheStreamAgainAtARedirect() async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("307 X", ["Location: /again"])] : [.answer()]
        }
        let delegate = RecordingDelegate { $0.body = { PieceStream(makeBytes(5000)) } }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        makeSession(delegate).uploadTask(withStreamedRequest: request).resume()
        await delegate.completion()
        #expect(
            delegate.calls.filter { $0 != "sent" }
                == ["bodyStream", "redirect 307", "bodyStream", "response 200", "completed"])
        #expect(server.requests.map(\.body.count) == [5000, 5000])
    }

    @Test func failsWithoutAStreamOrWhenItFails() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        for stream in [nil, PieceStream(makeBytes(10), failsAtEnd: true)] {
            let delegate = RecordingDelegate { $0.body = { stream } }
            makeSession(delegate).uploadTask(withStreamedRequest: request).resume()
            await delegate.completion()
            #expect(delegate.error?.code == .requestBodyStreamExhausted)
        }
    }

    @Test func takesAnAnswerThatComesBeforeTheBodyIsSent() async throws {
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(30_000_000))
        let server = try LoopbackServer(scripts: [
            [.readHead, .answer("413 Too Large", ["Connection: close"], body: "no"), .stall]
        ])
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let (data, response) = try await makeSession().upload(for: request, fromFile: file)
        #expect((response as? HTTPURLResponse)?.statusCode == 413)
        #expect(String(decoding: data, as: UTF8.self) == "no")
    }

    @Test func aServerThatDiesMidwayIsALostConnection() async throws {
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(20_000_000))
        let server = try LoopbackServer(scripts: [[.readHead, .read(byteCount: 100_000), .reset]])
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        await #expect { try await makeSession().upload(for: request, fromFile: file) } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
    }

    @Test func aDeadKeptConnectionIsReplacedAndTheFileSentFromItsStart() async throws {
        let folder = try ScratchFolder()
        let body = makeBytes(600_000)
        let file = try folder.put(body)
        // The first connection dies under the second request, unanswered.
        let server = try LoopbackServer(scripts: [
            [.readRequest, .answer(), .readHead, .read(byteCount: 10), .close],
            [.readRequest, .answer(body: "second")],
        ])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let (data, _) = try await session.upload(for: request, fromFile: file)
        #expect(String(decoding: data, as: UTF8.self) == "second")
        #expect(server.requests.last.map { Data($0.body) } == body)
    }
}

/// Gives a body in pieces of odd sizes.
private final class PieceStream: InputStream, @unchecked Sendable {
    // Unchecked as its superclass is; what changes sits in a Mutex.
    private let rest: Mutex<Data>
    private let failsAtEnd: Bool
    private let status = Mutex(Status.notOpen)

    init(_ data: Data, failsAtEnd: Bool = false) {
        rest = Mutex(data)
        self.failsAtEnd = failsAtEnd
        super.init()
    }

    override func open() { status.withLock { $0 = .open } }
    override func close() { status.withLock { $0 = .closed } }
    override var streamStatus: Status { status.withLock { $0 } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        rest.withLock { rest in
            if rest.isEmpty, failsAtEnd { return -1 }
            let piece = rest.prefix(min(7001, len))
            piece.copyBytes(to: buffer, count: piece.count)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }
}
