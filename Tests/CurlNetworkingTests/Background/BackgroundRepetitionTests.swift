import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Helpers that are killed by the server, at the moment it has what it was to get.
@Suite(.timeLimit(.minutes(2))) struct BackgroundRepetitionTests {
    private let home: BackgroundHome
    private let delegate = RecordingDelegate()

    init() throws {
        home = try BackgroundHome()
    }

    /// No report of its progress has been made by then.
    @Test(arguments: [1, 100_000, 3 << 20])
    func aPostIsSentOnceThoughTheHelperIsKilledAtItsLastByte(byteCount: Int) async throws {
        let server = try KillingServer(home, after: byteCount)
        let session = home.session("test", delegate)
        let file = try home.makeFile(makeBytes(byteCount))
        session.uploadTask(with: server.request("POST"), fromFile: file).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(delegate.error?.underlyingText?.contains("not sent again") == true)
        #expect(server.methods == ["POST"])
    }

    @Test func theBodyOfADownloadIsSentOnceToo() async throws {
        let server = try KillingServer(home, after: 5)
        let session = home.session("test", delegate)
        var request = server.request("POST")
        request.httpBody = Data("which".utf8)
        session.downloadTask(with: request).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(server.methods == ["POST"])
    }

    /// Nobody has had all of it.
    @Test func aPostIsSentAgainIfTheHelperIsKilledMidway() async throws {
        let body = makeBytes(40_000_000)
        let server = try KillingServer(home, after: 100_000)
        let session = home.session("test", delegate)
        let file = try home.makeFile(body)
        let task = session.uploadTask(with: server.request("POST"), fromFile: file)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        #expect(server.methods == ["POST", "POST"])
        #expect(server.body == body)
    }

    @Test func whatIsIdempotentIsSentAgain() async throws {
        let body = makeBytes(100_000)
        let server = try KillingServer(home, after: body.count)
        let session = home.session("test", delegate)
        let file = try home.makeFile(body)
        session.uploadTask(with: server.request("PUT"), fromFile: file).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.methods == ["PUT", "PUT"])
        #expect(server.body == body)
    }

    /// The server offers to go on, has all of it, and then knows nothing of it: it may have carried it out.
    @Test func aResumablePostThatTheServerForgotIsNotSentAgain() async throws {
        let gate = LoopbackGate()
        let server = try KillingServer(home, after: 100_000, offering: gate)
        let session = home.session("test", delegate)
        let file = try home.makeFile(makeBytes(100_000))
        session.uploadTask(with: server.request("POST"), fromFile: file).resume()
        try await eventually("a record of the upload's place", in: URL(filePath: home.path)) {
            home.records.contains { $0.upload != nil }
        }
        gate.open()
        await delegate.completion()
        #expect(delegate.error?.code == .badServerResponse)
        #expect(server.methods == ["POST", "HEAD"])
    }
}

/// Kills the helper when it has some of the first body, and takes the later ones.
private final class KillingServer: Sendable {
    private final class Log: Sendable {
        let methods = Mutex<[String]>([])
        let body = Mutex(Data())
    }

    private let server: LoopbackServer
    private let log: Log

    /// - Parameters:
    ///   - byteCount: How much of the first body is read before the helper is killed.
    ///   - gate: What is waited for after a 104, before the body is read; nil for a server without 104.
    init(_ home: BackgroundHome, after byteCount: Int, offering gate: LoopbackGate? = nil) throws {
        let log = Log()
        let isFirst = OneShot(true)
        self.log = log
        server = try LoopbackServer(talking: { [weak home] peer in
            guard let head = peer.readHead() else { return }
            let method = String(head.prefix { $0 != " " })
            log.methods.withLock { $0.append(method) }
            guard isFirst.take() != nil else {
                if method == "HEAD" {
                    return peer.send(
                        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                }
                let length = head.split(separator: "\r\n").compactMap { line in
                    line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
                }.first
                let bytes = peer.read(length ?? 0) ?? []
                log.body.withLock { $0 = Data(bytes) }
                return peer.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            }
            if let gate {
                peer.send("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /up/7\r\n\r\n")
                peer.wait(for: gate)
            }
            // Looked up before the body has come: it must not have time for anything after its last byte.
            let helpers = home?.helpers ?? []
            _ = peer.read(byteCount)
            for helper in helpers { kill(helper, SIGKILL) }
        })
    }

    func request(_ method: String) -> URLRequest {
        var request = URLRequest(url: server.url("/pay"))
        request.httpMethod = method
        return request
    }

    var methods: [String] { log.methods.withLock(\.self) }
    /// The last one that was read whole.
    var body: Data { log.body.withLock(\.self) }
}
