import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Certificates and servers are made by the `openssl` command, which Debian installs along with
/// `ca-certificates`.
@Suite(.timeLimit(.minutes(1)), .enabled(if: OpenSSLCommand.isInstalled)) struct TLSTests {
    private let shop: CertificateShop

    init() throws {
        shop = try CertificateShop()
    }

    @Test func trustsAnAuthorityItIsGiven() async throws {
        let item = try shop.make()
        let server = try TLSHost(item)
        let session = makeSession { $0.certificateAuthoritiesFile = item.file }
        let (_, response) = try await session.data(from: server.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        server.stop()
    }

    @Test func refusesASelfSignedCertificate() async throws {
        let server = try TLSHost(try shop.make())
        await expect(
            .serverCertificateUntrusted, from: makeSession(), server.url())
        server.stop()
    }

    @Test func refusesACertificateForAnotherHost() async throws {
        let item = try shop.make()
        let server = try TLSHost(item)
        let session = makeSession { $0.certificateAuthoritiesFile = item.file }
        await expect(.serverCertificateUntrusted, from: session, server.url(host: "127.0.0.1"))
        server.stop()
    }

    @Test func refusesAnExpiredCertificate() async throws {
        let item = try shop.make(until: "20200201000000Z")
        let server = try TLSHost(item)
        let session = makeSession { $0.certificateAuthoritiesFile = item.file }
        await expect(.serverCertificateHasBadDate, from: session, server.url())
        server.stop()
    }

    @Test func aPlainServerMakesNoSecureConnection() async throws {
        let server = try LoopbackServer(scripts: [[.send("HTTP/1.1 200 OK\r\n\r\n"), .stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        await expect(.secureConnectionFailed, from: makeSession(), url)
        server.stop()
    }

    /// Sessions that use the shared storages refuse such a server.
    @Test func whatAPrivateAuthorityVouchesForIsNotShared() {
        let configuration = URLSessionConfiguration.default
        configuration.certificateAuthoritiesFile = URL(filePath: "/etc/own.pem")
        #expect(configuration.urlCache != nil)
        #expect(configuration.urlCache !== URLCache.shared)
        #expect(configuration.hstsStorage != nil)
        #expect(configuration.hstsStorage !== HSTSStorage.shared)
        #expect(configuration.httpCookieStorage === HTTPCookieStorage.shared)
        let (cache, storage) = (URLCache(memoryCapacity: 1000, diskCapacity: 0), HSTSStorage())
        configuration.urlCache = cache
        configuration.hstsStorage = storage
        configuration.certificateAuthoritiesFile = URL(filePath: "/etc/other.pem")
        #expect(configuration.urlCache === cache)
        #expect(configuration.hstsStorage === storage)
    }

    /// Without a length, a body ends with its connection, which anybody on the route can end.
    @Test func aBodyWithoutALengthIsNotCached() async throws {
        let item = try shop.make()
        let server = try TLSHost(item, fields: ["Cache-Control: max-age=600"], tellsLength: false)
        // Without a word of TLS. What that means to the task depends on the version of libcurl.
        let delegate = RecordingDelegate { $0.data = { _, _ in server.hangUp() } }
        let stored = try await load(server.url(), delegate) {
            $0.certificateAuthoritiesFile = item.file
        }
        #expect(stored == nil)
        server.stop()
    }

    @Test func inTheClearItIs() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n\r\nin"), .close]
        }
        let stored = try await load(server.url(), RecordingDelegate()) { _ in }
        #expect(stored?.data == Data("in".utf8))
    }

    /// Loads `in` and returns what is in the cache then.
    private func load(
        _ url: URL, _ delegate: RecordingDelegate, _ change: (URLSessionConfiguration) -> Void
    ) async throws -> CachedURLResponse? {
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        let session = makeSession(delegate) {
            $0.urlCache = cache
            change($0)
        }
        session.dataTask(with: url).resume()
        await delegate.completion()
        #expect(String(decoding: delegate.body, as: UTF8.self) == "in")
        await session.flush()
        return cache.cachedResponse(for: URLRequest(url: url))
    }

    @Test func metricsTellWhatWasAgreedOn() async throws {
        let item = try shop.make()
        let server = try TLSHost(item)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) {
            $0.certificateAuthoritiesFile = item.file
        }
        _ = try await session.data(from: server.url())
        let transaction = try #require(delegate.snapshot.metrics.first?.transactionMetrics.first)
        #expect(transaction.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(transaction.negotiatedTLSCipherSuite == .AES_256_GCM_SHA384)
        let start = try #require(transaction.secureConnectionStartDate)
        let end = try #require(transaction.secureConnectionEndDate)
        #expect(start <= end)
        #expect(transaction.connectEndDate == end)
        server.stop()
    }

    private func expect(_ code: URLError.Code, from session: URLSession, _ url: URL) async {
        await #expect { try await session.data(from: url) } throws: { error in
            let error = error as? URLError
            #expect(error?.code == code, "\(error as Any)")
            return true
        }
    }
}
