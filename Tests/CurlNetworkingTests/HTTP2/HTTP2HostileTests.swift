import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Servers that mean harm: bounded, one error, and the others live.
@Suite(.timeLimit(.minutes(1)), .enabled(if: speaksHTTP2, whyNoHTTP2))
struct HTTP2HostileTests {
    /// A head without an end (CVE-2024-27316 and its relatives).
    @Test func aHeadWithoutAnEndIsCutOff() async throws {
        let sent = Mutex(0)
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard let stream = peer.nextRequest() else { return }
                peer.send(
                    HTTP2Frame(.headers, stream: stream, HTTP2Frame.block([(":status", "200")])))
                let field = HTTP2Frame.block([("x-a", String(repeating: "a", count: 8000))])
                let frame = HTTP2Frame(.continuation, stream: stream, field)
                for _ in 0..<100_000 {
                    guard peer.isOpen else { return }
                    peer.send(frame)
                    sent.withLock { $0 += 1 }
                }
            })
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(from: server.url())
        }
        #expect(
            [.networkConnectionLost, .cannotParseResponse, .badServerResponse].contains(error?.code)
        )
        #expect(sent.withLock { $0 } < 100_000)
    }

    /// Small on the wire, large as lines: each field names one that HPACK keeps.
    @Test(arguments: ["lines", "bytes"]) func aHeadWithoutMeasureFailsAlone(kind: String)
        async throws
    {
        let server = try LoopbackServer(http2Harming: { peer, second in
            // An entry of HPACK's dynamic table (0x40), then that entry (0xBE) again and again.
            let size = kind == "lines" ? 10 : 3000
            let entry =
                [0x40]
                + HTTP2Frame.block([("x-a", String(repeating: "a", count: size))]).dropFirst()
            let block =
                HTTP2Frame.block([(":status", "200")]) + entry
                + [UInt8](repeating: 0xBE, count: 4000)
            peer.send(
                HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: second, block))
        })
        try await server.expectSecondFailsAlone(.cannotParseResponse)
    }

    @Test func aWindowThatStaysShutTimesOut() async throws {
        let server = try LoopbackServer(http2: [(4, 0)], { peer in peer.readToClose() })
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.timeoutInterval = 0.5
        let session = makeHTTP2Session()
        let error = await #expect(throws: URLError.self) {
            try await session.upload(for: request, from: Data(count: 100_000))
        }
        #expect(error?.code == .timedOut)
    }

    /// Noise on the connection does not keep a stream alive.
    @Test(arguments: [HTTP2Frame.Kind.ping, .settings])
    func aFloodOfSmallFramesKeepsNoRequestAlive(kind: HTTP2Frame.Kind) async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                guard peer.nextRequest() != nil else { return }
                let payload: [UInt8] = kind == .ping ? [UInt8](repeating: 1, count: 8) : []
                let frames = (0..<100).flatMap { _ in HTTP2Frame(kind, payload).bytes }
                while peer.isOpen {
                    peer.send(frames)
                    for _ in 0..<100 where peer.readFrame() == nil { return }
                }
            })
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 0.5
        let session = makeHTTP2Session()
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: request)
        }
        #expect([.timedOut, .networkConnectionLost].contains(error?.code))
    }

    @Test func rapidResetsFailOneTaskEach() async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                peer.begin()
                while let stream = peer.nextRequest() { peer.reset(stream, .cancel) }
            })
        let delegate = RecordingDelegate()
        let session = makeHTTP2Session(delegate)
        _ = try await makeHTTP2Session().data(from: server.url("/first"))
        for index in 0..<200 { session.dataTask(with: server.url("/\(index)")).resume() }
        await delegate.completion(of: 200)
        #expect(delegate.error?.code == .networkConnectionLost)
        #expect(server.connectionCount <= 7)
    }

    @Test(arguments: [
        [(":status", "20")], [(":status", "abc")], [(":status", "99")], [("x-a", "b")],
        [(":status", "200"), ("X-Capital", "a")], [(":status", "200"), ("connection", "close")],
        [(":status", "200"), (":path", "/")],
    ])
    func aHeadThatIsNoneFails(fields: [(String, String)]) async throws {
        let server = try LoopbackServer(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() {
                    peer.sendFields(stream, fields, isEnd: false)
                    peer.sendData(stream, [1])
                }
            })
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 5
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(for: request)
        }
        #expect(
            [.networkConnectionLost, .cannotParseResponse, .badServerResponse].contains(error?.code)
        )
    }

    /// A server that speaks something else.
    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "220 mail\r\n", ""])
    func aServerWithoutHTTP2Fails(greeting: String) async throws {
        let server = try LoopbackServer(scripts: [[.read(byteCount: 24), .send(greeting), .close]])
        let error = await #expect(throws: URLError.self) {
            try await makeHTTP2Session().data(from: server.url())
        }
        #expect(error != nil)
    }
}
