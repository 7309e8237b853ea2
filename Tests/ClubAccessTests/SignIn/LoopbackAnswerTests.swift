import ClubStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubAccess

/// The listener on 127.0.0.1 that receives the browser's redirect.
@Suite struct LoopbackAnswerTests {
    private func get(_ target: String, from door: LoopbackAnswer) async throws -> String {
        try await LoopbackClient.send(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(door.port)\r\n\r\n", toPort: door.port)
    }

    @Test func givesTheQueryAndOneSmallPage() async throws {
        let door = try LoopbackAnswer()
        #expect(door.redirect.absoluteString == "http://127.0.0.1:\(door.port)/")
        async let query = door.wait()
        let page = try await get("/?code=a%20b&state=c", from: door)
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(page.contains("Cache-Control: no-store\r\n"))
        #expect(page.contains("Referrer-Policy: no-referrer\r\n"))
        #expect(page.utf8.count < 1024)
        #expect(try await query == "code=a%20b&state=c")
    }

    @Test func leadsToThePageOnce() async throws {
        let door = try LoopbackAnswer()
        let page = try #require(URL(string: "https://dropbox.test/oauth2/authorize?state=secret"))
        #expect(!door.entrance.absoluteString.contains("secret"))
        async let query = door.wait(leadingTo: page)
        // Who does not know the way is not led.
        #expect(try await get("/open/", from: door).hasPrefix("HTTP/1.1 404 "))
        let first = try await get(door.entrance.path, from: door)
        #expect(first.hasPrefix("HTTP/1.1 303 "))
        #expect(first.contains("\r\nLocation: \(page.absoluteString)\r\n"))
        #expect(first.contains("\r\nCache-Control: no-store\r\n"))
        let second = try await get(door.entrance.path, from: door)
        #expect(second.hasPrefix("HTTP/1.1 410 "))
        #expect(!second.contains("secret"))
        _ = try await get("/?x", from: door)
        #expect(try await query == "x")
    }

    @Test func knowsWhoseAConnectionIs() throws {
        let door = try LoopbackAnswer()
        let client = try LoopbackClient.connect(toPort: door.port)
        defer { close(client) }
        // Seen from the other end, the door's side is the peer.
        #expect(LoopbackPeer.user(of: client) == getuid())
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:CF7D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0
               1: 0100007F:9C40 0100007F:CF7D 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0
               2: 0000000000000000FFFF00000100007F:9C41 0000000000000000FFFF00000100007F:CF7D 01 0:0 0:0 0  1002 0 3
            """
        func user(_ port: String) -> uid_t? {
            LoopbackPeer.user(from: "0100007F:" + port, to: "0100007F:CF7D", in: table)
        }
        #expect(user("9C40") == 1001)
        #expect(user("9C41") == 1002)
        #expect(user("9C42") == nil)
        #expect(LoopbackPeer.user(from: "x", to: "y", in: "nonsense\n\n a b") == nil)
    }

    @Test func silentConnectionsDoNotHoldUpTheAnswer() async throws {
        let door = try LoopbackAnswer()
        async let query = door.wait()
        // Like a browser that connects in advance.
        let silent = try (0..<(LoopbackAnswer.connectionLimit - 1)).map { _ in
            try LoopbackClient.connect(toPort: door.port)
        }
        defer { for descriptor in silent { close(descriptor) } }
        _ = try await get("/?x", from: door)
        #expect(try await query == "x")
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
        ("GET /favicon.ico HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
        ("GET /other?code=a HTTP/1.1\r\nHost: HOST\r\n\r\n", "404"),
        ("GET /?code=a HTTP/1.1\r\nHost: localhost:1\r\n\r\n", "400"),
        ("GET /?code=a HTTP/1.1\r\n\r\n", "400"),
        ("GET /?code=a HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", "400"),
        ("POST /?code=a HTTP/1.1\r\nHost: HOST\r\n\r\n", "400"),
        ("\r\n\r\n", "400"),
    ])
    func whatIsNoAnswerIsSentAway(request: String, status: String) async throws {
        let door = try LoopbackAnswer()
        async let query = door.wait()
        let answer = try await LoopbackClient.send(
            request.replacing("HOST", with: "127.0.0.1:\(door.port)"), toPort: door.port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        _ = try await get("/?x", from: door)
        #expect(try await query == "x")
    }

    /// Any page can send the browser here while somebody signs in.
    @Test func onlyTheAnswerOfThisSignInEndsTheWait() async throws {
        let door = try LoopbackAnswer()
        let signIn = DropboxOAuth(app: DropboxApp(key: "k"), redirect: door.redirect)
        let page = try #require(URLComponents(string: signIn.authorizationURL.absoluteString))
        let state = try #require(page.queryItems?.first { $0.name == "state" }?.value)
        async let query = door.wait { signIn.isOwnRedirect($0) }
        for forged in ["/?code=x", "/?code=x&state=", "/?code=x&state=guess", "/?error=denied"] {
            #expect(try await get(forged, from: door).hasPrefix("HTTP/1.1 404 "))
        }
        #expect(try await get("/?code=y&state=\(state)", from: door).hasPrefix("HTTP/1.1 200 "))
        #expect(try signIn.code(fromRedirect: try await query) == "y")
    }

    @Test func doesNotWaitForEver() async throws {
        let door = try LoopbackAnswer()
        await #expect(throws: LoopbackError.timedOut) {
            try await door.wait(atMost: .milliseconds(50))
        }
    }

    @Test func canBeStopped() async throws {
        let door = try LoopbackAnswer()
        let waiting = Task { try await door.wait() }
        waiting.cancel()
        await #expect(throws: LoopbackError.cancelled) { try await waiting.value }
    }

    /// Without free descriptors nothing can be accepted, while the listener stays readable.
    @Test func doesNotSpinWhenNobodyCanBeLetIn() async throws {
        let calls = Mutex(0)
        let door = try LoopbackAnswer { listener in
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls <= 2
            }
            guard isFirst else { return accept(listener, nil, nil) }
            errno = EMFILE
            return -1
        }
        let began = ContinuousClock.now
        async let query = door.wait()
        _ = try await get("/?x", from: door)
        #expect(try await query == "x")
        #expect(ContinuousClock.now - began >= LoopbackAnswer.pause * 2)
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func saysWhenThePortIsTaken() throws {
        let door = try LoopbackAnswer()
        let error = #expect(throws: LoopbackError.self) { try LoopbackAnswer(port: door.port) }
        #expect(error == .portTaken(door.port))
        for words in ["port \(door.port) ", "--no-browser", "--redirect-port"] {
            #expect(error?.description.contains(words) == true)
        }
    }

    /// Dropbox leads only to a registered port, also when a gateway replaces its API.
    @Test func waitsOnNoOtherPortThanTheOneOfTheApp() throws {
        let door = try LoopbackAnswer()
        let app = DropboxApp(key: "k", gateway: URL(string: "https://gateway.test"))
        let error = #expect(throws: SignInError.self) {
            try DropboxAuthorization.ByBrowser(app, port: door.port)
        }
        guard case .noAnswer(.portTaken(door.port)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
