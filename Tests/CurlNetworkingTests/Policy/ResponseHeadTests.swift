import Testing

@testable import CurlNetworking

@Suite struct ResponseHeadTests {
    @Test func readsStatusAndFields() throws {
        let parser = try parse("HTTP/1.1 404 Not Here\r\nX-A:  one \r\nx-a: two\r\nEmpty:\r\n\r\n")
        #expect(parser.isComplete)
        let head = try #require(parser.head)
        #expect(head.status == 404)
        #expect(head.headers["X-A"] == "one, two")
        #expect(head.headers.fields.first?.name == "X-A")
        #expect(head.headers["EMPTY"] == "")
    }

    @Test func skipsInterimAnswers() throws {
        let parser = try parse(
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n")
        #expect(parser.head?.status == 200)
        #expect(parser.head?.headers["Link"] == nil)
    }

    @Test func ignoresTrailers() throws {
        let parser = try parse("HTTP/1.1 200 OK\r\n\r\nX-Trailer: late\r\n")
        #expect(parser.head?.headers["X-Trailer"] == nil)
    }

    @Test func joinsFoldedLines() throws {
        let parser = try parse("HTTP/1.1 200 OK\r\nA: one\r\n\t two\r\n\r\n")
        #expect(parser.head?.headers["A"] == "one two")
    }

    @Test func acceptsLinesWithoutCarriageReturns() throws {
        let parser = try parse("HTTP/1.0 200\nA: b\n\n")
        #expect(parser.head?.status == 200)
        #expect(parser.head?.headers["a"] == "b")
    }

    @Test func passesOverLinesWithoutAName() throws {
        let parser = try parse("HTTP/1.1 200 OK\r\nnonsense\r\n: x\r\n\r\n")
        #expect(parser.head?.headers.isEmpty == true)
    }

    @Test(arguments: [
        "HTTP/1.1\r\n", "HTTP/1.1 OK 200\r\n", "HTTP/1.1 99999 x\r\n", "HTTP/1.1 7 x\r\n",
    ])
    func refusesNonsenseInTheStatusLine(line: String) {
        #expect(throws: ResponseHeadParser.Refusal.badStatusLine) { try parse(line) }
    }

    @Test func refusesAHeadWithoutMeasure() {
        #expect(throws: ResponseHeadParser.Refusal.tooLarge) {
            var parser = try parse("HTTP/1.1 200 OK\r\n")
            while !parser.isComplete {
                try add("A: " + String(repeating: "x", count: 1000) + "\r\n", to: &parser)
            }
        }
    }

    @Test func refusesMoreLinesThanAnybodySends() throws {
        var parser = try parse("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n")
        for number in 4...ResponseHeadParser.largestLineCount {
            try add("A\(number): b\r\n", to: &parser)
        }
        #expect(throws: ResponseHeadParser.Refusal.tooManyLines) { try add("\r\n", to: &parser) }
    }

    @Test(arguments: [
        ("5", true), ("007", true), ("5, 5", true), ("5,5 ,\t5", true), ("0", true),
        ("9223372036854775807", true), ("9223372036854775808", false), ("", false), (",", false),
        ("5,", false), ("5, 6", false), ("+5", false), ("-5", false), ("0x5", false),
        ("5 5", false),
        ("5.0", false), ("\u{665}", false), ("banana", false),
        (String(repeating: "9", count: 20), false),
    ])
    func takesALengthThatIsOneNumber(text: String, isTaken: Bool) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\n"
        if isTaken {
            #expect(try parse(head).isComplete)
        } else {
            #expect(throws: ResponseHeadParser.Refusal.badLength) { try parse(head) }
        }
    }

    @Test(arguments: [
        ("A: b", []), ("Content-Encoding: identity", []), ("Transfer-Encoding: chunked", []),
        ("Content-Encoding: GZIP", ["gzip"]),
        ("Content-Encoding: deflate, gzip", ["gzip", "deflate"]),
        (
            "Transfer-Encoding: gzip, chunked\r\nContent-Encoding: deflate, br",
            ["gzip", "br", "deflate"]
        ),
    ])
    func tellsTheCodingsAsTheyAreUndone(lines: String, codings: [String]) throws {
        #expect(try parse("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n").codings == codings)
    }

    private func parse(_ text: String) throws -> ResponseHeadParser {
        var parser = ResponseHeadParser()
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .dropLast()
        {
            try add(String(line) + "\r\n", to: &parser)
        }
        return parser
    }

    private func add(_ line: String, to parser: inout ResponseHeadParser) throws {
        try Array(line.utf8).withUnsafeBytes { try parser.append($0) }
    }
}
