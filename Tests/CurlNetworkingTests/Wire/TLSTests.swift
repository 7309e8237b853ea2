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
