@testable import ClubServer
import Testing

@Suite struct RequestHeadTests {
    private func head(_ text: String) throws -> RequestHead { try RequestHead(Array(text.utf8)) }

    @Test func aHeadIsTakenApart() throws {
        let head = try head(
            "POST /2/files/upload?arg=%7B%22a%22%3A1%7D&x HTTP/1.1\r\nHost: club\r\n"
                + "Dropbox-API-Arg:  {\"a\":\"b, c\"} \t\r\nAccept: a\r\naccept: b\r\n")
        #expect(head.method == "POST")
        #expect(head.path == "/2/files/upload")
        #expect(head.query == ["arg": "{\"a\":1}", "x": ""])
        #expect(head.headers["dropbox-api-arg"] == "{\"a\":\"b, c\"}")
        #expect(head.headers["accept"] == "a, b")
        #expect(head.wantsKeepAlive)
        #expect(try head.framing() == .none)
    }

    @Test func plainLineFeedsWillDo() throws {
        let head = try head("GET /x HTTP/1.0\nHost: club\nContent-Length: 12\n")
        #expect(!head.isVersion11)
        #expect(!head.wantsKeepAlive)
        #expect(try head.framing() == .length(12))
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: Upgrade, Close\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ])
    func keepAlive(version: String, header: String, expected: Bool) throws {
        #expect(try head("GET / \(version)\r\n\(header)").wantsKeepAlive == expected)
    }

    @Test(arguments: [
        "", " ", "GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 x", "G(T / HTTP/1.1",
        "GET / HTTP/1.1\r\n: x", "GET / HTTP/1.1\r\n folded", "GET / HTTP/1.1\r\na b: c",
        "GET / HTTP/1.1\r\na: b\u{0}c", "GET http://x/ HTTP/1.1",
    ])
    func nonsenseIsRefused(text: String) {
        #expect(throws: RequestHead.Failure.self) { try head(text) }
    }

    @Test func aLengthMustBeANumber() throws {
        for value in ["x", "-1", "1 2", "0x10", "99999999999999999999999"] {
            let head = try head("POST / HTTP/1.1\r\nContent-Length: \(value)\r\n")
            #expect(throws: RequestHead.Failure.self) { try head.framing() }
        }
    }
}

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func dates(seconds: Int, text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }
}

@Suite struct StopSignalTests {
    @Test func everybodyWhoWaitsIsToldAndWhoComesLaterToo() async {
        let signal = StopSignal()
        await withTaskGroup { group in
            for _ in 0..<10 { group.addTask { await signal.wait() } }
            signal.send()
            signal.send()
            await group.waitForAll()
        }
        await signal.wait()
    }

    @Test func aCancelledTaskWaitsNoLonger() async {
        let signal = StopSignal()
        let task = Task { await signal.wait() }
        task.cancel()
        await task.value
    }
}
