import CurlNetworking
import Foundation
import Testing

/// The heads of web-platform-tests, `fetch/h1-parsing`, told again: a control character, a space or a colon in
/// each place of a head, a lone carriage return, a head without end, status codes.
///
/// WPT's own expectations for the first are tentative and say “network error” throughout, which no browser
/// does. Ours: what can be read in one way only is read, so that no harmless server is shut out; what a
/// proxy could read otherwise is refused, whichever libcurl is underneath.
@Suite(.timeLimit(.minutes(2))) struct WPTHeadTests {
    /// The places for a symbol, in order.
    private static let places: [(name: String, before: String)] = [
        ("first", ""), ("in HTTP", "HT"), ("before the slash", "TP"), ("after the slash", "/"),
        ("before the dot", "1"), ("after the dot", "."), ("after the version", "1"),
        ("before the number", " "), ("after the number", "200"), ("before the reason", " "),
        ("after the reason", "OK"), ("before the name", "\r\n"), ("in the name", "X-Frame"),
        ("before the colon", "-Options"), ("after the colon", ":"), ("in the value", "DE"),
        ("after the value", "NY"),
    ]
    private static let rest = "\r\nContent-Length: 5\r\n\r\nTest."

    private enum Result {
        /// It is not an answer.
        case x
        /// The field is DENY.
        case ok
        /// The field is this, or is not there.
        case value(String?)
        /// The head ends where the symbol is; the rest is the body.
        case end
        case lostOr
    }

    /// A row for each place; its columns are the symbols.
    private static let symbols = ["\n", "\r", "\t", " ", "\0", ":"]
    private static let symbolNames = ["LF", "CR", "HTAB", "SP", "NUL", "colon"]
    private static let results: [[Result]] = [
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        [.x, .x, .x, .x, .x, .x],
        // A reason is for people: it may begin and end with anything.
        [.x, .x, .x, .ok, .x, .x],
        [.x, .x, .ok, .ok, .x, .ok],
        // A bare line feed ends a line (RFC 9112 §2.2), so that an empty line follows here.
        [.end, .x, .ok, .ok, .x, .ok],
        // 7.88 stops at a line that begins with NUL, without a word.
        [.end, .x, .x, .x, .lostOr, .value(nil)],
        [.x, .x, .value(nil), .value(nil), .x, .value(nil)],
        // RFC 9112 §5.1 has spaces in front of a colon removed.
        [.x, .x, .ok, .ok, .x, .value(":DENY")],
        [.x, .x, .ok, .ok, .x, .value(":DENY")],
        [.x, .x, .value("DE\tNY"), .value("DE NY"), .x, .value("DE:NY")],
        [.end, .x, .ok, .ok, .x, .value("DENY:")],
    ]

    static let grid: [WireCase] = symbols.indices.flatMap { column in
        places.indices.map { row in
            let symbol = symbols[column]
            var parts = places.map(\.before)
            parts.append(rest)
            let text = parts[...row].joined() + symbol + parts[(row + 1)...].joined()
            let name = "\(symbolNames[column]) \(places[row].name)"
            switch results[row][column] {
            case .x: return WireCase(name, text, .refused)
            case .ok: return taken(name, text, "DENY")
            case .value(let value): return taken(name, text, value)
            case .end:
                let body = String(parts[(row + 1)...].joined().trimmingPrefix("\r\n"))
                return WireCase(name, text, .taken(fields: ["Content-Length": nil], body: body))
            case .lostOr: return WireCase(name, text, .refusedOrLost)
            }
        }
    }

    private static func taken(_ name: String, _ text: String, _ value: String?) -> WireCase {
        WireCase(name, text, .taken(fields: ["X-Frame-Options": value], body: "Test."))
    }

    @Test(arguments: grid) func aSymbolOutOfPlace(one: WireCase) async throws {
        try await one.check()
    }

    @Test func theGridIsWhole() {
        #expect(Self.grid.count == 102)
        #expect(
            Self.grid[0].bytes
                == Array("\nHTTP/1.1 200 OK\r\nX-Frame-Options:DENY\(Self.rest)".utf8))
    }

    /// As WPT wants it, and no browser does.
    @Test(arguments: [
        "HTTP/1.1\r200 OK\n\nBODY", "HTTP/1.1 200\rOK\n\nBODY",
        "HTTP/1.1 200 OK\n\rHeader: Value\n\nBODY", "HTTP/1.1 200 OK\nHeader\r: Value\n\nBODY",
        "HTTP/1.1 200 OK\nHeader:\r Value\n\nBODY", "HTTP/1.1 200 OK\nHeader: Value\r\r\nBODY",
        "HTTP/1.1 200 OK\nHeader: Value\rHeader2: Value2\n\nBODY",
    ])
    func aLoneCarriageReturnIsRefused(text: String) async throws {
        try await WireCase(text, text, .refused).check()
    }

    @Test(arguments: ["value\t", "value ", "value\u{C}", "value\r"])
    func aHeadWithoutEndIsNoAnswer(value: String) async throws {
        try await WireCase(value, "HTTP/1.1 200 OKAYISH\nheader: " + value, .lost).check()
    }

    /// WPT has 0, 1 and 99 as statuses, which Fetch allows and RFC 9110 §15 does not: three digits, from 100.
    @Test(arguments: [
        "", "BLAH", "0 OK", "1 OK", "99 NOT OK", "099 HELLO", "1000 BOO", "65736 NOT 200 OR SO",
        "131072 HI", "+20 OK", "2OO OK",
    ])
    func aStatusThatIsNoneIsRefused(status: String) async throws {
        try await WireCase(status, "HTTP/1.1 \(status)\nheader-parsing: is sad\n\n", .refused)
            .check()
    }

    @Test func anyStatusOfThreeDigitsIsTaken() async throws {
        try await WireCase(
            "999", "HTTP/1.1 999 DOES IT MATTER\nheader-parsing: is sad\n\n",
            .taken(status: 999, fields: ["header-parsing": "is sad"], body: "")
        ).check()
    }
}
