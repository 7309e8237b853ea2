import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// Uploads that lose their connection and go on, over a real one.
@Suite(.timeLimit(.minutes(1))) struct UploadResumeTests {
    private let body = makeBytes(700_000)

    @Test(arguments: [true, false])
    func goesOnWhereTheServerStopped(isFile: Bool) async throws {
        let server = try ResumingServer(lossAfter: [200_000, 150_000])
        let delegate = RecordingDelegate { $0.interim = server.wasHeard }
        let session = makeSession(delegate)
        let folder = try ScratchFolder()
        let task =
            isFile
            ? session.uploadTask(with: server.request, fromFile: try folder.put(body))
            : session.uploadTask(with: server.request, from: body)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.body == Data("stored".utf8))
        #expect(server.stored == body)
        #expect(server.methods == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
        let heads = server.heads
        #expect(heads[0].contains("Upload-Complete: ?1\r\n"))
        #expect(heads[0].contains("Upload-Draft-Interop-Version: 6\r\n"))
        #expect(heads[0].contains("X-Own: 1\r\n"))
        #expect(heads[2].contains("Upload-Offset: 200000\r\n"))
        #expect(heads[2].contains("Content-Type: application/partial-upload\r\n"))
        #expect(heads[2].contains("X-Own: 1\r\n"))
        #expect(heads[4].contains("Upload-Offset: 350000\r\n"))
        // The user sees one upload: one answer, and progress of the whole body.
        #expect(
            delegate.calls.filter { $0 != "sent" } == ["response 201", "data", "completed"])
        #expect(delegate.snapshot.interim.allSatisfy { $0.statusCode == 104 })
        #expect(delegate.snapshot.progress.allSatisfy { $0[2] == Int64(body.count) })
        #expect(delegate.snapshot.progress.last?[1] == Int64(body.count))
        #expect(task.countOfBytesSent == Int64(body.count))
        #expect(task.currentRequest?.url == server.request.url)
        #expect(task.currentRequest?.httpMethod == "POST")
        // Its answer comes from where the server continues it.
        #expect(task.response?.url?.path == "/upload/1")
    }

    @Test func aServerThatKnowsNothingOfItSeesAUsualUpload() async throws {
        let server = try LoopbackServer { _ in [.answer("201 Created", body: "ok")] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let (data, _) = try await makeSession().upload(for: request, from: body)
        #expect(data == Data("ok".utf8))
        let sent = try #require(server.requests.first)
        #expect(Data(sent.body) == body)
        #expect(sent["Upload-Complete"] == "?1")
        // A small one is not worth the fields.
        _ = try await makeSession().upload(for: request, from: Data("small".utf8))
        #expect(server.requests.last?["Upload-Complete"] == nil)
    }

    @Test func anAnswerThatWasLostIsNotAskedForByASecondUpload() async throws {
        let server = try ResumingServer(lossAfter: [700_000])
        let (data, response) = try await makeSession(server.listener).upload(
            for: server.request, from: body)
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
        #expect(server.methods == ["POST", "HEAD"])
        #expect(server.stored == body)
    }

    @Test func withoutA104ALossIsALoss() async throws {
        let server = try ResumingServer(lossAfter: [200_000], saysWhere: false)
        await #expect {
            _ = try await makeSession().upload(for: server.request, from: body)
        } throws: { error in
            let error = error as? URLError
            return error?.code == .networkConnectionLost && error?.uploadTaskResumeData == nil
        }
        #expect(server.methods == ["POST"])
    }

    @Test func aServerThatStaysAwayLeavesResumeDataInTheError() async throws {
        let server = try ResumingServer(lossAfter: [200_000], answersHead: false)
        let delegate = server.listener
        makeSession(delegate).uploadTask(with: server.request, from: body).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        let blob = try #require(delegate.error?.uploadTaskResumeData)
        #expect(delegate.error?.userInfo[NSURLSessionUploadTaskResumeData] as? Data == blob)
        server.answersHead = true
        // The same process remembers request and body.
        let (data, _) = try await makeSession().upload(resumeFrom: blob)
        #expect(data == Data("stored".utf8))
        #expect(server.stored == body)
        #expect(server.methods.last == "PATCH")
        #expect(server.heads.last?.contains("X-Own: 1\r\n") == true)
    }

    @Test func aCancelledUploadGoesOnWithTheBodyGivenAgain() async throws {
        let server = try ResumingServer(lossAfter: [], stallsAfter: 300_000)
        let delegate = server.listener
        let task = makeSession(delegate).uploadTask(with: server.request, from: body)
        task.resume()
        await server.stalled.wait()
        let blob = try #require(await task.cancelByProducingResumeData())
        await delegate.completion()
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.error?.uploadTaskResumeData == blob)
        let folder = try ScratchFolder()
        let file = try folder.put(body)
        let second = RecordingDelegate()
        let again = makeSession(second).uploadTask(
            withResumeData: blob, request: server.request, fromFile: file)
        again.resume()
        await second.completion()
        #expect(second.error == nil)
        #expect(server.stored == body)
        #expect(server.methods == ["POST", "HEAD", "PATCH"])
        #expect(second.snapshot.progress.first.map { $0[1] - $0[0] } == 300_000)
        #expect(second.snapshot.progress.last?[1] == Int64(body.count))
    }

    @Test func anotherBodyIsRefused() async throws {
        let server = try ResumingServer(lossAfter: [], stallsAfter: 300_000)
        let task = makeSession(server.listener).uploadTask(with: server.request, from: body) {
            _, _, _ in
        }
        task.resume()
        await server.stalled.wait()
        let blob = try #require(await task.cancelByProducingResumeData())
        let delegate = RecordingDelegate()
        makeSession(delegate).uploadTask(
            withResumeData: blob, request: server.request, from: Data(body.dropLast())
        ).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .requestBodyStreamExhausted)
        #expect(server.stored == body.prefix(300_000))
    }

    @Test func credentialsGoToNoOtherServer() async throws {
        let server = try ResumingServer(lossAfter: [], stallsAfter: 300_000)
        let task = makeSession(server.listener).uploadTask(with: server.request, from: body) {
            _, _, _ in
        }
        task.resume()
        await server.stalled.wait()
        let blob = try #require(await task.cancelByProducingResumeData())
        let other = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: other.url())
        request.httpMethod = "POST"
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let delegate = RecordingDelegate()
        makeSession(delegate).uploadTask(withResumeData: blob, request: request, from: body)
            .resume()
        await delegate.completion()
        #expect(delegate.error?.code == .cannotDecodeRawData)
        #expect(other.connectionCount == 0)
        #expect(server.methods == ["POST"])
    }

    @Test func damagedDataFails() async throws {
        for damaged in [Data(), Data("junk".utf8)] {
            let delegate = RecordingDelegate()
            makeSession(delegate).uploadTask(withResumeData: damaged).resume()
            await delegate.completion()
            #expect(delegate.error?.code == .cannotDecodeRawData)
            #expect(delegate.calls == ["completed"])
        }
    }

    @Test func anUploadThatTheServerForgotBeginsAgainOnce() async throws {
        // More than the sockets between hold: the body has not left whole.
        let large = makeBytes(40_000_000)
        let server = try ResumingServer(lossAfter: [200_000], forgets: true)
        let (data, _) = try await makeSession(server.listener).upload(
            for: server.request, from: large)
        #expect(data == Data("stored".utf8))
        #expect(server.stored == large)
        #expect(server.methods == ["POST", "HEAD", "POST"])
    }

    /// The server may have carried it out, and the resume data says so to a later task.
    @Test(arguments: [false, true])
    func aPostThatMayBeDoneIsNotRepeatedByALaterTask(isCancelled: Bool) async throws {
        let server =
            isCancelled
            ? try ResumingServer(lossAfter: [], stallsAfter: body.count, forgets: true)
            : try ResumingServer(lossAfter: [body.count], forgets: true)
        let delegate = server.listener
        let task = makeSession(delegate).uploadTask(with: server.request, from: body)
        task.resume()
        if isCancelled {
            await server.stalled.wait()
            _ = await task.cancelByProducingResumeData()
        }
        await delegate.completion()
        #expect(delegate.error?.code == (isCancelled ? .cancelled : .badServerResponse))
        let blob = try #require(delegate.error?.uploadTaskResumeData)
        await #expect {
            _ = try await makeSession().upload(resumeFrom: blob)
        } throws: { error in
            (error as? URLError)?.code == .badServerResponse
        }
        let asked = isCancelled ? ["HEAD"] : ["HEAD", "HEAD"]
        #expect(server.methods == ["POST"] + asked)
    }

    @Test func aRedirectOfTheFirstRequestKeepsTheBody() async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? [.answer("307 X", ["Location: /x"])] : [.answer()]
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let delegate = RecordingDelegate()
        makeSession(delegate).uploadTask(with: request, from: body).resume()
        await delegate.completion()
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.map { $0["Upload-Complete"] } == ["?1", "?1"])
        #expect(server.requests.last.map { Data($0.body) } == body)
    }
}

/// A server of resumable uploads that loses connections as it is told to.
private final class ResumingServer: Sendable {
    private struct State {
        var stored = Data()
        var isComplete = false
        var lossAfter: [Int]
        var stallsAfter: Int?
        var answersHead: Bool
        var forgets: Bool
        var heads: [String] = []
    }

    private final class Shared: Sendable {
        let state: Mutex<State>
        init(_ state: State) { self.state = Mutex(state) }
    }

    private let shared: Shared
    private let server: LoopbackServer
    private let heard: LoopbackGate
    let stalled: Signal

    /// - Parameters:
    ///   - lossAfter: Each request with a body loses its connection after so many bytes of it, until the
    ///     list is at its end.
    init(
        lossAfter: [Int], stallsAfter: Int? = nil, saysWhere: Bool = true, answersHead: Bool = true,
        forgets: Bool = false
    ) throws {
        let shared = Shared(
            State(
                lossAfter: lossAfter, stallsAfter: stallsAfter, answersHead: answersHead,
                forgets: forgets))
        let stalled = Signal()
        let heard = LoopbackGate()
        if !saysWhere { heard.open() }
        self.heard = heard
        self.shared = shared
        self.stalled = stalled
        server = try LoopbackServer(talking: { peer in
            while let head = peer.readHead() {
                shared.state.withLock { $0.heads.append(head) }
                let resumes =
                    head.hasPrefix("HEAD ")
                    ? Self.answerHead(peer, shared)
                    : Self.receive(peer, head, shared, stalled, heard, saysWhere: saysWhere)
                if !resumes { return }
            }
        })
    }

    /// To be called when the client has received a 104.
    var wasHeard: @Sendable (HTTPURLResponse) -> Void {
        { [heard] _ in heard.open() }
    }

    var listener: RecordingDelegate { RecordingDelegate { $0.interim = wasHeard } }

    var request: URLRequest {
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        request.setValue("1", forHTTPHeaderField: "X-Own")
        request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
        return request
    }

    var stored: Data { shared.state.withLock { $0.stored } }
    var heads: [String] { shared.state.withLock { $0.heads } }
    var methods: [String] { heads.map { String($0.prefix { $0 != " " }) } }
    var answersHead: Bool {
        get { shared.state.withLock { $0.answersHead } }
        set { shared.state.withLock { $0.answersHead = newValue } }
    }

    private static func answerHead(_ peer: LoopbackPeer, _ shared: Shared) -> Bool {
        let state = shared.state.withLock { $0 }
        guard state.answersHead else { return false }
        if state.forgets {
            shared.state.withLock { $0.stored = Data() }
            peer.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return true
        }
        peer.send(
            "HTTP/1.1 204 No Content\r\nUpload-Offset: \(state.stored.count)\r\n"
                + "Upload-Complete: \(state.isComplete ? "?1" : "?0")\r\n\r\n")
        return true
    }

    private static func receive(
        _ peer: LoopbackPeer, _ head: String, _ shared: Shared, _ stalled: Signal,
        _ heard: LoopbackGate, saysWhere: Bool
    ) -> Bool {
        let length = head.split(separator: "\r\n").compactMap { line in
            line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
        }.first
        guard let length else { return false }
        if head.hasPrefix("POST "), saysWhere {
            peer.send(
                "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /upload/1\r\n"
                    + "Upload-Draft-Interop-Version: 6\r\n\r\n")
        }
        let (loss, stall) = shared.state.withLock { state in
            let stall = state.stallsAfter
            state.stallsAfter = nil
            return (state.lossAfter.isEmpty ? nil : state.lossAfter.removeFirst(), stall)
        }
        guard let bytes = peer.read(min(length, loss ?? stall ?? length)) else { return false }
        shared.state.withLock { state in
            state.stored.append(contentsOf: bytes)
            state.isComplete = bytes.count == length
        }
        // A reset would take with it what the client has not read yet.
        if loss != nil || stall != nil { peer.wait(for: heard) }
        if stall != nil {
            stalled.add()
            peer.readToEnd()
            return false
        }
        if loss != nil { return false }
        peer.send("HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\nstored")
        return true
    }
}
