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
        #expect(throws: ResponseHeadParser.Refusal.malformed) { try parse(line) }
    }

    @Test func refusesAHeadWithoutMeasure() {
        #expect(throws: ResponseHeadParser.Refusal.tooLarge) {
            var parser = try parse("HTTP/1.1 200 OK\r\n")
            while !parser.isComplete {
                try add("A: " + String(repeating: "x", count: 1000) + "\r\n", to: &parser)
            }
        }
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
