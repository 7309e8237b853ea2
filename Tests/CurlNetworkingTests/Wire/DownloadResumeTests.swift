import CurlNetworking
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Downloads that stop and go on, over a real connection.
@Suite(.timeLimit(.minutes(1))) struct DownloadResumeTests {
    private let folder: ScratchFolder
    private let body = makeBytes(900_000)

    init() throws {
        folder = try ScratchFolder()
    }

    // MARK: - Going on

    @Test(arguments: ["ETag: \"v1\"", "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT"])
    func goesOnWhereItWasCancelled(version: String) async throws {
        let server = try RangeServer(body, version: version)
        let blob = try #require(try await stopHalfway(server))
        let first = try #require(server.requests.first)
        #expect(first["Range"] == nil)
        #expect(first["If-Range"] == nil)

        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.downloadTask(withResumeData: blob)
        #expect(task.originalRequest?.url == server.url)
        #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Own") == "1")
        task.resume()
        await delegate.completion()
        let record = delegate.snapshot
        #expect(record.error == nil)
        #expect(record.files == [body])
        #expect(record.calls == ["resumed", "wrote", "file", "completed"])
        let resumed = try #require(record.resumed.first)
        #expect(resumed.offset > 0)
        #expect(resumed.expected == Int64(body.count))
        let second = try #require(server.requests.last)
        #expect(second["Range"] == "bytes=\(resumed.offset)-")
        #expect(version.hasSuffix(try #require(second["If-Range"])))
        #expect(second["X-Own"] == "1")
        // Progress goes on too: the first call counts from where the first task had stopped.
        let progress = record.progress
        #expect(progress.first.map { $0[1] - $0[0] } == resumed.offset)
        #expect(progress.last?[1] == Int64(body.count))
        #expect(progress.allSatisfy { $0[2] == Int64(body.count) })
        #expect(task.countOfBytesReceived == Int64(body.count) - resumed.offset)
        #expect(task.progress.completedUnitCount == Int64(body.count))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 206)
        #expect(parts == [])
    }

    @Test func theHandlerAndTheAsyncFormGoOnToo() async throws {
        let server = try RangeServer(body)
        let session = makeSession()
        let one = try #require(try await stopHalfway(server))
        let done = Signal()
        let result = Mutex<Data?>(nil)
        session.downloadTask(withResumeData: one) { url, _, _ in
            result.withLock { $0 = url.flatMap { try? Data(contentsOf: $0) } }
            done.add()
        }.resume()
        await done.wait()
        #expect(result.withLock { $0 } == body)

        let two = try #require(try await stopHalfway(server))
        let (url, _) = try await session.download(resumeFrom: two)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
        #expect(parts == [])
    }

    @Test func theErrorOfACancelledTaskHasTheSameData() async throws {
        let server = try RangeServer(body, ending: .stalls)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: server.request)
        task.resume()
        await delegate.writing()
        let blob = await task.cancelByProducingResumeData()
        await delegate.completion()
        #expect(blob != nil)
        #expect(delegate.error?.code == .cancelled)
        #expect(delegate.error?.downloadTaskResumeData == blob)
        #expect(delegate.error?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == blob)
        // It is over: no more resume data is available.
        #expect(await task.cancelByProducingResumeData() == nil)
    }

    @Test func aBrokenConnectionLeavesResumeDataInItsError() async throws {
        let server = try RangeServer(body, ending: .breaksOff)
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(with: server.request).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        let blob = try #require(delegate.error?.downloadTaskResumeData)
        server.ending = .whole
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
        #expect(server.requests.last?["Range"] != nil)
    }

    @Test func goesOnSeveralTimesAlsoWithoutAVersionInTheRanges() async throws {
        let server = try RangeServer(body, versionInRanges: false)
        var blob = try #require(try await stopHalfway(server))
        server.ending = .breaksOff
        var offsets: [Int64] = []
        for _ in 0..<3 {
            let delegate = RecordingDelegate()
            makeSession(delegate).downloadTask(withResumeData: blob).resume()
            await delegate.completion()
            offsets.append(try #require(delegate.snapshot.resumed.first?.offset))
            blob = try #require(delegate.error?.downloadTaskResumeData)
        }
        #expect(offsets == offsets.sorted())
        #expect(Set(offsets).count == 3)
        server.ending = .whole
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
    }

    @Test func aServerThatCannotAnswerNowIsAnAnswerAndCostsNothing() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        server.ending = .status("503 Service Unavailable")
        let (page, response) = try await makeSession().download(resumeFrom: blob)
        try FileManager.default.removeItem(at: page)
        #expect((response as? HTTPURLResponse)?.statusCode == 503)
        server.ending = .whole
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
    }

    /// A process that goes on is killed: what it wrote stays, and the same resume data still works.
    @Test func aPartThatHasGrownOrShrunkSinceIsNoHarm() async throws {
        for change in [5_000, -5_000] {
            let server = try RangeServer(body)
            let blob = try #require(try await stopHalfway(server))
            let part = try #require(parts.first)
            let count = try #require(folder.get("parts/" + part)?.count)
            #expect(truncate(folder.path(of: "parts/" + part), count + change) == 0)
            let (url, _) = try await makeSession().download(resumeFrom: blob)
            #expect(try Data(contentsOf: url) == body)
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test func aPartThatWasDamagedIsNotContinued() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let name = "parts/" + (try #require(parts.first))
        var bytes = try #require(folder.get(name))
        bytes[bytes.count / 3] ^= 1
        try folder.put(bytes, name)
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(withResumeData: blob).resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(delegate.calls == ["wrote", "file", "completed"])
        #expect(server.requests.last?["Range"] == nil)
    }

    @Test func fieldsThatTheDataDoesNotKeepCanBeGivenAgain() async throws {
        let server = try RangeServer(body)
        var request = server.request
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let blob = try #require(try await stopHalfway(server, request))
        #expect(!String(decoding: blob, as: UTF8.self).contains("secret"))
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(
            withResumeData: blob, headers: ["Authorization": "Bearer new"]
        ).resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer secret", "Bearer new"])
    }

    /// What the first task did not send to where it was redirected, its successor does not either.
    @Test func credentialsStayWithTheFirstOrigin() async throws {
        let server = try RangeServer(body)
        let target = server.url.absoluteString
        let door = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: \(target)"], body: [])]
        }
        server.ending = .stalls
        let delegate = RecordingDelegate()
        let change: (URLSessionConfiguration) -> Void = { [folder] in
            $0.partialDownloadsFolder = folder.url(of: "parts")
            $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Plain": "1"]
        }
        let task = CurlNetworkingTests.makeSession(delegate, change).downloadTask(with: door.url())
        task.resume()
        await delegate.writing()
        let blob = try #require(await task.cancelByProducingResumeData())
        server.ending = .whole
        let next = RecordingDelegate()
        CurlNetworkingTests.makeSession(next, change)
            .downloadTask(withResumeData: blob, headers: ["Cookie": "a=b"]).resume()
        await next.completion()
        #expect(next.error == nil)
        #expect(door.requests.map { $0["Authorization"] } == ["Bearer secret"])
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(request["Authorization"] == nil && request["Cookie"] == nil)
            #expect(request["X-Plain"] == "1")
        }
        #expect(server.requests.last?["Range"] != nil)
    }

    @Test func aTaskThatNeverRanGivesBackWhatItWasMadeWith() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let task = makeSession().downloadTask(withResumeData: blob)
        #expect(await task.cancelByProducingResumeData() == blob)
        #expect(parts.count == 1)
    }

    @Test func cancellingWithoutAskingKeepsWhatTheOldDataNames() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        server.ending = .stalls
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(withResumeData: blob)
        task.resume()
        await delegate.writing()
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.downloadTaskResumeData == nil)
        server.ending = .whole
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
    }

    /// A cancel may come while the file is opened, verified or written: the next task must find it free.
    @Test func pausingAndContinuingInQuickSuccessionNeverFindsTheFileInUse() async throws {
        let server = try RangeServer(body)
        var blob = try #require(try await stopHalfway(server))
        server.ending = .stalls
        for turn in 0..<60 {
            let delegate = RecordingDelegate()
            let task = makeSession(delegate).downloadTask(withResumeData: blob)
            task.resume()
            if turn % 3 == 2 { await delegate.writing() }
            if turn % 2 == 0 {
                blob = try #require(await task.cancelByProducingResumeData())
            } else {
                task.cancel()
            }
            await delegate.completion()
            #expect(delegate.error?.code == .cancelled)
        }
        server.ending = .whole
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
    }

    // MARK: - Starting over

    @Test func anotherVersionStartsOver() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let other = Data(makeBytes(1_100_000).reversed())
        server.change(to: other, version: "ETag: \"v2\"")
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(withResumeData: blob)
        task.resume()
        await delegate.completion()
        #expect(delegate.snapshot.files == [other])
        #expect(delegate.calls == ["wrote", "file", "completed"])
        #expect(server.requests.count == 2)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(delegate.snapshot.progress.first.map { $0[1] - $0[0] } == 0)
    }

    @Test(
        arguments: [
            "416 Range Not Satisfiable|Content-Range: bytes */12",
            "416 Range Not Satisfiable",
            "206 Partial Content|Content-Range: bytes 0-899999/900000",
            "206 Partial Content|Content-Range: bytes 1-2/3|ETag: \"v1\"",
            "206 Partial Content|Content-Type: multipart/byteranges; boundary=x", "206 Whatever",
        ])
    func whatIsNotTheRestIsAskedForWhole(answer: String) async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        server.ending = .toRanges(answer)
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(withResumeData: blob).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.count == 3)
        #expect(server.requests.last?["Range"] == nil)
        #expect(server.requests.last?["If-Range"] == nil)
        #expect(delegate.calls == ["wrote", "file", "completed"])
    }

    @Test func aRangeThatEndsEarlyIsNotTakenForTheWhole() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        server.ending = .shortRanges
        let delegate = RecordingDelegate()
        makeSession(delegate).downloadTask(withResumeData: blob).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(delegate.error?.downloadTaskResumeData != nil)
        #expect(delegate.snapshot.files == [])
    }

    // MARK: - Where there is no going on

    @Test(
        arguments: [
            ["Accept-Ranges: bytes"], ["Accept-Ranges: bytes", "ETag: W/\"v1\""],
            ["Accept-Ranges: none", "ETag: \"v1\""], ["ETag: \"v1\""],
        ])
    func aServerThatGivesNoHoldGivesNoData(fields: [String]) async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    (["HTTP/1.1 200 OK", "Content-Length: 100"] + fields + ["", "half"])
                        .joined(separator: "\r\n")), .stall,
            ]
        ])
        #expect(try await stop(server.url()) == nil)
        #expect(parts == [])
    }

    @Test func onlyAGetGivesData() async throws {
        let server = try RangeServer(body)
        var request = server.request
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        #expect(try await stopHalfway(server, request) == nil)
        #expect(parts == [])
    }

    @Test func beforeAnythingHasComeThereIsNone() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        let task = makeSession().downloadTask(with: server.url())
        #expect(await task.cancelByProducingResumeData() == nil)
        let other = makeSession().downloadTask(with: server.url())
        other.resume()
        await server.bytes(atLeast: 10)
        #expect(await other.cancelByProducingResumeData() == nil)
        #expect(parts == [])
    }

    @Test func aPlainCancelLeavesNothing() async throws {
        let server = try RangeServer(body, ending: .stalls)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: server.request)
        task.resume()
        await delegate.writing()
        #expect(parts.count == 1)
        task.cancel()
        await delegate.completion()
        #expect(delegate.error?.downloadTaskResumeData == nil)
        server.ending = .whole
        // The file is closed in its turn of the queue for files, as that of the next download.
        let (url, _) = try await makeSession().download(for: server.request)
        try FileManager.default.removeItem(at: url)
        #expect(parts == [])
    }

    @Test func aPartThatIsGoneOrInUseFails() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let part = try #require(parts.first)
        let descriptor = open(folder.path(of: "parts/" + part), O_RDWR)
        flock(descriptor, LOCK_EX)
        await expect(.cannotOpenFile, from: blob)
        close(descriptor)
        try FileManager.default.removeItem(atPath: folder.path(of: "parts/" + part))
        await expect(.cannotOpenFile, from: blob)
        #expect(server.requests.count == 1)
    }

    @Test func theDataOfADownloadThatIsDoneFindsNothing() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let (url, _) = try await makeSession().download(resumeFrom: blob)
        await expect(.cannotOpenFile, from: blob)
        #expect(try Data(contentsOf: url) == body)
        try FileManager.default.removeItem(at: url)
    }

    @Test func damagedDataFailsAndTouchesNothing() async throws {
        let server = try RangeServer(body)
        let blob = try #require(try await stopHalfway(server))
        let before = parts
        var flipped = blob
        flipped[flipped.count / 2] ^= 1
        for damaged in [Data(), Data("junk".utf8), Data(blob.dropLast()), flipped] {
            let delegate = RecordingDelegate()
            let task = makeSession(delegate).downloadTask(withResumeData: damaged)
            task.resume()
            await delegate.completion()
            #expect(delegate.error?.code == .cannotDecodeRawData)
            #expect(delegate.error?.underlyingText?.isEmpty == false)
            let sentence = delegate.error?.localizedDescription ?? ""
            #expect(!sentence.contains("compress") && !sentence.contains("answer"), "\(sentence)")
            #expect(delegate.calls == ["completed"])
        }
        #expect(parts == before)
        #expect(server.requests.count == 1)
    }

    // MARK: -

    private var parts: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path(of: "parts"))) ?? []
    }

    private func makeSession(_ delegate: RecordingDelegate? = nil) -> URLSession {
        CurlNetworkingTests.makeSession(delegate) {
            $0.partialDownloadsFolder = folder.url(of: "parts")
        }
    }

    private func expect(_ code: URLError.Code, from blob: Data) async {
        await #expect {
            _ = try await makeSession().download(resumeFrom: blob)
        } throws: {
            ($0 as? URLError)?.code == code
        }
    }

    /// Cancels a download in the middle.
    private func stopHalfway(_ server: RangeServer, _ request: URLRequest? = nil) async throws
        -> Data?
    {
        server.ending = .stalls
        defer { server.ending = .whole }
        return try await stop(request ?? server.request)
    }

    private func stop(_ url: URL) async throws -> Data? { try await stop(URLRequest(url: url)) }

    private func stop(_ request: URLRequest) async throws -> Data? {
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).downloadTask(with: request)
        task.resume()
        await delegate.writing()
        return await task.cancelByProducingResumeData()
    }
}

/// Serves one body with ranges, and ends as it is told to.
private final class RangeServer: Sendable {
    enum Ending: Sendable {
        case whole
        /// In the middle of what was asked for.
        case stalls
        case breaksOff
        /// With this status.
        case status(String)
        /// With this status and these fields, when a range was asked for.
        case toRanges(String)
        /// Ranges promise all of the rest and bring half of it, with a length that fits.
        case shortRanges
    }

    private struct State {
        var body: Data
        var version: String
        var ending = Ending.whole
    }

    private final class Shared: Sendable {
        let state: Mutex<State>

        init(_ state: State) {
            self.state = Mutex(state)
        }
    }

    private let shared: Shared
    private let server: LoopbackServer

    init(
        _ body: Data, version: String = "ETag: \"v1\"", versionInRanges: Bool = true,
        ending: Ending = .whole
    ) throws {
        let shared = Shared(State(body: body, version: version, ending: ending))
        self.shared = shared
        server = try LoopbackServer { request in
            Self.answer(request, shared.state.withLock { $0 }, versionInRanges)
        }
    }

    var ending: Ending {
        get { shared.state.withLock { $0.ending } }
        set { shared.state.withLock { $0.ending = newValue } }
    }

    func change(to body: Data, version: String) {
        shared.state.withLock { state in
            state.body = body
            state.version = version
        }
    }

    var url: URL { server.url("/file") }
    var requests: [LoopbackRequest] { server.requests }

    var request: URLRequest {
        var request = URLRequest(url: url)
        request.setValue("1", forHTTPHeaderField: "X-Own")
        return request
    }

    private static func answer(
        _ request: LoopbackRequest, _ state: State, _ versionInRanges: Bool
    ) -> [LoopbackStep] {
        let version = state.version.split(separator: ": ", maxSplits: 1).last.map(String.init)
        var start = 0
        if request["If-Range"] == version,
            let digits = request["Range"]?.dropFirst("bytes=".count).dropLast()
        {
            start = Int(digits) ?? 0
        }
        let isRange = request["Range"] != nil
        if case .status(let status) = state.ending { return [.answer(status)] }
        if isRange, case .toRanges(let text) = state.ending {
            let parts = text.split(separator: "|").map(String.init)
            return [.answer(parts[0], Array(parts.dropFirst()), body: "not the rest")]
        }
        let rest = Array(state.body.dropFirst(start))
        let half = Array(rest.prefix(rest.count / 2))
        var fields = ["Accept-Ranges: bytes", "Date: Sun, 02 Jan 2022 00:00:00 GMT"]
        if start == 0 || versionInRanges { fields.append(state.version) }
        if start > 0 {
            fields.append(
                "Content-Range: bytes \(start)-\(state.body.count - 1)/\(state.body.count)")
        }
        var length = rest.count
        if isRange, case .shortRanges = state.ending { length = half.count }
        let status = start > 0 ? "206 Partial Content" : "200 OK"
        let head = ["HTTP/1.1 " + status] + fields + ["Content-Length: \(length)", "", ""]
        let headStep = LoopbackStep.send(head.joined(separator: "\r\n"))
        switch state.ending {
        case .stalls: return [headStep, .send(half), .stall]
        case .breaksOff: return [headStep, .send(half), .close]
        case .shortRanges where isRange: return [headStep, .send(half)]
        default: return [headStep, .send(rest)]
        }
    }
}
