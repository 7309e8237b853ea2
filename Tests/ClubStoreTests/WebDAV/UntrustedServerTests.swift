import CurlNetworking
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// What is known of a server that is not trusted.
@Suite struct UntrustedServerTests {
    /// By the clock of this computer, which may be what is wrong.
    @Test func aCertificateIsJudgedByTheClock() throws {
        let base64 = ApacheServer.certificate.split(separator: "\n")
            .filter { !$0.hasPrefix("-----") }.joined()
        let der = try #require(Data(base64Encoded: base64))
        let certificate = try #require(ServerCertificate(derEncoded: der))
        let (start, end) = (
            try #require(certificate.notValidBefore), try #require(certificate.notValidAfter)
        )
        func validity(at date: Date) -> UntrustedServer.Validity {
            .init(of: certificate, at: date)
        }
        #expect(validity(at: start - 1) == .notYet)
        #expect(validity(at: start) == .current)
        #expect(validity(at: end) == .current)
        #expect(validity(at: end + 1) == .expired)
    }

    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func anErrorSaysThatThePinnedKeyIsAnother() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        for pin in ["sha256//" + Data(count: 32).base64EncodedString(), nil] {
            var configuration = WebDAVStore.Configuration(
                baseURL: club.url,
                credentials: .password(user: ApacheServer.user, password: ApacheServer.password))
            configuration.trust.pinnedKey = pin.flatMap { ServerKey($0) }
            let store = try WebDAVStore(configuration)
            let error = await failure { _ = try await store.list(.root) }
            #expect(error?.code == .untrusted)
            let server = try #require(error?.untrustedServer)
            #expect(server.differsFromPin == (pin != nil))
            #expect(server.key.description == ApacheServer.keyFingerprint)
        }
    }
}
