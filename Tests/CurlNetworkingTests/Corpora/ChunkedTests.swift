import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Bodies in chunks: those of llhttp (`transfer-encoding.md`) and of curl's `tests/data` (34, 36, 60, 207, 266,
/// 365, 373, 1090, 1116, 1416, 1417, 1482, 1483, 1493 to 1499, 1540, 1546, 1677, 1722, 1723, 1943, 2106, 3015),
/// told again.
@Suite(.timeLimit(.minutes(1))) struct ChunkedTests {
    private static func ok(
        _ name: String, _ body: String, is result: String = "hello",
        _ fields: [String] = ["Transfer-Encoding: chunked"]
    ) -> WireCase {
        WireCase(name, text(fields, body), .taken(body: result))
    }

    private static func no(_ name: String, _ body: String, _ outcome: WireCase.Outcome = .refused)
        -> WireCase
    {
        WireCase(name, text(["Transfer-Encoding: chunked"], body), outcome)
    }

    private static func coded(
        _ fields: [String], _ outcome: WireCase.Outcome = .undecodable
    ) -> WireCase {
        WireCase(
            fields.joined(separator: " | "), text(fields, "5\r\nhello\r\n0\r\n\r\n"), outcome)
    }

    private static func text(_ fields: [String], _ body: String) -> String {
        (["HTTP/1.1 200 OK"] + fields + ["", body]).joined(separator: "\r\n")
    }

    static let chunks: [WireCase] = [
        ok("one", "5\r\nhello\r\n0\r\n\r\n"), ok("two", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
        ok("none", "0\r\n\r\n", is: ""),
        ok("upper case", "A\r\n0123456789\r\n0\r\n\r\n", is: "0123456789"),
        ok("zeros within", "3\r\na\0b\r\n2\r\n\0\0\r\n0\r\n\r\n", is: "a\0b\0\0"),
        ok("zeros in front", "000000000005\r\nhello\r\n0000\r\n\r\n"),
        ok("an extension", "5;a;b=c\r\nhello\r\n0;d\r\n\r\n"),
        ok("a quoted extension", "5;a=\"x; y\";b\r\nhello\r\n0\r\n\r\n"),
        // Nobody reads extensions, so that nothing hangs on how they are written. llhttp refuses these four.
        ok("an unbalanced quote", "5;a=\"x; y\r\nhello\r\n0\r\n\r\n"),
        ok("no extension behind a semicolon", "5;\r\nhello\r\n0\r\n\r\n"),
        ok("no semicolon", "5 erferf\r\nhello\r\n0 rrr\r\n\r\n"),
        ok("spaces behind the size", "5  \r\nhello\r\n0  \r\n\r\n"),
        ok("line feeds alone", "5\nhello\n0\n\n"),
        ok("a trailer", "5\r\nhello\r\n0\r\nchunky-trailer: header data\r\n\r\n"),
        ok("trailers without carriage returns", "5\r\nhello\r\n0\r\na: b\nc: d\n\n"),
        ok("what follows the last chunk is another matter", "5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200"),
        no("no size", "\r\nhello\r\n0\r\n\r\n"), no("letters", "nothex\r\nhello\r\n0\r\n\r\n"),
        no("a space in front", " 5\r\nhello\r\n0\r\n\r\n"),
        no("a minus", "-5\r\nhello\r\n0\r\n\r\n"),
        no("a plus", "+5\r\nhello\r\n0\r\n\r\n"), no("0x5", "0x5\r\nhello\r\n0\r\n\r\n"),
        no("all bits set", "FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        no("more bits than there are", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        no("more zeros than digits count", "000000000000000000005\r\nhello\r\n0\r\n\r\n"),
        no("more than its size", "5\r\nhello world\r\n0\r\n\r\n"),
        no("a line end within a quoted extension", "5;a=\"x\r\ny\"\r\nhello\r\n0\r\n\r\n"),
        no("a trailer without a colon", "5\r\nhello\r\n0\r\nTx\r\n\r\n"),
        no("a trailer with NUL", "5\r\nhello\r\n0\r\nT: a\0b\r\n\r\n"),
        no("an end in the size", "5", .lost), no("an end in the data", "5\r\nhel", .lost),
        no("an end behind the data", "5\r\nhello\r\n", .lost),
        no("an end behind the last chunk", "5\r\nhello\r\n0\r\n", .lost),
        no("an end in the trailers", "5\r\nhello\r\n0\r\nT: x\r\n", .lost),
        // Everything up to the line feed is an extension, so that the sizes are wrong from there.
        no("a bare carriage return behind the size", "5\rhello\r\n0\r\n\r\n", .lost),
    ]

    static let codings: [WireCase] = [
        coded(["Transfer-Encoding: CHUNKED"], .taken(body: "hello")),
        coded(["Transfer-encoding:chunked"], .taken(body: "hello")),
        // RFC 9112 §6.3: the chunks count, not the length.
        coded(["Content-Length: 3", "Transfer-Encoding: chunked"], .taken(body: "hello")),
        coded(["Transfer-Encoding: chunked", "Content-Length: 0"], .taken(body: "hello")),
        // Proxies write it twice, and all read it as once.
        coded(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .taken(body: "hello")),
        coded(["Transfer-Encoding: chunked, chunked"], .taken(body: "hello")),
        // Nobody asked for any of these. Read to the end of the connection, according to llhttp, the body would
        // be the chunks with their sizes, and libcurl's versions do one or the other.
        coded(["Transfer-Encoding: chunkedchunked"]), coded(["Transfer-Encoding: xchunked"]),
        coded(["Transfer-Encoding: chunked, deflate"]),
        coded(["Transfer-Encoding: chunked, identity"]),
        coded(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]),
        coded(["Transfer-Encoding: identity, chunked"]),
        coded(["Transfer-Encoding: x-unheard"]), coded(["Transfer-Encoding: x-unheard, chunked"]),
        coded(["Transfer-Encoding : chunked"]),
        WireCase(
            "identity", text(["Transfer-Encoding: identity", "Content-Length: 5"], "hello"),
            .taken(body: "hello")),
        WireCase(
            "identity twice",
            text(["Transfer-Encoding: identity, identity", "Content-Length: 5"], "hello"),
            .taken(body: "hello")),
        WireCase(
            "chunked and identity, and a length",
            text(["Transfer-Encoding: chunked, identity", "Content-Length: 5"], "hello"),
            .undecodable),
        WireCase(
            "no value", text(["Transfer-Encoding:", "Content-Length: 5"], "hello"),
            .taken(body: "hello")),
        // The old version promises less than the server does.
        WireCase(
            "HTTP/1.0",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            .taken(body: "hello")),
    ]

    @Test(arguments: chunks) func aBodyInChunks(one: WireCase) async throws {
        try await one.check()
    }

    @Test(arguments: codings) func aTransferCoding(one: WireCase) async throws {
        try await one.check()
    }

    /// Older libcurls read the first line alone, newer ones both.
    @Test func aFoldedCodingIsNoAnswer() async throws {
        let text =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n  abc\r\n\r\n5\r\nWorld\r\n0\r\n\r\n"
        try await WireCase("folded", text, .undecodable).check()
    }

    /// 510, 1068, 1333, 1498, 1514: what comes in pieces leaves in chunks, however libcurl puts them together.
    @Test(arguments: [
        ["one", "two", "three", "and a final longer crap: four"], ["more than one byte\n"], [],
        [String(repeating: "hej", count: 2000)], ["d", "u", "m", "m", "y"],
    ])
    func aBodyOfUnknownLengthIsSentInChunks(pieces: [String]) async throws {
        let server = try LoopbackServer { _ in [.answer(body: "in")] }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBodyStream = makeStream(pieces)
        _ = try await session.data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent["Transfer-Encoding"] == "chunked")
        #expect(sent["Content-Length"] == nil)
        #expect(sent.text == pieces.joined())
        #expect(server.requests.count == 1)
    }
}
