import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// The log-ins by Digest of curl's `tests/data`, told again, each with the number of curl's case. Without `qop`
/// nothing in an answer is random: each is compared letter by letter.
@Suite(.timeLimit(.minutes(1))) struct CurlDigestTests {
    struct LogIn: Sendable {
        var number: Int
        var path: String
        var method = "GET"
        var user = "testuser"
        var password = "testpass"
        var challenges: [String]
        var name = "testuser"
        var response: String
    }

    private static func one(_ number: Int, _ challenges: String..., response: String) -> LogIn {
        LogIn(number: number, path: "/\(number)", challenges: challenges, response: response)
    }

    static let logIns: [LogIn] = [
        one(
            1095, "Digest realm=\"test \\\"this\\\" realm!!\", nonce=\"1053604145\"",
            response: "df3246f44d2bc8de0e9f8fc4d7cf6e95"),
        LogIn(
            number: 1229, path: "/1229", user: "\\user\"", password: "password",
            challenges: ["Digest realm=\"testrealm\", nonce=\"1053604145\""], name: "\\user\"",
            response: "f2694d426040712584c156d3de72b8d6"),
        LogIn(
            number: 245, path: "/245", method: "POST", user: "auser", password: "apasswd",
            challenges: ["Digest realm=\"testrealm\", nonce=\"1053604144\""], name: "auser",
            response: "379a439b1737ba257c1d2f103914b18b"),
        one(
            273, "Digest realm=\"testrealm\", nonce=\"1053604145\"",
            "Digest realm=\"testrealm\", nonce=\"1053604145\"",
            response: "576ae57b1db0039f8c0de43ef58e49e3"),
        // The stronger scheme is taken, in whatever order they come; NTLM is not spoken here.
        one(
            72, "Basic realm=\"foothis\"", "Digest realm=\"testrealm\", nonce=\"1053604199\"",
            response: "9fcd1330377365a09bbcb33b2cbb25bd"),
        one(
            70, "Digest realm=\"testrealm\", nonce=\"1053604199\"", "NTLM",
            response: "2c9a6f00af0d86497b177b90e90c688a"),
        one(
            2061, "Digest realm=\"testrealm\", nonce=\"1053604145\", algorithm=\"SHA-256\"",
            response: "9dc55255f1a2537b838311674b621d45346b862a81631bb20e4ce356ef25062d"),
        one(
            2062,
            "Digest realm=\"testrealm\", nonce=\"1053604145\", algorithm=\"SHA-512-256\", userhash=false",
            response: "9d3256ee6526ec40dd48743bb48e51ee9baba587c78f15c3a86166242150af98"),
        LogIn(
            number: 2063, path: "/2063",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604145\", algorithm=\"SHA-256\", userhash=true"
            ],
            name: "75af8a3500f771e58a52093a25e7905d6e428a511285c12ea1420c73078dfd61",
            response: "6c470aec384ab1d4e12d3ce1f5b08303d8cad177e52ebe50ec1a3e141adb0cdc"),
        LogIn(
            number: 2076, path: "/2076?query",
            challenges: ["Digest realm=\"testrealm\", nonce=\"1\""],
            response: "5758bd3bbde7f33236e6ccd278eb59af"),
        LogIn(
            number: 2091, path: "/20910001",
            challenges: ["Digest realm = \"OWS Realm\" , nonce  =  \"1053604145\""],
            response: "b6c8f707f7781c272e79489771185713"),
        LogIn(
            number: 2091, path: "/20910003",
            challenges: ["Digest realm=\"My \\\"Cool\\\" Realm\", nonce=\"1053604146\""],
            response: "f10c1586b83b6e5927fef54748f88d36"),
        LogIn(
            number: 2024, path: "/20240200",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1\"", "Basic realm=\"testrealm\"",
            ], response: "ed646c565f79e2dd9fa37cb5a621213c"),
        // Uploads. What curl goes on with from the middle has another method, and no body here.
        LogIn(
            number: 88, path: "/88", method: "PUT", user: "testuser", password: "testpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604145\""
            ], name: "testuser", response: "78a49fa53d0c228778297687d4168e71"),
        LogIn(
            number: 154, path: "/154", method: "PUT", user: "testuser", password: "testpass",
            challenges: [
                "Blackmagic realm=\"gimme all yer s3cr3ts\"",
                "Basic realm=\"gimme all yer s3cr3ts\"",
                "Digest realm=\"gimme all yer s3cr3ts\", nonce=\"11223344\"",
            ], name: "testuser", response: "b71551e12d1c456e47d8388ecb2edeca"),
        LogIn(
            number: 246, path: "/246", method: "POST", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "761e6fc9a760c39d587092e8d840e740"),
        LogIn(
            number: 565, path: "/565", method: "POST", user: "foo", password: "bar",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "foo", response: "877424f750af047634dbd94f9933217b"),
        LogIn(
            number: 1001, path: "/1001", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "6af4d89c952f4dd4cc215a6878dc499d"),
        LogIn(
            number: 1002, path: "/1002.upload1", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "198aa9b6acb4b0c71d02a197a5e41f54"),
        LogIn(
            number: 1002, path: "/1002.upload2", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "d711f0d2042786d930de635ba0d1a1d0"),
        LogIn(
            number: 1030, path: "/1030", method: "PUT", user: "testuser", password: "testpass",
            challenges: [
                "Blackmagic realm=\"gimme all yer s3cr3ts\"",
                "Basic realm=\"gimme all yer s3cr3ts\"",
                "Digest realm=\"gimme all yer s3cr3ts\", nonce=\"11223344\"",
            ], name: "testuser", response: "01cb59db1ddaac246b072d5f5f0716d9"),
        LogIn(
            number: 1079, path: "/1079", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604145\""
            ], name: "testuser", response: "e340c7cdca0950462070f46ee139e9f7"),
        LogIn(
            number: 1284, path: "/1284", method: "POST", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "5763079608de439072861a59ac733515"),
        LogIn(
            number: 1285, path: "/1285", method: "PUT", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604144\""
            ], name: "auser", response: "dc185587d5e8391b347eef194c2a3cd6"),
        LogIn(
            number: 1412, path: "/1412", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Blackmagic realm=\"gimme all yer s3cr3ts\"",
                "Basic realm=\"gimme all yer s3cr3ts\"",
                "Digest realm=\"gimme all yer s3cr3ts\", nonce=\"11223344\"",
            ], name: "testuser", response: "0390dbe89e31adca0413d11f91f30e7f"),
        LogIn(
            number: 1412, path: "/14120001", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Blackmagic realm=\"gimme all yer s3cr3ts\"",
                "Basic realm=\"gimme all yer s3cr3ts\"",
                "Digest realm=\"gimme all yer s3cr3ts\", nonce=\"11223344\"",
            ], name: "testuser", response: "0085df91870374c8bf4e94415e7fbf8e"),
        LogIn(
            number: 1568, path: "/1568", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"1053604145\""
            ], name: "testuser", response: "9cbbd857a37e45f2bcad5c7d088191df"),
        LogIn(
            number: 2026, path: "/20260300", method: "GET", user: "testuser", password: "wrongpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"3\"",
                "Basic realm=\"testrealm\"",
            ], name: "testuser", response: "132242e602882251929be93228c830ae"),
        LogIn(
            number: 2027, path: "/20270200", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"2\""
            ], name: "testuser", response: "785ca3ef511999f7e9c178195f5b388c"),
        LogIn(
            number: 2027, path: "/20270400", method: "GET", user: "testuser", password: "wrongpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"5\""
            ], name: "testuser", response: "f5906785511fb60a2af8b1cd53008ead"),
        LogIn(
            number: 2027, path: "/20270500", method: "GET", user: "testuser", password: "testpass",
            challenges: [
                "Digest realm=\"testrealm\", nonce=\"7\""
            ], name: "testuser", response: "8ef4d935fd964a46c3965c0863b52cf1"),
        LogIn(
            number: 2058, path: "/2058", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-256\", nonce=\"1053604144\""
            ], name: "auser",
            response: "fbed69f9f3fd304c8f1acb1a43eb32688b933c0e28055c16b926cbcec070aeed"),
        LogIn(
            number: 2059, path: "/2059", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-256\", nonce=\"1053604144\", userhash=true"
            ], name: "fddc3bc7b753b73ab0848fd83cb20cbbca971258eb8d20c941dd5e0b010d66be",
            response: "22d200df1fd02a9d3a7269ef5bbb5bf8f16f184a74907df9b64a3755489c0b42"),
        LogIn(
            number: 2060, path: "/2060", method: "GET", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-512-256\", nonce=\"1053604144\""
            ], name: "auser",
            response: "691867f4a06c79fd0a175c1857e3df7015f6fff3ce8676497d2f1f805b5a8eca"),
        LogIn(
            number: 2067, path: "/2067", method: "POST", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-256\", nonce=\"1053604144\""
            ], name: "auser",
            response: "67b97af219c92fa7e8685e5bebb8e74892f6c6792e911c52bd2dfbf0b49272eb"),
        LogIn(
            number: 2068, path: "/2068", method: "POST", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-512-256\", nonce=\"1053604144\""
            ], name: "auser",
            response: "0ba2f7ec8045446588eea82bb0c3812aedb05f4eac8883ea65040a52e9c5629e"),
        LogIn(
            number: 2069, path: "/2069", method: "POST", user: "auser", password: "apasswd",
            challenges: [
                "Digest realm=\"testrealm\", algorithm=\"SHA-256\", nonce=\"1053604144\", userhash=true"
            ], name: "fddc3bc7b753b73ab0848fd83cb20cbbca971258eb8d20c941dd5e0b010d66be",
            response: "9a29f1dab407e62daa7121185f9f12db6177415e03f35d9a881550095a83378d"),
    ]

    @Test(arguments: logIns.indices) func answersAChallenge(index: Int) async throws {
        let one = Self.logIns[index]
        // 246: the server asks for the body before it says that it wants a password.
        let interim = one.number == 246 ? "HTTP/1.1 100 Continue\r\n\r\n" : ""
        let server = try LoopbackServer { request in
            request["Authorization"] == nil
                ? [
                    .send(interim),
                    .answer(
                        "401 Authorization Required",
                        one.challenges.map { "WWW-Authenticate: " + $0 }, body: "no"),
                ] : [.answer(body: "in")]
        }
        let book = ChallengeBook(user: one.user, password: one.password)
        let session = makeSession(answering: book)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url(one.path))
        request.httpMethod = one.method
        if one.method != "GET" { request.httpBody = Data("junkelijunk".utf8) }
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "in")
        let sent = try #require(server.requests.last?["Authorization"])
        #expect(sent.contains("response=\"\(one.response)\""), "\(one.number): \(sent)")
        #expect(sent.contains("username=\"\(escaped(one.name))\""), "\(sent)")
        #expect(sent.contains("uri=\"\(one.path)\""), "\(sent)")
        #expect(server.requests.count == 2)
    }

    /// 65, 2064, 2065, 2066: the second 401 is the answer when there is no other password.
    @Test(arguments: [
        ("/65", "", "66d68d3251f1839576ba7c766cf9205b"),
        (
            "/2065", ", algorithm=\"SHA-512-256\"",
            "0373a49d7d352ff54884faaf762fc6c89281b4112ad8fcbbe1d1ee52dcf7a802"
        ),
    ])
    func aWrongPasswordIsToldByTheServer(path: String, algorithm: String, response: String)
        async throws
    {
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "401 No",
                    [
                        "WWW-Authenticate: Digest realm=\"testrealm\", nonce=\"2053604145\""
                            + algorithm
                    ], body: "still a bad password")
            ]
        }
        let book = ChallengeBook(user: "testuser", password: "test2pass")
        let session = makeSession(answering: book)
        defer { session.invalidateAndCancel() }
        let (data, answer) = try await session.data(from: server.url(path))
        #expect((answer as? HTTPURLResponse)?.statusCode == 401)
        #expect(String(decoding: data, as: UTF8.self) == "still a bad password")
        #expect(server.requests.last?["Authorization"]?.contains(response) == true)
        #expect(server.requests.count == 2)
        #expect(book.challenges.map(\.previousFailureCount) == [0, 1])
    }

    /// 153 and 388: the nonce serves the next request unasked; when the server says it is stale, the new one
    /// does, without a question to anybody. Of several kinds of protection one that is known is taken.
    @Test(arguments: ["qop=\"auth\"", "qop=\"crazy, auth\""])
    func aStaleNonceIsReplacedUnasked(protection: String) async throws {
        let server = try LoopbackServer { request in
            let sent = request["Authorization"] ?? ""
            if sent.isEmpty {
                return [
                    .answer(
                        "401 No",
                        ["WWW-Authenticate: Digest realm=\"testrealm\", nonce=\"1053604145\""])
                ]
            }
            guard request.target == "/1530002", sent.contains("1053604145") else {
                return [.answer(body: "in")]
            }
            return [
                .answer(
                    "401 Again",
                    [
                        "WWW-Authenticate: Digest realm=\"testrealm\", algorithm=MD5, "
                            + "nonce=\"999999\", stale=true, \(protection)"
                    ])
            ]
        }
        let book = ChallengeBook(user: "testuser", password: "testpass")
        let session = makeSession(answering: book)
        defer { session.invalidateAndCancel() }
        for path in ["/1530001", "/1530002"] {
            let (data, _) = try await session.data(from: server.url(path))
            #expect(String(decoding: data, as: UTF8.self) == "in")
        }
        let sent = server.requests.map { $0["Authorization"] }
        #expect(sent.count == 4)
        #expect(sent.first == .some(nil))
        #expect(sent[1]?.contains("f4f83139396995bac665f24a1f1055c7") == true)
        #expect(sent[2]?.contains("f84511b014fdd0ba6494f42871079c32") == true)
        #expect(sent[3]?.contains("nonce=\"999999\"") == true)
        #expect(sent[3]?.contains("nc=00000001") == true)
        #expect(sent[3]?.contains("qop=auth,") == true)
        #expect(book.challenges.count == 1)
    }

    /// 1286: a redirect within the protected space counts the nonce on.
    @Test func aRedirectUsesTheNonceAgain() async throws {
        let server = try LoopbackServer { request in
            guard request["Authorization"] != nil else {
                return [
                    .answer(
                        "401 No",
                        [
                            "WWW-Authenticate: Digest realm=\"testrealm\", "
                                + "nonce=\"1053604144\", qop=\"auth\""
                        ])
                ]
            }
            return request.target == "/1286"
                ? [.answer("302 X", ["Location: /12860001"])] : [.answer("404 Not Found")]
        }
        let session = makeSession(
            answering: ChallengeBook(user: "auser", password: "apasswd"))
        defer { session.invalidateAndCancel() }
        let (_, response) = try await session.data(from: server.url("/1286"))
        #expect((response as? HTTPURLResponse)?.statusCode == 404)
        let sent = server.requests.map { $0["Authorization"] ?? "" }
        #expect(sent.count == 3)
        #expect(sent[1].contains("nc=00000001") && sent[2].contains("nc=00000002"))
        #expect(sent[2].contains("uri=\"/12860001\""))
    }

    /// 1437: a parameter that is there twice.
    @Test func aParameterTwiceIsAnsweredWithOneOfThem() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"] == nil
                ? [
                    .answer(
                        "401 No",
                        [
                            "WWW-Authenticate: Digest realm=\"testrealm\", algorithm=MD5, "
                                + "algorithm=MD5, nonce=1, nonce=2"
                        ])
                ] : [.answer(body: "in")]
        }
        let session = makeSession(
            answering: ChallengeBook(user: "testuser", password: "testpass"))
        defer { session.invalidateAndCancel() }
        let (data, _) = try await session.data(from: server.url("/1437"))
        #expect(String(decoding: data, as: UTF8.self) == "in")
        #expect(server.requests.count == 2)
    }

    /// 175: a server that wants no password gets none.
    @Test func nothingIsToldUnasked() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "in")] }
        let book = ChallengeBook(user: "auser", password: "apasswd")
        let session = makeSession(answering: book)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url("/175"))
        request.httpMethod = "POST"
        request.httpBody = Data("junkelijunk".utf8)
        _ = try await session.data(for: request)
        #expect(server.requests.map { $0["Authorization"] } == [nil])
        #expect(server.requests.map(\.text) == ["junkelijunk"])
        #expect(book.challenges.isEmpty)
    }

    /// 168 and 335: the proxy has a password, and the server behind it another. What the proxy is shown is of the
    /// whole URL, which is the target of such a request (RFC 7616 §3.4); curl's is of its path.
    @Test(arguments: [
        (168, "2199657971d6c914b7b3219667eca698", "bfecb43898f3db12543650d45493313b"),
        (335, "346ca9aa3afe78b931ee28dad3c3dbf2", "ea0f4cb7a119a1a6f6c6c6c2e4190860"),
    ])
    func aProxyAndAServer(number: Int, outer: String, inner: String) async throws {
        let proxy = try LoopbackServer { request in
            if request["Proxy-Authorization"] == nil {
                let field = "Proxy-Authenticate: Digest realm=\"weirdorealm\", nonce=\"12345\""
                return [.answer("407 Who", [field])]
            }
            if request["Authorization"] == nil {
                let field = "WWW-Authenticate: Digest realm=\"realmweirdo\", nonce=\"123456\""
                return [.answer("401 Who", [field])]
            }
            return [.answer(body: "in")]
        }
        let book = ChallengeBook { challenge in
            let isProxy = challenge.protectionSpace.isProxy()
            return (
                .useCredential,
                URLCredential(
                    user: isProxy ? "foo" : "digest",
                    password: isProxy ? "bar" : "a-lot",
                    persistence: .forSession)
            )
        }
        let session = CurlNetworkingTests.makeSession(
            TaskChallengeDelegate(book), proxy.asProxy)
        defer { session.invalidateAndCancel() }
        let host = "data.from.server.requiring.digest.hohoho.com"
        let url = try #require(URL(string: "http://\(host)/\(number)"))
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "in")
        let last = try #require(proxy.requests.last)
        #expect(last["Proxy-Authorization"]?.contains("response=\"\(outer)\"") == true)
        #expect(last["Authorization"]?.contains("response=\"\(inner)\"") == true)
        #expect(proxy.requests.count == 3)
    }

    private func makeSession(answering book: ChallengeBook) -> URLSession {
        URLSession(
            configuration: .ephemeral, delegate: TaskChallengeDelegate(book), delegateQueue: nil)
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
