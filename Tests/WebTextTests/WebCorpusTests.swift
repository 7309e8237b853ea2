import TestSupport
import Testing
import WebTextFuzzing

/// What the fuzzer has gathered, all of it once more, a time limit for each. `make fuzz` gathers on.
@Suite struct WebCorpusTests {
    private let corpus = FuzzingCorpus(of: "WebFuzzer")

    @Test(arguments: WebFuzzing.all.keys.sorted())
    func eachPageDoorInputIsTakenInTime(name: String) throws {
        let door = try #require(WebFuzzing.all[name])
        #expect(try corpus.replay(name, through: door).isEmpty)
    }

    @Test func eachCorpusHasItsDoor() throws {
        #expect(try corpus.names() == WebFuzzing.all.keys.sorted())
    }

    /// Pages put together of pieces that mean something, and of some that do not.
    @Test func pagesOfAnyPiecesAreRead() throws {
        let door = try #require(WebFuzzing.all["page"])
        let names = [
            "p", "a href=x", "b", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "h1", "br",
        ]
        let more = [
            "blockquote", "div id=i", "dl", "dt", "dd", "title", "script", "select", "img", "q",
        ]
        let tags = (names + more).flatMap { name in
            ["<\(name)>", "</\(name.prefix { $0 != " " })>"]
        }
        let pieces =
            tags + [
                "word ", "漢字", "\u{202E}", "&amp;", "&#", "<", ">", "\"", "<!--", "-->", "\n", "\t",
                "\0",
            ]
        var state: UInt64 = 42
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<400 {
            let page = (0..<(1 + next(80))).map { _ in pieces[next(pieces.count)] }.joined()
            var bytes = Array(page.utf8)
            bytes.withUnsafeMutableBytes { door(UnsafeRawBufferPointer($0)) }
        }
    }
}
