import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

@Suite(.timeLimit(.minutes(2)), .enabled(if: OpenSSLCommand.isInstalled))
struct ClientCertificateTests {
    private let shop: CertificateShop
    private let server: CertificateShop.Item
    private let authority: CertificateShop.Item
    private let client: CertificateShop.Item

    init() throws {
        shop = try CertificateShop()
        server = try shop.make()
        authority = try shop.make("Clients", isAuthority: true)
        client = try shop.make("ada", hosts: "email:ada@a.test", by: authority)
    }

    private func makeHost(_ version: String = "-tls1_3") throws -> TLSHost {
        try TLSHost(
            server,
            [version, "-Verify", "2", "-verify_return_error", "-CAfile", authority.certificate])
    }

    private func makeBook(_ identity: ClientIdentity?) -> ChallengeBook {
        ChallengeBook { challenge in
            if let trust = challenge.protectionSpace.serverTrust {
                return (.useCredential, URLCredential(trust: trust))
            }
            return (
                .useCredential,
                identity.map { URLCredential(identity: $0, persistence: .forSession) }
            )
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func presentsPEM(version: String) async throws {
        let host = try makeHost(version)
        let identity = ClientIdentity(
            .pem(certificate: client.file, key: URL(filePath: client.key)))
        let book = makeBook(identity)
        let session = makeSession(ChallengeDelegate(book))
        #expect(status(try await session.data(from: host.url()).1) == 200)
        #expect(
            book.challenges.map(\.protectionSpace.authenticationMethod) == [
                NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
            ])
        #expect(book.methods == ["session", "session"])
        #expect(book.challenges.last?.protectionSpace.distinguishedNameTexts == ["CN=Clients"])
        #expect(book.challenges.last?.protectionSpace.host == "localhost")
        // The same connection once more.
        #expect(status(try await session.data(from: host.url()).1) == 200)
        #expect(book.challenges.count == 2)
    }

    @Test func presentsPKCS12() async throws {
        let host = try makeHost()
        let package = try shop.makePackage(of: client, passphrase: "s3cret")
        let session = makeSession(
            ChallengeDelegate(makeBook(ClientIdentity(.pkcs12(package), passphrase: "s3cret"))))
        #expect(status(try await session.data(from: host.url()).1) == 200)
    }

    @Test func opensALockedKeyAndNeverAsksTheTerminal() async throws {
        let host = try makeHost()
        let key = try shop.makeLockedKey(of: client, passphrase: "s3cret")
        let make = { (passphrase: String?) in
            makeSession(
                ChallengeDelegate(
                    makeBook(
                        ClientIdentity(
                            .pem(certificate: client.file, key: key), passphrase: passphrase))))
        }
        #expect(status(try await make("s3cret").data(from: host.url()).1) == 200)
        let second = try makeHost()
        await expect(.clientCertificateRejected, make("wrong"), second.url())
        await expect(.clientCertificateRejected, make(nil), second.url())
    }

    @Test func aFileThatIsNotThere() async throws {
        let host = try makeHost()
        let identity = ClientIdentity(.pem(certificate: URL(filePath: "/nonexistent"), key: nil))
        await expect(
            .clientCertificateRejected, makeSession(ChallengeDelegate(makeBook(identity))),
            host.url())
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func aServerThatInsistsGetsNone(version: String) async throws {
        let host = try makeHost(version)
        await expect(
            .clientCertificateRequired, makeSession(ChallengeDelegate(makeBook(nil))), host.url(),
            mayBeCutOff: version == "-tls1_3")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func aServerThatKnowsNobodyOfTheName(version: String) async throws {
        let host = try makeHost(version)
        let stranger = try shop.make("stranger", hosts: "email:s@a.test")
        let identity = ClientIdentity(
            .pem(certificate: stranger.file, key: URL(filePath: stranger.key)))
        await expect(
            .clientCertificateRejected, makeSession(ChallengeDelegate(makeBook(identity))),
            host.url(), mayBeCutOff: version == "-tls1_3")
    }

    @Test func aStoredOneIsPresentedWithoutADelegate() async throws {
        let host = try makeHost()
        let storage = URLCredentialStorage()
        storage.setDefaultCredential(
            URLCredential(
                identity: ClientIdentity(
                    .pem(certificate: client.file, key: URL(filePath: client.key))),
                persistence: .forSession),
            for: URLProtectionSpace(
                host: "localhost", port: host.port, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodClientCertificate))
        let item = server
        let session = makeSession {
            $0.urlCredentialStorage = storage
            $0.certificateAuthoritiesFile = item.file
        }
        #expect(status(try await session.data(from: host.url()).1) == 200)
    }

    /// - Parameter mayBeCutOff: In TLS 1.3 the request is on its way when the server says what it
    ///   thinks of the certificate. Closing with the request unread, it may take its words back.
    private func expect(
        _ code: URLError.Code, _ session: URLSession, _ url: URL, mayBeCutOff: Bool = false
    ) async {
        await #expect { try await session.data(from: url) } throws: { error in
            let found = (error as? URLError)?.code
            #expect(
                found == code || (mayBeCutOff && found == .networkConnectionLost), "\(error)")
            return true
        }
    }
}
