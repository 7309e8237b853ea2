import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Whether the libcurl that is loaded speaks HTTP/2 as it should; `scripts/with-libcurl` brings one that does.
let speaksHTTP2 = HTTPVersionPolicy.Library.current.speaksHTTP2Reliably

let whyNoHTTP2: Comment = "HTTP/2 needs libcurl 8.14 or newer: scripts/with-libcurl 8.14.1 …"

extension HTTP2Peer {
    /// Answers the first request of a connection: without TLS libcurl shares none that has not answered.
    func begin() {
        if let stream = nextRequest() { answer(stream, body: "first") }
    }

    /// Answers each request with the length of its body.
    func countBodies() {
        while let stream = nextRequest() {
            readToEnd(of: stream)
            answer(stream, body: "\(bodyByteCount(of: stream))")
        }
    }
}

extension RecordingDelegate {
    /// Suspends a session's first task at its first piece: with a large body, most is yet to come.
    ///
    /// - Parameter held: Told when it is suspended.
    static func holdingFirstTask(_ held: Signal) -> RecordingDelegate {
        let isHeld = Mutex(false)
        return RecordingDelegate { hooks in
            hooks.data = { task, _ in
                let wasHeld = isHeld.withLock { value in
                    defer { value = true }
                    return value
                }
                guard !wasHeld else { return }
                task.suspend()
                held.add()
            }
        }
    }
}

/// A session that takes every server to speak HTTP/2.
func makeHTTP2Session(
    _ delegate: RecordingDelegate? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
) -> URLSession {
    makeSession(delegate) { configuration in
        configuration.httpVersion = .http2
        configuration.urlCache = nil
        change(configuration)
    }
}

extension LoopbackServer {
    /// One talk for each connection, the last one for all others.
    convenience init(
        http2 settings: [(UInt16, UInt32)] = [],
        _ talks: (@Sendable (HTTP2Peer) -> Void)...
    ) throws {
        let connections = Mutex(0)
        let serve = talks.map { HTTP2Peer.serve(settings: settings, $0) }
        try self.init(talking: { peer in
            let index = connections.withLock { count in
                defer { count += 1 }
                return count
            }
            serve[min(index, serve.count - 1)](peer)
        })
    }

    /// Answers each request with a text.
    convenience init(http2Answering body: String) throws {
        try self.init(
            http2: [],
            { peer in
                while let stream = peer.nextRequest() { peer.answer(stream, body: body) }
            })
    }
}

extension LoopbackServer {
    /// Answers each request with the length of its body.
    static func countingHTTP2Bodies() throws -> LoopbackServer {
        try LoopbackServer(
            http2: [(4, 1 << 20)],
            { peer in
                peer.widen(0, by: 1 << 20)
                peer.countBodies()
            })
    }

    /// Does something to the second request of a connection while the first is under way; the others live.
    convenience init(
        http2Harming harm: @escaping @Sendable (HTTP2Peer, _ second: UInt32) -> Void
    ) throws {
        try self.init(
            http2: [],
            { peer in
                guard let first = peer.nextRequest() else { return }
                peer.sendHead(first)
                guard let second = peer.nextRequest() else { return }
                harm(peer, second)
                peer.sendData(first, [1])
                while let stream = peer.nextRequest() { peer.answer(stream, body: "later") }
            })
    }

    /// The second request of ``init(http2Harming:)`` fails, and nothing else does.
    func expectSecondFailsAlone(_ code: URLError.Code) async throws {
        let session = makeHTTP2Session()
        let (bytes, _) = try await session.bytes(from: url("/first"))
        let error = await #expect(throws: URLError.self) {
            try await session.data(from: self.url("/second"))
        }
        #expect(error?.code == code)
        var received: [UInt8] = []
        for try await byte in bytes { received.append(byte) }
        #expect(received == [1])
        let (later, _) = try await session.data(from: url("/later"))
        #expect(later == Data("later".utf8))
        #expect(connectionCount == 1)
    }
}

/// Servers of nginx over TLS, with a certificate that is made for them.
struct NginxOverTLS {
    let item: CertificateShop.Item
    /// Keeps the files.
    private let shop: CertificateShop

    init() throws {
        shop = try CertificateShop()
        item = try shop.make(hosts: "IP:127.0.0.1")
    }

    func make(
        requestsPerConnection: Int = 1000, streamsPerConnection: Int = 128, isHTTP2: Bool = true
    ) throws -> RealHTTP2Server {
        try .nginx(
            certificate: item.certificate, key: item.key,
            requestsPerConnection: requestsPerConnection,
            streamsPerConnection: streamsPerConnection, isHTTP2: isHTTP2)
    }
}
