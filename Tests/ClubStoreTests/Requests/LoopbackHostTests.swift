import ClubStore
import Foundation
import Testing

@testable import ClubStore

/// Where a password may be sent without TLS.
@Suite struct LoopbackHostTests {
    @Test(arguments: [
        "localhost", "LOCALHOST", "club.localhost", "::1", "[::1]", "127.0.0.1", "127.255.0.9",
    ])
    func thisMachineIsKnown(_ host: String) {
        #expect(LoopbackHost.contains(host))
    }

    @Test(arguments: [
        "127.evil.example", "127.0.0.1.evil.example", "127.0.0.1.5", "127.1", "127.0.0.256",
        "127.0.0.x", "127.0.0.", "127...", "127.0.0.+1", "1127.0.0.1", "localhost.example",
        "localhostess", "evil.example", "::2", "", "[]",
    ])
    func whatOnlyLooksLikeItIsSomebodyElse(_ host: String) throws {
        #expect(!LoopbackHost.contains(host))
        guard let url = URL(string: "http://\(host)/dav"), let address = WebDAVAddress(url) else {
            return
        }
        let signIn = WebDAVAuthenticator(.password(user: "ann", password: "secret"), at: address)
        #expect(signIn.authorization(isSecure: false) == nil)
    }
}
