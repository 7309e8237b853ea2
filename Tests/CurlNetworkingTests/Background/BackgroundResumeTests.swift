import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// What a task keeps when the process that carries it ends, and what the app sees of it.
@Suite(.timeLimit(.minutes(2))) struct BackgroundResumeTests {
    private let home: BackgroundHome

    init() throws {
        home = try BackgroundHome()
    }

    // MARK: - Many ends of the helper

    @Test func aTaskThatMovesForwardOutlivesAnyNumberOfHelpers() async throws {
        let lives = BackgroundTaskRecord.maximumInterruptions + 2
        // Each life brings much more than it needs to have moved forward: what a killed helper had written
        // is continued from its last checksum, somewhat before.
        let body = makeBytes((lives + 1) * 1_000_000)
        let gate = LoopbackGate()
        let server = try RangedServer(
            body, limit: { $0 + 1_000_000 < body.count ? 1_000_000 : nil }, waitingFor: gate)
        defer { gate.open() }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url).resume()
        var killed: pid_t = 0
        for life in 1...lives {
            // Only a helper that lives sends a request. The last one's late reports may go somewhat beyond where
            // that begins: it had written more than it had a checksum of.
            let request = await server.server.requests(atLeast: life)[life - 1]
            let start = request["Range"].flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0
            await delegate.record { $0.byteCount > start + 600_000 }
            if life == lives { server.liftLimits() }
            let last = killed
            killed = try #require(home.helpers.first { $0 != last })
            await BackgroundHome.kill(killed)
        }
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
    }

    @Test func aTaskThatIsGivenUpHasResumeData() async throws {
        let body = makeBytes(600_000)
        let gate = LoopbackGate()
        let server = try RangedServer(body, limit: { $0 == 0 ? 400_000 : 0 }, waitingFor: gate)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url).resume()
        // Enough for some checksums: of a part that has none, nothing is continued.
        await delegate.record { $0.byteCount > 300_000 }
        for count in 1... {
            await eventually {
                server.server.requests.count >= count || delegate.snapshot.completionCount > 0
            }
            // An app that never gets as far as its helper gives up on its own, and has no part to continue.
            await eventually {
                if delegate.snapshot.completionCount > 0 { return true }
                return session.background?.isAttached == true
            }
            guard delegate.snapshot.completionCount == 0 else { break }
            try #require(count <= BackgroundTaskRecord.maximumInterruptions + 1)
            await BackgroundHome.kill(try #require(home.helpers.first))
        }
        await delegate.completion()
        gate.open()
        #expect(delegate.error?.code == .backgroundSessionWasDisconnected)
        let data = try #require(delegate.error?.downloadTaskResumeData)
        server.liftLimits()
        session.downloadTask(withResumeData: data).resume()
        await delegate.completion(of: 2)
        #expect(delegate.snapshot.files == [body])
        #expect(server.server.requests.last?["Range"] != nil)
    }

    // MARK: - A full disk

    @Test func aFullDiskLeavesResumeData() async throws {
        let body = makeBytes(500_000)
        let gate = LoopbackGate()
        let server = try RangedServer(body, first: gate)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url).resume()
        await server.server.requests(atLeast: 1)
        let helper = try #require(home.helpers.first)
        try BackgroundHome.limitFiles(of: helper, to: 150_000)
        gate.open()
        await delegate.completion()
        #expect(delegate.error?.code == .cannotWriteToFile)
        let data = try #require(delegate.error?.downloadTaskResumeData)
        try BackgroundHome.limitFiles(of: helper, to: nil)
        session.downloadTask(withResumeData: data).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(server.server.requests.last?["Range"] == "bytes=150000-")
        await session.background?.calm()
        #expect(home.partNames == [])
    }

    // MARK: - What a helper that was killed leaves

    @Test func aPartThatCannotBeContinuedIsRemovedByTheNextHelper() async throws {
        let body = makeBytes(400_000)
        let gate = LoopbackGate()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n"
        let server = try LoopbackServer(scripts: [
            [.readHead, .send(head), .send(Array(body.prefix(300_000))), .wait(gate)],
            [.readHead, .send(head), .send(Array(body))],
        ])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url()).resume()
        await delegate.writing()
        #expect(home.partNames.count == 1)
        await BackgroundHome.kill(try #require(home.helpers.first))
        await delegate.completion()
        gate.open()
        #expect(delegate.snapshot.files == [body])
        await session.background?.calm()
        #expect(home.partNames == [])
    }

    // MARK: - Uploads

    @Test(arguments: [false, true])
    func anUploadContinuesWhereTheServerStopped(isFileChanged: Bool) async throws {
        let body = makeBytes(300_000)
        let gate = LoopbackGate()
        let isOver = OneShot(true)
        let received = Mutex<(String, Data)>(("", Data()))
        let server = try LoopbackServer(talking: { peer in
            guard let head = peer.readHead() else { return }
            if head.hasPrefix("PUT"), isOver.take() != nil {
                peer.send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /up/7\r\n\r\n")
                _ = peer.read(100_000)
                peer.wait(for: gate)
            } else if head.hasPrefix("HEAD /up/7") {
                peer.send(
                    "HTTP/1.1 204 No Content\r\nUpload-Offset: 100000\r\nUpload-Complete: ?0\r\n"
                        + "Connection: close\r\n\r\n")
            } else {
                let count = head.hasPrefix("PATCH /up/7") ? 200_000 : 300_000
                let rest = peer.read(count) ?? []
                received.withLock { $0 = (head, Data(rest)) }
                peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            }
        })
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url("/photos/1"))
        request.httpMethod = "PUT"
        let file = try home.makeFile(body)
        let task = session.uploadTask(with: request, fromFile: file)
        task.resume()
        try await eventually("a record of the upload's place", in: URL(filePath: home.path)) {
            home.records.contains { $0.upload != nil }
        }
        if isFileChanged { try Data(body.reversed()).write(to: file) }
        await BackgroundHome.kill(try #require(home.helpers.first))
        await delegate.completion()
        gate.open()
        #expect(delegate.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        let (head, rest) = received.withLock(\.self)
        if isFileChanged {
            #expect(head.hasPrefix("PUT /photos/1"))
            #expect(rest == Data(body.reversed()))
        } else {
            #expect(head.hasPrefix("PATCH /up/7"))
            #expect(rest == body.dropFirst(100_000))
        }
        #expect(delegate.snapshot.progress.last?.dropFirst() == [300_000, 300_000])
    }

    // MARK: - What the app sees

    @Test func aDownloadThatWasContinuedShowsTheWholeAnswer() async throws {
        let body = makeBytes(700_000)
        // So few that the transfer is not paused: libcurl 8.5 drops what it has read meanwhile when the rest is missing.
        let server = try RangedServer(body, limit: { $0 == 0 ? 40_000 : nil })
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let task = session.downloadTask(with: server.url)
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(server.server.requests.map { $0["Range"] } == [nil, "bytes=40000-"])
        let answer = try #require(task.response as? HTTPURLResponse)
        #expect(answer.statusCode == 200)
        #expect(answer.expectedContentLength == 700_000)
        #expect(answer.value(forHTTPHeaderField: "Content-Range") == nil)
        #expect(answer.value(forHTTPHeaderField: "Content-Length") == "700000")
        // Servers leave such fields out of a 206 to `If-Range`.
        #expect(answer.mimeType == "image/jpeg")
        #expect(!delegate.calls.contains("resumed"))
    }

    @Test func aDownloadWithResumeDataShowsThePart() async throws {
        let body = makeBytes(700_000)
        let gate = LoopbackGate()
        let server = try RangedServer(body, limit: { $0 == 0 ? 400_000 : nil }, waitingFor: gate)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        let first = session.downloadTask(with: server.url)
        first.resume()
        await delegate.writing()
        let data = try #require(await first.cancelByProducingResumeData())
        gate.open()
        await delegate.completion()
        let task = session.downloadTask(withResumeData: data)
        task.resume()
        await delegate.completion(of: 2)
        #expect(delegate.snapshot.files == [body])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 206)
        #expect(delegate.calls.contains("resumed"))
    }

    // MARK: - Damage

    @Test(arguments: [1_000, 399_000])
    func aPartThatWasDamagedIsNotContinuedBeyondTheDamage(place: Int) async throws {
        let body = makeBytes(700_000)
        let gate = LoopbackGate()
        let server = try RangedServer(body, limit: { $0 == 0 ? 400_000 : nil }, waitingFor: gate)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url).resume()
        await delegate.record { $0.byteCount == 400_000 }
        let name = try #require(home.partNames.first(where: PartialFiles.isName))
        let path = home.places.parts + "/" + name
        server.liftLimits()
        await BackgroundHome.kill(try #require(home.helpers.first)) {
            var bytes = FileManager.default.contents(atPath: path) ?? Data()
            bytes[place] ^= 4
            let file = open(path, O_WRONLY)
            _ = Array(bytes).withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
            close(file)
        }
        await delegate.completion()
        gate.open()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
    }

    // MARK: - HEAD and auth-int

    @Test func aHeadWithABodyIsAnsweredBehindAuthInt() async throws {
        let server = try GuardedServer(.digest("SHA-256", protection: "auth-int")) { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%\r\n"
        }
        let delegate = TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw"))
        let session = URLSession(
            configuration: home.configuration(), delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: server.url)
        request.httpMethod = "HEAD"
        request.httpBody = Data("stays behind".utf8)
        let task = session.downloadTask(with: request)
        task.resume()
        await delegate.completions.wait()
        #expect(server.log == ["-", "ok"])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func theBodyOfABackgroundTaskIsCoveredByAuthInt() async throws {
        let server = try GuardedServer(.digest("MD5", protection: "auth-int"))
        let delegate = TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw"))
        let session = URLSession(
            configuration: home.configuration(), delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let upload = session.uploadTask(
            with: request, fromFile: try home.makeFile(makeBytes(200_000)))
        upload.resume()
        await delegate.completions.wait()
        request.httpMethod = "POST"
        request.httpBody = Data("which".utf8)
        let download = session.downloadTask(with: request)
        download.resume()
        await delegate.completions.wait(for: 2)
        // A helper that was started for the second task asks for a nonce of its own.
        #expect(server.log.filter { $0 != "-" } == ["ok", "ok"])
    }

    @Test func anAnswerToHeadThatHasABodyHarmsNobody() async throws {
        let server = try LoopbackServer { request in
            [.answer(body: request.method == "HEAD" ? "not asked for" : "asked for")]
        }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        let task = session.downloadTask(with: request)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data()])
        #expect((task.response as? HTTPURLResponse)?.expectedContentLength == 13)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files.last == Data("asked for".utf8))
    }
}

/// Serves one body with a version, in ranges, and stops where it is told to.
final class RangedServer: Sendable {
    let server: LoopbackServer
    private let limits: Limits

    private final class Limits: Sendable {
        let areLifted = Mutex(false)
    }

    /// - Parameters:
    ///   - first: What the answer to the first request waits for.
    ///   - limit: How many bytes are sent of the rest from an offset on; nil for all, 0 for no answer.
    ///   - gate: What is waited for before a connection is closed early.
    init(
        _ body: Data, first: LoopbackGate? = nil,
        limit: @escaping @Sendable (Int) -> Int? = { _ in nil },
        waitingFor gate: LoopbackGate? = nil
    ) throws {
        let limits = Limits()
        self.limits = limits
        server = try LoopbackServer { request in
            let range = request["Range"].flatMap { Int($0.dropFirst(6).dropLast()) }
            let start = range ?? 0
            var head = ["HTTP/1.1 200 OK", "Content-Type: image/jpeg"]
            if range != nil {
                let place = "bytes \(start)-\(body.count - 1)/\(body.count)"
                head = ["HTTP/1.1 206 Partial Content", "Content-Range: \(place)"]
            }
            head += [
                "ETag: \"v\"", "Accept-Ranges: bytes", "Content-Length: \(body.count - start)", "",
                "",
            ]
            let limit = limits.areLifted.withLock(\.self) ? nil : limit(start)
            let rest = Array(body.dropFirst(start).prefix(limit ?? .max))
            var steps: [LoopbackStep] = []
            if limit != 0 { steps += [.send(head.joined(separator: "\r\n")), .send(rest)] }
            if range == nil, let first { steps.insert(.wait(first), at: 0) }
            guard limit != nil else { return steps }
            return steps + (gate.map { [.wait($0)] } ?? []) + [.close]
        }
    }

    var url: URL { server.url("/photo") }

    /// From here on it stops nowhere.
    func liftLimits() { limits.areLifted.withLock { $0 = true } }
}

extension RecordingDelegate.Record {
    /// How much has arrived, by the last report; 0 before the first.
    fileprivate var byteCount: Int64 { progress.last?[1] ?? 0 }
}
