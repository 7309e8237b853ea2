import CurlNetworking
import Foundation
import TestSupport
import Testing

/// The responses of llhttp's suite (`test/response/*.md` of nodejs/llhttp), told again.
///
/// Its parser has a strict and a lenient mode; ours is between them. Its cases of callbacks that pause in the
/// middle of a head have no counterpart here: libcurl's parser is not ours to pause.
@Suite(.timeLimit(.minutes(1))) struct LlhttpResponseTests {
    private static func ok(
        _ name: String, _ text: String, status: Int = 200, _ fields: [String: String?] = [:],
        body: String = ""
    ) -> WireCase {
        WireCase(name, text, .taken(status: status, fields: fields, body: body))
    }

    private static func no(_ name: String, _ text: String) -> WireCase {
        WireCase(name, text, .refused)
    }

    static let statusLines: [WireCase] = [
        no("a protocol one letter short", "HTP/1.1 200 OK\r\n\r\n"),
        no("a protocol with more letters", "HTTPER/1.1 200 OK\r\n\r\n"),
        // llhttp reads these; nobody asked such a server for HTTP.
        no("RTSP", "RTSP/1.1 200 OK\r\n\r\n"), no("ICE", "ICE/1.1 200 OK\r\n\r\n"),
        no("two digits before the dot", "HTTP/01.1 200 OK\r\n\r\n"),
        no("eleven", "HTTP/11.1 200 OK\r\n\r\n"),
        no("two digits behind the dot", "HTTP/1.01 200 OK\r\n\r\n"),
        no("a version that is none", "HTTP/5.6 200 OK\r\n\r\n"),
        // As text over a connection that agreed on nothing of the kind. libcurl up to 8.5 takes the first,
        // and since 8.14 the second.
        no("HTTP/2 in letters", "HTTP/2 200 OK\r\n\r\nbody"),
        no("HTTP/3 in letters", "HTTP/3 200\r\n\r\nbody"),
        no("HTTP/0.9 with a status", "HTTP/0.9 200 OK\r\n\r\n"),
        ok("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nbody", body: "body"),
        // 7.88 refuses this one; later ones take it.
        no("a tab behind the version", "HTTP/1.1\t200 OK\r\n\r\n"),
        no("a carriage return before it all", "\rHTTP/1.1\t200 OK\r\n\r\n"),
        no("two spaces before the status", "HTTP/1.1  200 OK\r\n\r\n"),
        ok("two spaces behind the status", "HTTP/1.1 200  OK\r\n\r\n"),
        no("a status of one digit", "HTTP/1.1 2 OK\r\n\r\n"),
        ok("no reason", "HTTP/1.1 404\r\n\r\n", status: 404),
        ok("an empty reason", "HTTP/1.1 200 \r\n\r\n"),
        WireCase(
            "a reason in ISO 8859-1",
            Array("HTTP/1.1 500 Ori".utf8) + [0xEB]
                + Array("ntatieprobleem\r\nContent-Length: 0\r\n\r\n".utf8),
            .taken(status: 500, body: "")),
        // llhttp passes over it; libcurl sees HTTP/0.9.
        no("an empty line before it all", "\r\nHTTP/1.1 200 OK\r\n\r\n"),
        WireCase("a status line and no more", "HTTP/1.1 200 OK\r\n", .lost),
        no("a second status line as a field", "HTTP/1.1 200 OK\r\nHTTP/1.1 404 Not Found\r\n\r\n"),
        ok(
            "a second status line with a colon", "HTTP/1.1 200 OK\r\nHTTP/1.1 404: X\r\n\r\nx",
            body: "x"),
    ]

    static let fields: [WireCase] = [
        ok(
            "tabs and spaces around a value",
            "HTTP/1.1 200 OK\r\nHeader1: Value1\r\nHeader2:\t Value2 \t\r\nContent-Length: 0\r\n\r\n",
            ["Header1": "Value1", "Header2": "Value2"]),
        ok(
            "signs in a name",
            "HTTP/1.1 200 OK\r\nX-$Proto-Version: 1.6.0.3\r\nDCLK_imp: v7;x\r\n\r\n",
            ["X-$Proto-Version": "1.6.0.3", "DCLK_imp": "v7;x"]),
        ok(
            "dots and underscores in front",
            "HTTP/1.1 200 OK\r\n.et-Cookie: a=b\r\n_eep-Alive: timeout=45\r\n\r\n",
            [".et-Cookie": "a=b", "_eep-Alive": "timeout=45", "Set-Cookie": nil]),
        // llhttp refuses the head; browsers pass over the line, as we do.
        ok(
            "a space in a name",
            "HTTP/1.1 200 OK\r\nen-US Content-Type: text/xml\r\nContent-Type: text/plain\r\n\r\n",
            ["Content-Type": "text/plain", "en-US Content-Type": nil]),
        ok(
            "a value that is folded behind such a line",
            "HTTP/1.1 200 OK\r\nA: 1\r\nb c: x\r\nContent-Type: text/plain\r\n\r\n",
            ["A": "1", "Content-Type": "text/plain"]),
        ok(
            "an empty value is not the next field's",
            "HTTP/1.0 200 OK\r\nPragma: \r\nServer: s\r\nContent-Length: 0\r\n\r\n",
            ["Pragma": "", "Server": "s"]),
        WireCase(
            "a value in ISO 8859-1",
            Array("HTTP/1.1 200 OK\r\nX: caf".utf8) + [0xE9, 13, 10, 13, 10],
            .taken(fields: ["X": "café"], body: "")),
        ok("a value in UTF-8", "HTTP/1.1 200 OK\r\nX: café\r\n\r\n", ["X": "café"]),
        no("a line without a colon", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        no("a space behind the status line", "HTTP/1.1 200 OK\r\n Host: foo\r\n\r\n"),
        no("fields with CR between them", "HTTP/1.1 200 OK\r\nFoo: 1\rBar: 2\r\n\r\n"),
        no("CR behind the status line", "HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n"),
        no("two CR behind the status line", "HTTP/1.1 200 OK\r\rContent-Length: 4\r\n\r\nEvil"),
        // Strict parsers refuse bare line feeds; RFC 9112 §2.2 has them taken.
        ok(
            "line feeds alone", "HTTP/1.1 200 OK\nFoo: abc\nBar: def\n\nBODY\n", ["Bar": "def"],
            body: "BODY\n"),
        ok("a folded value", "HTTP/1.1 200 OK\r\nA: b\r\n\t c\r\n\r\n", ["A": "b c"]),
        ok(
            "a field that only begins like one",
            "HTTP/1.1 200 OK\r\nContent-Length-X: 0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nOK\r\n0\r\n\r\n",
            ["Content-Length-X": "0"], body: "OK"),
        ok(
            "a length between tabs", "HTTP/1.1 200 OK\r\nContent-Length:\t2\t\r\n\r\nOK!",
            body: "OK"),
        no(
            "a length with a space before its colon",
            "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nOK!"),
        no("a folded length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 0\r\n\r\nOK!"),
    ]

    static let bodies: [WireCase] = [
        ok(
            "to the end of the connection",
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello world",
            body: "hello world"),
        ok(
            "keep-alive of 1.0 without a length",
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nHTTP/1.0 200 OK",
            body: "HTTP/1.0 200 OK"),
        ok(
            "Proxy-Connection: close",
            "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nProxy-Connection: close\r\n\r\nhello world",
            body: "hello world"),
        // What follows an answer is not part of it; the connection is not used again.
        ok("204", "HTTP/1.1 204 No content\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", status: 204),
        ok(
            "204 and close",
            "HTTP/1.1 204 No content\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            status: 204),
        ok(
            "204 with a length", "HTTP/1.1 204 No content\r\nContent-Length: 5\r\n\r\n", status: 204
        ),
        ok(
            "304 with a length",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            status: 304),
        ok(
            "304 with chunks",
            "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            status: 304),
        ok(
            "more than the length",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n2ad731e3",
            body: "2ad73"),
        ok(
            "100 first, then 404",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone",
            status: 404, body: "gone"),
        ok(
            "103 first, then 200",
            "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            ["Link": nil], body: "ok"),
        // An Upgrade that is offered, and not taken up.
        ok(
            "200 with Upgrade",
            "HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\nbody", body: "body"),
        ok(
            "200 with Upgrade and a length",
            "HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody",
            body: "body"),
        ok(
            "200 with Upgrade and chunks",
            "HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n",
            body: "body"),
    ]

    @Test(arguments: statusLines) func aStatusLine(one: WireCase) async throws {
        try await one.check()
    }

    @Test(arguments: fields) func aField(one: WireCase) async throws { try await one.check() }

    @Test(arguments: bodies) func aBody(one: WireCase) async throws { try await one.check() }

    /// libcurl before 8.1 appended such a line to a freed field of the answer before, which the allocator's own
    /// checks made a crash of.
    @Test func aFoldedLineAtTheTopOfALaterAnswerIsHarmless() async throws {
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        for _ in 0..<40 {
            let server = try LoopbackServer(scripts: [
                [
                    .readHead, .answer("200 OK", ["X: " + String(repeating: "x", count: 40)]),
                    .readHead, .send("HTTP/1.1 200 OK\r\n Host: foo\r\nContent-Length: 0\r\n\r\n"),
                    .stall,
                ]
            ])
            _ = try await session.data(from: server.url())
            let code = await errorCode { try await session.data(from: server.url()) }
            #expect(code == .cannotParseResponse)
        }
    }

    /// A connection carries one answer after another: the next request gets the next one.
    @Test func answersOnOneConnection() async throws {
        let server = try LoopbackServer(scripts: [
            [("200 OK", "AAA"), ("201 Created", "BBBB"), ("202 Accepted", "CCCCC")].flatMap {
                [LoopbackStep.readHead, .answer($0.0, body: $0.1)]
            } + [.stall]
        ])
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        for (status, body) in [(200, "AAA"), (201, "BBBB"), (202, "CCCCC")] {
            let (data, response) = try await session.data(from: server.url())
            #expect((response as? HTTPURLResponse)?.statusCode == status)
            #expect(String(decoding: data, as: UTF8.self) == body)
        }
        #expect(server.connectionCount == 1)
    }
}
