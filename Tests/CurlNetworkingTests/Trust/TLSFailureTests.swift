import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// Each failure of a connection in Apple's code, with a delegate that leaves it to the system and
/// without one. FoundationNetworking calls each of TLS's -1.
@Suite(.timeLimit(.minutes(2)), .enabled(if: OpenSSLCommand.isInstalled))
struct TLSFailureTests {
    enum Fault: CaseIterable, Sendable {
        case expired, notYetValid, selfSigned, wrongHost, wrongAddress, unknownAuthority
        case expiredAuthority, tooOld, tooNew, impossible
    }

    @Test(arguments: Fault.allCases, [false, true])
    func hasApplesCode(of fault: Fault, withDelegate: Bool) async throws {
        let shop = try CertificateShop()
        var options: [String] = []
        var host = "localhost"
        var item = try shop.make()
        var trusted = item
        let code: URLError.Code
        let configure: @Sendable (URLSessionConfiguration) -> Void
        switch fault {
        case .expired:
            item = try shop.make(until: "20200201000000Z")
            trusted = item
            code = .serverCertificateHasBadDate
        case .notYetValid:
            item = try shop.make(from: "20970101000000Z")
            trusted = item
            code = .serverCertificateNotYetValid
        case .selfSigned:
            trusted = try shop.make("somebody else")
            code = .serverCertificateUntrusted
        case .wrongHost:
            item = try shop.make(hosts: "DNS:elsewhere.test")
            trusted = item
            code = .serverCertificateUntrusted
        case .wrongAddress:
            host = "127.0.0.1"
            code = .serverCertificateUntrusted
        case .unknownAuthority:
            item = try shop.make(by: try shop.make("Root", isAuthority: true))
            code = .serverCertificateHasUnknownRoot
        case .expiredAuthority:
            trusted = try shop.make("Root", until: "20200201000000Z", isAuthority: true)
            item = try shop.make(by: trusted)
            code = .serverCertificateHasBadDate
        case .tooOld:
            options = ["-tls1_2"]
            code = .secureConnectionFailed
        case .tooNew:
            options = ["-tls1_3"]
            code = .secureConnectionFailed
        case .impossible:
            code = .secureConnectionFailed
        }
        switch fault {
        case .tooOld: configure = { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
        case .tooNew: configure = { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 }
        case .impossible:
            configure = {
                $0.tlsMinimumSupportedProtocolVersion = .TLSv13
                $0.tlsMaximumSupportedProtocolVersion = .TLSv12
            }
        default: configure = { _ in }
        }
        let server = try TLSHost(item, options)
        let file = trusted.file
        let session = make(withDelegate) {
            $0.certificateAuthoritiesFile = file
            configure($0)
        }
        await expect(code, session, server.url(host: host))
        #expect(server.requestCount == 0)
    }

    @Test func theVersionsThatAreAllowedAreSpoken() async throws {
        let shop = try CertificateShop()
        let item = try shop.make()
        for (option, version) in [("-tls1_2", tls_protocol_version_t.TLSv12), ("-tls1_3", .TLSv13)]
        {
            let server = try TLSHost(item, [option])
            let session = make(false) {
                $0.certificateAuthoritiesFile = item.file
                $0.tlsMinimumSupportedProtocolVersion = version
                $0.tlsMaximumSupportedProtocolVersion = version
            }
            #expect(status(try await session.data(from: server.url()).1) == 200)
        }
        let configuration = URLSessionConfiguration.default
        #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
        #expect(configuration.tlsMaximumSupportedProtocolVersion == .TLSv13)
    }

    @Test(arguments: [false, true])
    func aFileOfAuthoritiesIsReadAsItIsNow(withDelegate: Bool) async throws {
        let shop = try CertificateShop()
        let item = try shop.make()
        let file = URL(filePath: shop.path("authorities.pem"))
        try Data(contentsOf: try shop.make("somebody else").file).write(to: file)
        let server = try TLSHost(item)
        await expect(
            .serverCertificateUntrusted,
            make(withDelegate) { $0.certificateAuthoritiesFile = file },
            server.url())
        try Data(contentsOf: item.file).write(to: file)
        let session = make(withDelegate) { $0.certificateAuthoritiesFile = file }
        #expect(status(try await session.data(from: server.url()).1) == 200)
    }

    @Test(arguments: [false, true]) func aPlainServer(withDelegate: Bool) async throws {
        let server = try LoopbackServer(scripts: [[.send("HTTP/1.1 200 OK\r\n\r\n"), .stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        await expect(.secureConnectionFailed, make(withDelegate), url)
    }

    @Test(arguments: [false, true])
    func aServerThatClosesInsteadOfShakingHands(withDelegate: Bool) async throws {
        let server = try LoopbackServer(scripts: [[.read(byteCount: 1), .close]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        await expect(.secureConnectionFailed, make(withDelegate), url)
    }

    @Test(arguments: ["http", "https"]) func nobodyListens(scheme: String) async throws {
        let port = try ReservedPort()
        defer { withExtendedLifetime(port) {} }
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(port.number)/"))
        await expect(.cannotConnectToHost, make(true), url)
        await expect(.cannotConnectToHost, make(false), url)
    }

    @Test(arguments: ["http", "https"]) func aNameThatIsNone(scheme: String) async throws {
        let url = try #require(URL(string: "\(scheme)://no-such-host.invalid/"))
        await expect(.cannotFindHost, make(true), url)
        await expect(.cannotFindHost, make(false), url)
    }

    @Test func aReset() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .reset]])
        await expect(.networkConnectionLost, make(false), server.url())
    }

    private func make(
        _ withDelegate: Bool, _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        withDelegate ? makeSession(SilentDelegate(), change) : makeSession(nil, change)
    }

    private func expect(_ code: URLError.Code, _ session: URLSession, _ url: URL) async {
        await #expect { try await session.data(from: url) } throws: { error in
            #expect((error as? URLError)?.code == code, "\(error)")
            #expect((error as? URLError)?.failingURL == url)
            return true
        }
    }
}
