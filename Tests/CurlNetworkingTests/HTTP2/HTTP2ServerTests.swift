import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

private typealias Kind = RealHTTP2Server.Kind

/// HTTP/2 over TLS, as servers in the field speak it.
@Suite(
    .timeLimit(.minutes(2)), .enabled(if: speaksHTTP2, whyNoHTTP2),
    .enabled(if: Kind.nginx.isInstalled, Comment(rawValue: Kind.nginx.reasonToSkip)))
struct HTTP2ServerTests {
    private let nginx: NginxOverTLS

    init() throws { nginx = try NginxOverTLS() }

    /// A session that trusts the server.
    private func makeTrustingSession(
        _ delegate: RecordingDelegate? = nil,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        makeSession(delegate) { configuration in
            configuration.certificateAuthoritiesFile = nginx.item.file
            configuration.urlCache = nil
            change(configuration)
        }
    }

    private static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
    }

    private func protocolNames(_ delegate: RecordingDelegate) -> [String?] {
        delegate.snapshot.metrics.flatMap(\.transactionMetrics).map(\.networkProtocolName)
    }

    // MARK: - Which version

    @Test(arguments: [
        (HTTPVersionPreference.automatic, "HTTP/2.0"), (.http2, "HTTP/2.0"), (.http3, "HTTP/2.0"),
        (.http1_1, "HTTP/1.1"),
    ])
    func theVersionIsTheBestThatBothAllow(
        preference: HTTPVersionPreference, name: String
    ) async throws {
        let server = try nginx.make()
        let delegate = RecordingDelegate()
        let session = makeTrustingSession(delegate) { $0.httpVersion = preference }
        session.dataTask(with: server.url("/protocol")).resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == name)
        #expect(protocolNames(delegate) == [name == "HTTP/1.1" ? "http/1.1" : "h2"])
    }

    @Test func aServerOfHTTP1IsSpokenToOverSeveralConnections() async throws {
        let server = try nginx.make(isHTTP2: false)
        try Self.bytes(100_000).write(to: server.folder.appending(path: "files/a"))
        let delegate = RecordingDelegate()
        let session = makeTrustingSession(delegate) { $0.httpMaximumConnectionsPerHost = 3 }
        for _ in 0..<2 {
            for _ in 0..<12 { session.dataTask(with: server.url("/files/a")).resume() }
        }
        await delegate.completion(of: 24)
        #expect(delegate.error == nil)
        #expect(delegate.body.count == 2_400_000)
        #expect(Set(protocolNames(delegate)) == ["http/1.1"])
        let opened = delegate.snapshot.metrics.flatMap(\.transactionMetrics)
            .filter { !$0.isReusedConnection }
        #expect((1...3).contains(opened.count))
    }

    // MARK: - One connection

    @Test func aHundredFilesComeOverOneConnection() async throws {
        let server = try nginx.make()
        try Self.bytes(64 << 10).write(to: server.folder.appending(path: "files/a"))
        let delegate = RecordingDelegate()
        let session = makeTrustingSession(delegate)
        for _ in 0..<100 { session.dataTask(with: server.url("/files/a")).resume() }
        await delegate.completion(of: 100)
        #expect(delegate.error == nil)
        #expect(delegate.body.count == 100 * 64 << 10)
        let transactions = delegate.snapshot.metrics.flatMap(\.transactionMetrics)
        #expect(transactions.filter { !$0.isReusedConnection }.count == 1)
        #expect(Set(transactions.map(\.localPort)).count == 1)
    }

    /// nginx announces the end of a connection (GOAWAY) every fifty requests.
    @Test func connectionsThatEndCostNoRequest() async throws {
        let server = try nginx.make(requestsPerConnection: 50)
        try Self.bytes(1000).write(to: server.folder.appending(path: "files/a"))
        let delegate = RecordingDelegate()
        let session = makeTrustingSession(delegate)
        for _ in 0..<300 { session.dataTask(with: server.url("/files/a")).resume() }
        await delegate.completion(of: 300)
        #expect(delegate.error == nil)
        #expect(delegate.body.count == 300_000)
    }

    /// The old one is busy: libcurl would offer it first.
    @Test func whatBeginsAfterAResetSharesOneNewConnection() async throws {
        let server = try nginx.make()
        try Self.bytes(6 << 20).write(to: server.folder.appending(path: "files/a"))
        let suspension = Signal()
        let delegate = RecordingDelegate.holdingFirstTask(suspension)
        let session = makeTrustingSession(delegate)
        let held = session.dataTask(with: server.url("/files/a"))
        held.resume()
        await suspension.wait()
        await session.reset()
        let later = 20
        for _ in 0..<later { session.dataTask(with: server.url("/protocol")).resume() }
        await delegate.completion(of: later)
        #expect(delegate.error == nil)
        let newPorts = delegate.snapshot.metrics.flatMap(\.transactionMetrics).map(\.localPort)
        #expect(newPorts.count == later)
        #expect(Set(newPorts).count == 1)
        held.resume()
        await delegate.completion(of: later + 1)
        #expect(delegate.error == nil)
        let oldPort = delegate.snapshot.metrics.last?.transactionMetrics.first?.localPort
        #expect(oldPort.map { !newPorts.contains($0) } == true)
        #expect(Set(protocolNames(delegate)) == ["h2"])
    }

    // MARK: - Pauses, as curl's own tests have them

    /// test_02_21 to 02_27 of curl: several transfers, each paused and let go on at moments of its own.
    @Test func transfersThatPauseInTurnAllArriveWhole() async throws {
        let server = try nginx.make()
        let body = Self.bytes(3 << 20)
        try body.write(to: server.folder.appending(path: "files/a"))
        let session = makeTrustingSession()
        try await withThrowingTaskGroup(of: Data.self) { group in
            for index in 0..<6 {
                group.addTask {
                    let counts = Mutex(0)
                    let delegate = RecordingDelegate { hooks in
                        hooks.data = { task, _ in
                            let count = counts.withLock { count in
                                count += 1
                                return count
                            }
                            guard count % (index + 2) == 0 else { return }
                            task.suspend()
                            DispatchQueue.global().async { task.resume() }
                        }
                    }
                    let own = makeTrustingSession(delegate)
                    own.dataTask(with: server.url("/files/a")).resume()
                    await delegate.completion()
                    if let error = delegate.error { throw error }
                    return delegate.body
                }
            }
            for try await data in group { #expect(data == body) }
        }
        _ = session
    }

    @Test func aPausedAnswerThatIsCancelledLeavesTheOthers() async throws {
        let server = try nginx.make()
        let body = Self.bytes(3 << 20)
        try body.write(to: server.folder.appending(path: "files/a"))
        let session = makeTrustingSession()
        let paused = session.dataTask(with: server.url("/files/a")) { _, _, _ in }
        paused.resume()
        try await eventually("a first piece") { paused.countOfBytesReceived > 0 }
        paused.suspend()
        async let one = session.data(from: server.url("/files/a")).0
        async let other = session.data(from: server.url("/files/a")).0
        paused.cancel()
        #expect(try await one == body)
        #expect(try await other == body)
    }

    @Test func uploadsThatPauseArriveWhole() async throws {
        let server = try nginx.make()
        let body = Self.bytes(5 << 20)
        let delegate = RecordingDelegate { hooks in
            hooks.sent = { task, total in
                guard total < 4 << 20 else { return }
                task.suspend()
                DispatchQueue.global().async { task.resume() }
            }
        }
        let session = makeTrustingSession(delegate)
        for index in 0..<3 {
            var request = URLRequest(url: server.url("/put/\(index)"))
            request.httpMethod = "PUT"
            session.uploadTask(with: request, from: body).resume()
        }
        await delegate.completion(of: 3)
        #expect(delegate.error == nil)
        for index in 0..<3 {
            let file = server.folder.appending(path: "put/\(index)")
            #expect(try Data(contentsOf: file) == body)
        }
        #expect(Set(protocolNames(delegate)) == ["h2"])
    }

    @Test func aDownloadGoesOnWhereItHasStopped() async throws {
        let server = try nginx.make()
        let body = Self.bytes(6 << 20)
        try body.write(to: server.folder.appending(path: "files/a"))
        // It takes no more than is under way by then: far from all.
        let isFirst = Mutex(true)
        let delegate = RecordingDelegate { hooks in
            hooks.wrote = { task, _ in
                let isFirst = isFirst.withLock { value in
                    defer { value = false }
                    return value
                }
                if isFirst { task.suspend() }
            }
        }
        let session = makeTrustingSession(delegate)
        let task = session.downloadTask(with: server.url("/files/a"))
        task.resume()
        await delegate.writing()
        let data = try #require(await task.cancelByProducingResumeData())
        let rest = session.downloadTask(withResumeData: data)
        rest.resume()
        await delegate.completion(of: 2)
        #expect((rest.response as? HTTPURLResponse)?.statusCode == 206)
        let resumed = try #require(delegate.snapshot.resumed.first)
        #expect((1..<Int64(body.count)).contains(resumed.offset))
        #expect(resumed.expected == Int64(body.count))
        let transaction = try #require(delegate.snapshot.metrics.last?.transactionMetrics.last)
        #expect(transaction.countOfResponseBodyBytesReceived == Int64(body.count) - resumed.offset)
        #expect(delegate.snapshot.files.last == body)
        #expect(Set(protocolNames(delegate)) == ["h2"])
    }

    // MARK: - Trust

    /// A connection that one task's delegate has accepted carries nobody else's request.
    @Test func whatOneTaskTrustsIsNotShared() async throws {
        let server = try nginx.make()
        let session = makeSession { $0.urlCache = nil }
        let trusting = TrustingTaskDelegate()
        let (data, _) = try await session.data(from: server.url("/protocol"), delegate: trusting)
        #expect(String(decoding: data, as: UTF8.self) == "HTTP/1.1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
                group.addTask {
                    if index % 2 == 0 {
                        _ = try await session.data(
                            from: server.url("/protocol"), delegate: TrustingTaskDelegate())
                        return
                    }
                    let error = await #expect(throws: URLError.self) {
                        try await session.data(from: server.url("/protocol"))
                    }
                    #expect(error?.code == .serverCertificateUntrusted)
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: - Another server

    @Test(.enabled(if: Kind.nghttpx.isInstalled, Comment(rawValue: Kind.nghttpx.reasonToSkip)))
    func nghttpxTakesAndGivesBodies() async throws {
        let body = Self.bytes(1 << 20)
        let backend = try LoopbackServer { request in
            request.method == "GET"
                ? [.answer(body: [UInt8](body))] : [.answer(body: "\(request.body.count)")]
        }
        let server = try RealHTTP2Server.nghttpx(
            certificate: nginx.item.certificate, key: nginx.item.key, backend: backend.port)
        let session = makeTrustingSession()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    var request = URLRequest(url: server.url("/\(index)"))
                    if index % 2 == 0 {
                        #expect(try await session.data(for: request).0 == body)
                        return
                    }
                    request.httpMethod = "POST"
                    if index % 3 == 0 {
                        request.httpBodyStream = InputStream(data: body)
                    } else {
                        request.httpBody = body
                    }
                    let (data, _) = try await session.data(for: request)
                    #expect(String(decoding: data, as: UTF8.self) == "\(body.count)")
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Accepts every server, for its task alone.
private final class TrustingTaskDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}
