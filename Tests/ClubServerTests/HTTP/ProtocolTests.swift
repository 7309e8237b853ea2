import ClubServer
import DropboxAPI
import Foundation
import Testing

/// What the server does with requests that are not as they should be.
@Suite struct ProtocolTests {
    private func exchange(
        _ club: TestClub, _ text: String, replies: Int = 1
    ) async throws -> [TestReply] {
        try await TestConnection.run {
            let connection = try club.connect()
            try connection.send(text)
            return try (0..<replies).map { _ in try connection.readReply() }
        }
    }

    @Test(arguments: [
        ("files/list_folder", "{\"path\":\"/\"}", "Specify the root folder as an empty string"),
        (
            "files/list_folder", "{\"path\":\"\",\"limit\":0}",
            "limit: 0 is not within range [1, 2000]"
        ),
        ("files/list_folder", "{\"path\":\"\",\"limit\":-1}", "limit"),
        ("files/list_folder", "{\"path\":\"\",\"limit\":\"5\"}", "limit: expected integer"),
        ("files/list_folder", "{\"path\":7}", "path: expected string"),
        ("files/list_folder", "{}", "missing required field 'path'"),
        ("files/list_folder", "{\"path\":\"\",\"nonsense\":1}", "unknown field 'nonsense'"),
        ("files/list_folder", "{\"path\":\"photos\"}", "path: 'photos' did not match pattern"),
        ("files/list_folder", "{\"path\":", "could not decode input as JSON"),
        ("files/list_folder", "", "expected object"),
        ("files/list_folder/continue", "{\"cursor\":\"\"}", "at least 1 characters"),
        ("files/list_folder/continue", "{\"cursor\":\"nonsense\"}", "Invalid \"cursor\""),
        ("files/list_folder/continue", "{\"path\":\"\"}", "unknown field 'path'"),
        ("files/get_metadata", "{\"path\":\"\"}", "path: The root folder is unsupported."),
        ("files/get_metadata", "{\"path\":\"rev:12\"}", "did not match pattern"),
        ("files/delete_v2", "{\"path\":\"/a\",\"parent_rev\":\"12\"}", "at least 9 characters"),
    ])
    func wrongArgumentsAreAnsweredInDropboxsWords(route: String, body: String, words: String)
        async throws
    {
        try await TestClub.with { (club: TestClub) async throws in
            let reply = try await club.send(
                path: "/2/" + route,
                headers: [
                    ("Authorization", "Bearer \(club.token)"), ("Content-Type", "application/json"),
                ], body: Array(body.utf8))
            #expect(reply.status == 400)
            #expect(reply.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(reply.text.hasPrefix("Error in call to API function \"\(route)\": "))
            #expect(reply.text.contains(words), "\(reply.text)")
        }
    }

    @Test func theArgumentOfAnUploadIsJudgedByItsHeader() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            func text(_ argument: String?) async throws -> String {
                var headers = [
                    ("Authorization", "Bearer \(club.token)"),
                    ("Content-Type", "application/octet-stream"),
                ]
                if let argument { headers.append(("Dropbox-API-Arg", argument)) }
                let reply = try await club.send(
                    path: Routes.upload.path, headers: headers, body: Array("x".utf8))
                #expect(reply.status == 400)
                return reply.text
            }
            #expect(try await text(nil).contains("Must provide HTTP header \"Dropbox-API-Arg\""))
            #expect(
                try await text("{\"path\":\"/a\",\"mode\":\"upsert\"}")
                    .contains("HTTP header \"Dropbox-API-Arg\": mode: unknown tag 'upsert'"))
            #expect(
                try await text("{\"path\":\"/a\",\"mode\":\"update\"}")
                    .contains("mode: expected object for 'update', got symbol"))
            #expect(
                try await text("{\"path\":\"/a\",\"client_modified\":\"2013-08-10\"}")
                    .contains("does not match format"))
            #expect(
                try await text("{\"path\":\"/a\",\"content_hash\":\"12\"}").contains(
                    "64 characters"))
        }
    }

    @Test func aWrongContentTypeIsRefused() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            func status(_ route: String, _ type: String?) async throws -> Int {
                var headers = [("Authorization", "Bearer \(club.token)")]
                if let type { headers.append(("Content-Type", type)) }
                headers.append(("Dropbox-API-Arg", "{\"path\":\"/none\"}"))
                return try await club.send(path: "/2/" + route, headers: headers).status
            }
            #expect(
                try await status("users/get_current_account", "application/x-www-form-urlencoded")
                    == 400)
            #expect(try await status("users/get_current_account", nil) == 200)
            #expect(
                try await status("users/get_current_account", "application/json; charset=UTF-8")
                    == 200)
            #expect(
                try await status("files/download", "application/x-www-form-urlencoded") == 400)
            #expect(try await status("files/download", "text/plain") == 409)
            #expect(try await status("files/upload", "application/json") == 400)
            #expect(try await status("files/upload", nil) == 400)
        }
    }

    @Test func unknownFunctionsAndMethodsAreToldSo() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let headers = [("Authorization", "Bearer \(club.token)")]
            let unknown = try await club.send(path: "/2/files/nonsense", headers: headers)
            #expect(unknown.status == 400)
            #expect(unknown.text == #"Unknown API function: "files/nonsense""#)
            #expect(try await club.send(path: "/", headers: headers).status == 404)
            let get = try await club.send(
                method: "GET", path: Routes.listFolder.path, headers: headers)
            #expect(get.status == 405)
            #expect(get.headers["allow"] == "POST")
        }
    }

    @Test func severalRequestsShareAConnection() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let request =
                "POST /2/check/user HTTP/1.1\r\nHost: c\r\nAuthorization: Bearer \(club.token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"query\":\"a\"}"
            let replies = try await exchange(club, request + "\r\n" + request + request, replies: 3)
            #expect(replies.map(\.status) == [200, 200, 200])
            #expect(replies.allSatisfy { $0.headers["connection"] == "keep-alive" })
        }
    }

    @Test func aRequestInSinglePiecesIsUnderstood() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let request =
                "POST /2/check/user HTTP/1.1\r\nHost: c\r\nAuthorization: Bearer \(club.token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"query\":\"a\"}"
            let reply = try await TestConnection.run {
                let connection = try club.connect()
                for byte in request.utf8 { try connection.send([byte]) }
                return try connection.readReply()
            }
            #expect(reply.text == "{\"result\":\"a\"}")
        }
    }

    @Test func aChunkedBodyIsUnderstood() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let reply = try await exchange(
                club,
                "POST /2/files/upload HTTP/1.1\r\nAuthorization: Bearer \(club.token)\r\n"
                    + "Content-Type: application/octet-stream\r\nDropbox-API-Arg: \(argument)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
                    + "5;name=value\r\nHello\r\n7\r\n, Felix\r\n0\r\nTrailer: x\r\n\r\n")
            #expect(reply.map(\.status) == [200])
            #expect(club.read("a.txt") == "Hello, Felix")
        }
    }

    @Test func aClientThatAsksIsToldToGoOn() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let head =
                "POST /2/files/upload HTTP/1.1\r\nAuthorization: Bearer \(club.token)\r\n"
                + "Content-Type: application/octet-stream\r\nDropbox-API-Arg: \(argument)\r\n"
                + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
            let statuses = try await TestConnection.run {
                let connection = try club.connect()
                try connection.send(head)
                let first = try connection.readReply().status
                try connection.send("Hello")
                return [first, try connection.readReply().status]
            }
            #expect(statuses == [100, 200])
            // And not when the answer is known without the body.
            let refused = try await exchange(club, head.replacing(club.token, with: "wrong"))
            #expect(refused.map(\.status) == [401])
        }
    }

    @Test func aRefusedUploadIsAnsweredWithoutTakingItsBodyForARequest() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let smuggled =
                "POST /2/check/user HTTP/1.1\r\nAuthorization: Bearer \(club.token)\r\n\r\n"
            let reply = try await TestConnection.run {
                let connection = try club.connect()
                try connection.request(
                    "POST", Routes.upload.path,
                    [
                        ("Authorization", "Bearer wrong"),
                        ("Content-Type", "application/octet-stream"),
                    ],
                    Array(String(repeating: smuggled, count: 40_000).utf8))
                let reply = try connection.readReply()
                #expect(try connection.readsEnd())
                return reply
            }
            #expect(reply.status == 401)
            #expect(reply.headers["connection"] == "close")
        }
    }

    @Test(arguments: [
        ("NONSENSE\r\n\r\n", 400), ("POST /2/x HTTP/2.0\r\n\r\n", 505),
        ("POST nowhere HTTP/1.1\r\n\r\n", 400), ("POST /x HTTP/1.1\r\nno colon\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nbad name: 1\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        ("POST /x HTTP/1.1\r\nX: " + String(repeating: "a", count: 70_000) + "\r\n\r\n", 431),
        ("POST /x HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 200) + "\r\n", 431),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", 400),
    ])
    func nonsenseIsAnsweredAndTheConnectionClosed(request: String, status: Int) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let reply = try await TestConnection.run {
                let connection = try club.connect()
                try connection.send(request)
                let reply = try connection.readReply()
                #expect(try connection.readsEnd())
                return reply
            }
            #expect(reply.status == status)
            // And others are served as if nothing had happened.
            #expect(try await club.list().entries.isEmpty)
        }
    }

    @Test func aMalformedChunkIsRefused() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let replies = try await exchange(
                club,
                "POST /2/files/upload HTTP/1.1\r\nAuthorization: Bearer \(club.token)\r\n"
                    + "Content-Type: application/octet-stream\r\nDropbox-API-Arg: \(argument)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nzz\r\nHello\r\n0\r\n\r\n")
            #expect(replies.map(\.status) == [400])
            #expect(!club.exists("a.txt"))
            #expect(club.staged.isEmpty)
        }
    }

    @Test func hundredsOfConnectionsThatSayNothingKeepNobodyOut() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let idle = try await TestConnection.run {
                try (0..<400).map { number in
                    let connection = try club.connect()
                    // The server may have closed it by then, to make room for others.
                    if number.isMultiple(of: 2) { try? connection.send("POST /2/files/") }
                    return connection
                }
            }
            #expect(try await club.list().entries.isEmpty)
            for connection in idle { connection.close() }
        }
    }

    @Test func callsOverTCPAreAnsweredAtOnce() async throws {
        try await TestClub.with(endpoint: .tcp(port: 0)) { (club: TestClub) async throws in
            let times = try await TestConnection.run {
                let connection = try club.connect()
                return try (0..<100).map { _ in
                    let begin = ContinuousClock.now
                    try connection.request(
                        "POST", Routes.checkUser.path,
                        [
                            ("Authorization", "Bearer \(club.token)"),
                            ("Content-Type", "application/json"),
                        ], Array("{\"query\":\"a\"}".utf8))
                    _ = try connection.readReply()
                    return ContinuousClock.now - begin
                }
            }
            // With answers in two segments, each but the first few waited 40 ms for an acknowledgement;
            // on a busy machine some wait for other reasons.
            #expect(times.dropFirst(20).sorted()[20] < .milliseconds(40))
        }
    }

    @Test(arguments: ["+2", "-2", "0x2", "2 2", "2x", " 2", "", ";a=b", "1000000000000000"])
    func aChunkWhoseSizeIsNoNumberIsRefused(size: String) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let replies = try await exchange(
                club,
                "POST /2/check/user HTTP/1.1\r\nHost: club\r\nAuthorization: Bearer \(club.token)\r\n"
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(size)\r\n{}\r\n0\r\n\r\n")
            #expect(replies[0].status == 400)
            #expect(replies[0].text == "The request's body is malformed.")
        }
    }

    @Test(arguments: ["2", "02", "2 ", "2;a=b", "2 ; a"])
    func aChunkMayHaveExtensions(size: String) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let replies = try await exchange(
                club,
                "POST /2/check/user HTTP/1.1\r\nHost: club\r\nAuthorization: Bearer \(club.token)\r\n"
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(size)\r\n{}\r\n0\r\n\r\n")
            #expect(replies[0].status == 200)
        }
    }

    @Test(arguments: ["\u{9B}", "\u{85}", "\u{7F}", "\u{1B}", "\u{202E}", "\u{2066}", "\u{2028}"])
    func nothingThatAClientSentSteersATerminal(character: String) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            for (path, status) in [("/x\(character)31m", 404), ("/2/x\(character)31m", 400)] {
                let reply = try await club.send(path: path)
                #expect(reply.status == status)
                #expect(reply.text.contains("x?31m"))
                #expect(!reply.text.unicodeScalars.contains(character.unicodeScalars.first!))
            }
            let path = try WireJSON.encode(["path": "x" + character])
            let reply = try await club.send(
                path: Routes.listFolder.path,
                headers: [
                    ("Authorization", "Bearer \(club.token)"), ("Content-Type", "application/json"),
                ], body: Array(path))
            #expect(reply.status == 400)
            #expect(reply.text.contains("'x?'"))
        }
    }

    @Test(arguments: [
        ("127.0.0.1:8000", true), ("127.0.0.1", true), ("localhost:1", true), ("LOCALHOST", true),
        ("[::1]:8000", true), ("127.255.0.9", true), ("evil.example:8000", false),
        ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("", false),
        ("127.0.0.1, evil.example", false), ("192.168.0.1", false), ("127.0.0.256", false),
        ("127.0.1", false), ("localhost:80x", false),
    ])
    func onAPortOnlyNamesOfThisComputerAreAnswered(host: String, isAllowed: Bool) async throws {
        try await TestClub.with(endpoint: .tcp(port: 0)) { (club: TestClub) async throws in
            let reply = try await club.send(
                method: "GET", path: "/none", headers: [("Host", host)])
            #expect(reply.status == (isAllowed ? 404 : 421))
            #expect(
                try await exchange(club, "GET /none HTTP/1.1\r\n\r\n").first?.status == 421)
            #expect(
                try await exchange(club, "GET /none HTTP/1.0\r\n\r\n").first?.status == 404)
        }
    }

    /// A server with a port is found at the socket of its folder too, where every name leads to it.
    @Test func eachEntranceHasItsOwnRuleForNames() async throws {
        try await TestClub.with(
            endpoint: .tcp(port: 0),
            change: {
                $0.ownEndpoint = .unixSocket(path: $0.tokenFile + ".sock", leasePath: nil)
            }
        ) { (club: TestClub) async throws in
            let request = "GET /none HTTP/1.1\r\nHost: evil.example\r\n\r\n"
            let path = club.configuration.tokenFile + ".sock"
            let statuses = try await TestConnection.run {
                try [club.address, .unixSocket(path)].map { address in
                    let connection = try TestConnection(to: address)
                    try connection.send(request)
                    return try connection.readReply().status
                }
            }
            #expect(statuses == [421, 404])
            await club.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
