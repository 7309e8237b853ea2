import CurlNetworking
import Foundation
import TestSupport
import Testing

/// `Strict-Transport-Security` over the wire.
@Suite(.timeLimit(.minutes(1))) struct HSTSWireTests {
    private let shop: CertificateShop

    init() throws {
        shop = try CertificateShop()
    }

    private func plain(_ host: TLSHost, _ path: String = "/") throws -> URL {
        try #require(URL(string: "http://localhost:\(host.port)\(path)"))
    }

    @Test func aHostThatHasSaidSoIsReachedOverTLSOnly() async throws {
        let item = try shop.make()
        let server = try TLSHost(item, fields: ["Strict-Transport-Security: max-age=3600"])
        let storage = HSTSStorage()
        let session = makeSession {
            $0.certificateAuthoritiesFile = item.file
            $0.hstsStorage = storage
        }
        // Not known yet: the TLS server does not understand it.
        await #expect(throws: URLError.self) { try await session.data(from: plain(server)) }
        _ = try await session.data(from: server.url())
        #expect(storage.hosts == ["localhost"])
        let (data, response) = try await session.data(from: plain(server, "/in?a=b"))
        #expect(String(decoding: data, as: UTF8.self) == "in")
        #expect(response.url == server.url("/in?a=b"))
        server.stop()
    }

    @Test func theTaskSaysWhereItsRequestWent() async throws {
        let item = try shop.make()
        let server = try TLSHost(item, fields: ["Strict-Transport-Security: max-age=3600"])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.certificateAuthoritiesFile = item.file }
        session.dataTask(with: server.url()).resume()
        await delegate.completion()
        let task = session.dataTask(with: try plain(server))
        task.resume()
        await delegate.completion(of: 2)
        #expect(delegate.error == nil)
        #expect(task.originalRequest?.url == (try plain(server)))
        #expect(task.currentRequest?.url == server.url())
        server.stop()
    }

    @Test func aRedirectIntoTheClearIsNotFollowedThere() async throws {
        let item = try shop.make()
        let server = try TLSHost(item, fields: ["Strict-Transport-Security: max-age=3600"])
        let session = makeSession { $0.certificateAuthoritiesFile = item.file }
        _ = try await session.data(from: server.url())
        let target = try plain(server, "/there")
        let door = try LoopbackServer { _ in [.answer("302 Found", ["Location: \(target)"])] }
        let (_, response) = try await session.data(from: door.url())
        #expect(response.url == server.url("/there"))
        server.stop()
    }

    @Test func zeroForgetsAndWithoutAStorageNothingIsKept() async throws {
        let item = try shop.make()
        let storage = HSTSStorage()
        for (age, known) in [(3600, ["localhost"]), (0, [])] {
            let server = try TLSHost(
                item, fields: ["Strict-Transport-Security: max-age=\(age)"])
            let session = makeSession {
                $0.certificateAuthoritiesFile = item.file
                $0.hstsStorage = storage
            }
            _ = try await session.data(from: server.url())
            #expect(storage.hosts == known)
            server.stop()
        }
        let server = try TLSHost(item, fields: ["Strict-Transport-Security: max-age=3600"])
        let session = makeSession {
            $0.certificateAuthoritiesFile = item.file
            $0.hstsStorage = nil
        }
        _ = try await session.data(from: server.url())
        server.hangUp()  // it serves one connection at a time
        await #expect(throws: URLError.self) { try await session.data(from: plain(server)) }
        server.stop()
    }

    /// With a delegate, each attempt has a handshake of its own to look at, and a kept connection has none.
    @Test func whatIsSaidOnAKeptConnectionCountsToo() async throws {
        let item = try shop.make()
        let server = try TLSHost(item, fields: ["Strict-Transport-Security: max-age=3600"])
        let storage = HSTSStorage()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) {
            $0.certificateAuthoritiesFile = item.file
            $0.hstsStorage = storage
        }
        for count in 1...2 {
            storage.removeAll()
            session.dataTask(with: server.url()).resume()
            await delegate.completion(of: count)
            #expect(storage.hosts == ["localhost"])
        }
        #expect(delegate.error == nil)
        server.stop()
    }

    /// A resumed handshake has no certificates to look at, but the one before had.
    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func whatIsSaidAfterAResumedHandshakeCountsToo(version: String) async throws {
        let item = try shop.make()
        let server = try TLSHost(
            item, [version],
            fields: ["Strict-Transport-Security: max-age=3600", "Connection: close"])
        let storage = HSTSStorage()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) {
            $0.certificateAuthoritiesFile = item.file
            $0.hstsStorage = storage
        }
        // All sessions share the TLS sessions that libcurl keeps, which are few: other tests may take their place.
        var count = 0
        while !server.transcript.contains("Reused session-id"), count < 50 {
            count += 1
            storage.removeAll()
            session.dataTask(with: server.url()).resume()
            await delegate.completion(of: count)
            #expect(storage.hosts == ["localhost"])
        }
        #expect(delegate.error == nil)
        #expect(server.transcript.contains("Reused session-id"))
        server.stop()
    }

    /// Who trusts a server nobody else does must not take its word for the host.
    @Test(arguments: [[], ["Connection: close"]])
    func aServerThatOnlyTheDelegateTrustsIsNotBelieved(more: [String]) async throws {
        let server = try TLSHost(
            try shop.make(), fields: ["Strict-Transport-Security: max-age=3600"] + more)
        let storage = HSTSStorage()
        let delegate = TrustingDelegate()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.hstsStorage = storage
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        // Later over the connection that is there, or after a resumed handshake: other tests may take its session's place.
        let isDone = { more.isEmpty ? $0 == 2 : server.transcript.contains("Reused session-id") }
        for count in 0..<50 where !isDone(count) { _ = try await session.data(from: server.url()) }
        #expect(storage.hosts == [])
        if !more.isEmpty { #expect(server.transcript.contains("Reused session-id")) }
        session.invalidateAndCancel()
        server.stop()
    }

    @Test(arguments: ["http", "https"]) func whatIsSaidInTheClearOrForAnAddressIsIgnored(
        scheme: String
    ) async throws {
        let fields = ["Strict-Transport-Security: max-age=3600; includeSubDomains"]
        let storage = HSTSStorage()
        if scheme == "http" {
            let server = try LoopbackServer { _ in [.answer("200 OK", fields)] }
            let session = makeSession { $0.hstsStorage = storage }
            let url = try #require(URL(string: "http://localhost:\(server.port)/"))
            for _ in 0..<2 { _ = try await session.data(from: url) }
            #expect(server.requests.count == 2)
        } else {
            let item = try shop.make(hosts: "IP:127.0.0.1")
            let server = try TLSHost(item, fields: fields)
            let session = makeSession {
                $0.certificateAuthoritiesFile = item.file
                $0.hstsStorage = storage
            }
            _ = try await session.data(from: server.url(host: "127.0.0.1"))
            server.stop()
        }
        #expect(storage.hosts == [])
    }

    @Test func ephemeralSessionsKeepItInMemoryAndApart() {
        let one = URLSessionConfiguration.ephemeral.hstsStorage
        let other = URLSessionConfiguration.ephemeral.hstsStorage
        #expect(one != nil && one !== other)
        #expect(URLSessionConfiguration.default.hstsStorage === HSTSStorage.shared)
    }
}

private final class TrustingDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}
