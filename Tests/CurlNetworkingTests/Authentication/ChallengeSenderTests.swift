import CurlNetworking
import Foundation
import Synchronization
import Testing

/// Challenges of one's own, as files of before `URLSession` use them.
@Suite struct ChallengeSenderTests {
    private final class Sender: URLAuthenticationChallengeSender {
        let said = Mutex<[String]>([])

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
            said.withLock { $0.append("use \(credential.user ?? "")") }
        }

        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
            said.withLock { $0.append("continue") }
        }

        func cancel(_ challenge: URLAuthenticationChallenge) {
            said.withLock { $0.append("cancel") }
        }
    }

    private let space = URLProtectionSpace(
        host: "a.test", port: 443, protocol: NSURLProtectionSpaceHTTPS, realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)

    @Test func anotherSenderGetsTheSameChallenge() throws {
        let sender = Sender()
        let first = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 2,
            failureResponse: nil, error: URLError(.timedOut))
        #expect(first.sender == nil)
        let second = URLAuthenticationChallenge(authenticationChallenge: first, sender: sender)
        #expect(second.protectionSpace == space)
        #expect(second.previousFailureCount == 2)
        #expect((second.error as? CurlNetworking.URLError)?.code == .timedOut)
        let asked = try #require(second.sender)
        asked.use(URLCredential(user: "ada", password: "", persistence: .none), for: second)
        asked.performDefaultHandling(for: second)  // may be left out
        asked.rejectProtectionSpaceAndContinue(with: second)
        asked.cancel(second)
        #expect(sender.said.withLock { $0 } == ["use ada", "cancel"])
    }
}
