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
    ]

    @Test(arguments: logIns.indices) func answersAChallenge(index: Int) async throws {
        let one = Self.logIns[index]
        let server = try LoopbackServer { request in
            request["Authorization"] == nil
                ? [
                    .answer(
                        "401 Authorization Required",
                        one.challenges.map { "WWW-Authenticate: " + $0 }, body: "no")
                ] : [.answer(body: "in")]
        }
        let book = ChallengeBook(user: one.user, password: one.password)
        let session = makeSession(answering: book)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url(one.path))
        request.httpMethod = one.method
        if one.method == "POST" { request.httpBody = Data("junkelijunk".utf8) }
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

    private func makeSession(answering book: ChallengeBook) -> URLSession {
        URLSession(
            configuration: .ephemeral, delegate: TaskChallengeDelegate(book), delegateQueue: nil)
    }

    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
