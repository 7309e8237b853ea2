import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

@Suite(.timeLimit(.minutes(2))) struct ProxyTests {
    private let ada = URLCredential(user: "ada", password: "pw", persistence: .forSession)

    private func use(_ proxy: LoopbackServer) -> @Sendable (URLSessionConfiguration) -> Void {
        { [port = proxy.port] in
            $0.connectionProxyDictionary = [
                kCFNetworkProxiesHTTPEnable: true, kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPPort: Int(port), kCFNetworkProxiesHTTPSEnable: true,
                kCFNetworkProxiesHTTPSProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPSPort: Int(port),
            ]
        }
    }

    // MARK: - Plain

    @Test func aPlainURLIsAskedOfTheProxy() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let session = makeSession(nil, use(proxy))
        let (body, _) = try await session.data(
            from: try #require(URL(string: "http://a.test/b?c=d#e")))
        #expect(body == Data("proxied".utf8))
        let request = try #require(proxy.requests.first)
        #expect(request.head.hasPrefix("GET http://a.test/b?c=d HTTP/1.1\r\nHost: a.test\r\n"))
        #expect(request["Proxy-Authorization"] == nil)
    }

    @Test func anInternationalNameGoesOutInASCII() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let session = makeSession(nil, use(proxy))
        _ = try await session.data(from: try #require(URL(string: "http://bücher.test/ü")))
        let request = try #require(proxy.requests.first)
        #expect(request.target == "http://xn--bcher-kva.test/%C3%BC")
        #expect(request["Host"] == "xn--bcher-kva.test")
    }

    /// The proxy looks the name up: it never reaches the resolver here.
    @Test func aSOCKSProxyIsToldTheName() async throws {
        let host = "socks.test"
        let proxy = try LoopbackServer(talking: { peer in
            // As many ways to log in are offered as libcurl was built with: none will do.
            guard let count = peer.read(2)?.last, peer.read(Int(count)) != nil else { return }
            peer.send("\u{5}\0")
            guard peer.read(7 + host.utf8.count) != nil else { return }
            peer.send("\u{5}\0\0\u{1}\u{7F}\0\0\u{1}\0P")
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ntunnelled")
            peer.readToEnd()
        })
        let session = makeSession {
            $0.connectionProxyDictionary = [
                "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port),
            ]
        }
        let (body, _) = try await session.data(
            from: try #require(URL(string: "http://\(host):8080/a")))
        #expect(body == Data("tunnelled".utf8))
        let received = proxy.received(on: 0)
        let greeting = 2 + Int(received.dropFirst().first ?? 0)
        #expect(received.first == 5)
        let connect = [5, 1, 0, 3, UInt8(host.utf8.count)] + host.utf8 + [0x1F, 0x90]
        #expect(Array(received.dropFirst(greeting).prefix(connect.count)) == connect)
        let request = String(decoding: received.dropFirst(greeting + connect.count), as: UTF8.self)
        #expect(request.hasPrefix("GET /a HTTP/1.1\r\nHost: socks.test:8080\r\n"))
    }

    @Test func exceptionsGoStraight() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let server = try LoopbackServer { _ in [.answer(body: "straight")] }
        let change = use(proxy)
        let session = makeSession {
            change($0)
            $0.connectionProxyDictionary?[kCFNetworkProxiesExceptionsList] = ["127.0.0.0/8"]
        }
        #expect(try await session.data(from: server.url()).0 == Data("straight".utf8))
        #expect(proxy.requests.isEmpty)
    }

    @Test(arguments: [
        ("Basic realm=p", NSURLAuthenticationMethodHTTPBasic),
        (
            "Digest realm=p, nonce=n, qop=auth, algorithm=SHA-256",
            NSURLAuthenticationMethodHTTPDigest
        ),
    ])
    func aPlainProxyGetsAProof(challenge: String, method: String) async throws {
        let proxy = try LoopbackServer { request in
            request["Proxy-Authorization"] == nil
                ? [.answer("407 No", ["Proxy-Authenticate: \(challenge)"], body: "no")]
                : [.answer(body: "proxied")]
        }
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book), use(proxy))
        let url = try #require(URL(string: "http://a.test/b"))
        for _ in 0..<2 {
            #expect(try await session.data(from: url).0 == Data("proxied".utf8))
        }
        #expect(book.challenges.count == 1)
        #expect(proxy.requests.count == 3)
        let space = try #require(book.challenges.first?.protectionSpace)
        #expect(space.isProxy())
        #expect(space.proxyType == NSURLProtectionSpaceHTTPProxy)
        #expect(space.authenticationMethod == method)
        #expect(space.host == "127.0.0.1")
        #expect(space.port == Int(proxy.port))
        #expect(space.realm == "p")
        let proof = try #require(proxy.requests.last?["Proxy-Authorization"])
        #expect(proxy.requests.last?["Authorization"] == nil)
        if method == NSURLAuthenticationMethodHTTPBasic {
            #expect(proof == "Basic YWRhOnB3")
        } else {
            try expectDigest(proof, method: "GET", uri: "http://a.test/b")
        }
    }

    @Test func withoutAProofThe407IsTheAnswer() async throws {
        let proxy = try LoopbackServer { _ in
            [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"], body: "no")]
        }
        let session = makeSession(nil, use(proxy))
        let url = try #require(URL(string: "http://a.test/"))
        #expect(status(try await session.data(from: url).1) == 407)
    }

    @Test func serverAndProxyEachGetTheirOwn() async throws {
        let proxy = try LoopbackServer { request in
            if request["Proxy-Authorization"] != "Basic cDpx" {
                return [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"], body: "no")]
            }
            if request["Authorization"] != "Basic YWRhOnB3" {
                return [.answer("401 No", ["WWW-Authenticate: Basic realm=s"], body: "no")]
            }
            return [.answer(body: "in")]
        }
        let credential = ada
        let book = ChallengeBook { challenge in
            (
                .useCredential,
                challenge.protectionSpace.isProxy()
                    ? URLCredential(user: "p", password: "q", persistence: .forSession)
                    : credential
            )
        }
        let session = makeSession(TaskChallengeDelegate(book), use(proxy))
        let url = try #require(URL(string: "http://a.test/"))
        #expect(status(try await session.data(from: url).1) == 200)
        #expect(book.challenges.map { $0.protectionSpace.isProxy() } == [true, false])
        #expect(status(try await session.data(from: url).1) == 200)
        #expect(proxy.requests.count == 4)
    }

    @Test func theDictionarysOwnNameAnswers() async throws {
        let proxy = try LoopbackServer { request in
            request["Proxy-Authorization"] == "Basic YWRhOnB3"
                ? [.answer(body: "in")]
                : [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"], body: "no")]
        }
        let change = use(proxy)
        let session = makeSession {
            change($0)
            $0.connectionProxyDictionary?[kCFProxyUsernameKey] = "ada"
            $0.connectionProxyDictionary?[kCFProxyPasswordKey] = "pw"
        }
        let url = try #require(URL(string: "http://a.test/"))
        #expect(status(try await session.data(from: url).1) == 200)
    }

    /// A field for proxies never gets to a server.
    @Test func aRequestsOwnProxyAuthorizationIsForProxiesAlone() async throws {
        let proxy = try LoopbackServer { _ in [.answer(body: "proxied")] }
        let server = try LoopbackServer { _ in [.answer(body: "straight")] }
        var request = URLRequest(url: server.url())
        request.setValue("Basic x", forHTTPHeaderField: "Proxy-Authorization")
        _ = try await makeSession().data(for: request)
        #expect(server.requests.first?["Proxy-Authorization"] == nil)
        _ = try await makeSession(nil, use(proxy)).data(for: request)
        #expect(proxy.requests.first?.values(of: "Proxy-Authorization") == ["Basic x"])
    }

    // MARK: - Tunnels

    @Test(
        .enabled(if: OpenSSLCommand.isInstalled),
        arguments: ["", "Basic realm=p", "Digest realm=p, nonce=n, qop=auth, algorithm=SHA-256"])
    func aTunnelIsMadeWithAProof(challenge: String) async throws {
        let shop = try CertificateShop()
        let host = try TLSHost(try shop.make())
        let port = UInt16(host.port)
        let proxy = try LoopbackServer { request in
            challenge.isEmpty || request["Proxy-Authorization"] != nil
                ? [.send("HTTP/1.1 200 Established\r\nX-Proxy: p\r\n\r\n"), .relay(to: port)]
                : [.answer("407 No", ["Proxy-Authenticate: \(challenge)"], body: "from the proxy")]
        }
        let book = ChallengeBook { challenge in
            if let trust = challenge.protectionSpace.serverTrust {
                return (.useCredential, URLCredential(trust: trust))
            }
            return (
                .useCredential,
                URLCredential(user: "ada", password: "pw", persistence: .forSession)
            )
        }
        let session = makeSession(ChallengeDelegate(book), use(proxy))
        for _ in 0..<2 {
            let (body, response) = try await session.data(from: host.url())
            #expect(status(response) == 200)
            #expect(body == Data("in".utf8))
            // What the proxy says is never taken for the server's.
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Proxy") == nil)
        }
        #expect(host.requestCount == 2)
        #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
        #expect(proxy.requests.allSatisfy { $0.target == "localhost:\(port)" })
        #expect(proxy.requests.allSatisfy { $0["Authorization"] == nil })
        guard !challenge.isEmpty else { return #expect(proxy.requests.count == 1) }
        #expect(proxy.requests.count == 2)
        let space = try #require(
            book.challenges.first { $0.protectionSpace.isProxy() }?.protectionSpace)
        #expect(space.proxyType == NSURLProtectionSpaceHTTPSProxy)
        #expect(book.challenges.count == 2)
        let proof = try #require(proxy.requests.last?["Proxy-Authorization"])
        if challenge.hasPrefix("Basic") {
            #expect(proof == "Basic YWRhOnB3")
        } else {
            try expectDigest(proof, method: "CONNECT", uri: "localhost:\(port)")
        }
    }

    @Test(.enabled(if: OpenSSLCommand.isInstalled))
    func theServerInTheTunnelSeesNothingOfTheProxys() async throws {
        let shop = try CertificateShop()
        let host = try TLSHost(try shop.make())
        let port = UInt16(host.port)
        let proxy = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .relay(to: port)]
        }
        var request = URLRequest(url: host.url())
        request.setValue("Basic x", forHTTPHeaderField: "Proxy-Authorization")
        let session = makeSession(ChallengeDelegate(.acceptingAll()), use(proxy))
        #expect(status(try await session.data(for: request).1) == 200)
        #expect(proxy.requests.first?["Proxy-Authorization"] == "Basic x")
        #expect(!host.transcript.contains("Proxy-"))
    }

    @Test func aTunnelThatIsNotOpened() async throws {
        let proxy = try LoopbackServer { request in
            request.target.hasPrefix("closed")
                ? [.answer("403 No", body: "no"), .close]
                : [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"], body: "no")]
        }
        for (session, host, code) in [
            (makeSession(nil, use(proxy)), "a.test", URLError.Code.userAuthenticationRequired),
            (
                makeSession(
                    TaskChallengeDelegate(ChallengeBook(user: "ada", password: "wrong")),
                    use(proxy)), "a.test", .userAuthenticationRequired
            ),
            (
                makeSession(
                    TaskChallengeDelegate(
                        ChallengeBook { _ in (.cancelAuthenticationChallenge, nil) }), use(proxy)),
                "a.test", .cancelled
            ),
            (makeSession(nil, use(proxy)), "closed.test", .cannotConnectToHost),
        ] {
            let url = try #require(URL(string: "https://\(host)/"))
            await #expect { try await session.data(from: url) } throws: { error in
                #expect((error as? URLError)?.code == code, "\(error)")
                return true
            }
        }
        #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
    }

    // MARK: - WebSockets

    @Test(
        arguments: ["", "Basic realm=p", "Digest realm=p, nonce=n, qop=auth, algorithm=SHA-256"])
    func aPlainWebSocketGoesThroughATunnel(challenge: String) async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .read(byteCount: 6 + 2),
                .send(serverFrame(0x81, Data("hello".utf8))), .stall,
            ]
        }
        let port = server.port
        let proxy = try LoopbackServer { request in
            challenge.isEmpty || request["Proxy-Authorization"] != nil
                ? [.send("HTTP/1.1 200 Established\r\nX-Proxy: p\r\n\r\n"), .relay(to: port)]
                : [.answer("407 No", ["Proxy-Authenticate: \(challenge)"], body: "from the proxy")]
        }
        let book = ChallengeBook(user: "ada", password: "pw")
        let session = makeSession(TaskChallengeDelegate(book), use(proxy))
        let task = session.webSocketTask(with: webSocketURL(server, "/socket"))
        task.resume()
        try await task.send(.string("hi"))
        guard case .string("hello") = try await task.receive() else {
            Issue.record("no text")
            return
        }
        task.cancel()
        #expect(server.requests.map(\.target) == ["/socket"])
        #expect(server.requests.first?["Proxy-Authorization"] == nil)
        // What the proxy says is never taken for the server's.
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.statusCode == 101)
        #expect(response.value(forHTTPHeaderField: "X-Proxy") == nil)
        #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
        #expect(proxy.requests.allSatisfy { $0.target == "127.0.0.1:\(port)" })
        #expect(proxy.requests.allSatisfy { $0["Sec-WebSocket-Key"] == nil })
        guard !challenge.isEmpty else { return #expect(proxy.requests.count == 1) }
        #expect(proxy.requests.count == 2)
        #expect(book.challenges.map { $0.protectionSpace.isProxy() } == [true])
        let proof = try #require(proxy.requests.last?["Proxy-Authorization"])
        if challenge.hasPrefix("Basic") {
            #expect(proof == "Basic YWRhOnB3")
        } else {
            try expectDigest(proof, method: "CONNECT", uri: "127.0.0.1:\(port)")
        }
    }

    @Test(arguments: [
        ("403 No", URLError.Code.cannotConnectToHost),
        ("407 No", URLError.Code.userAuthenticationRequired),
    ])
    func aWebSocketsTunnelThatIsNotOpened(status: String, code: URLError.Code) async throws {
        let proxy = try LoopbackServer { _ in
            [.answer(status, ["Proxy-Authenticate: Basic realm=p"], body: "no"), .close]
        }
        let session = makeSession(nil, use(proxy))
        let task = session.webSocketTask(with: try #require(URL(string: "ws://a.test/socket")))
        task.resume()
        await #expect { try await task.receive() } throws: { ($0 as? URLError)?.code == code }
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }

    private func expectDigest(_ proof: String, method: String, uri: String) throws {
        let given = try #require(HTTPChallenge.parse(proof).first)
        #expect(given["uri"] == uri)
        let hash = { DigestAlgorithm.sha256.hexHash($0) ?? "" }
        let secret = hash("ada:p:pw")
        let middle = "n:\(given["nc"] ?? ""):\(given["cnonce"] ?? ""):auth"
        #expect(given["response"] == hash("\(secret):\(middle):\(hash("\(method):\(uri)"))"))
    }
}
