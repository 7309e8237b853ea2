import Testing

@testable import ClubAccess

@Suite struct LineSearchTests {
    /// The editor's numbers, and those of `grep -n`: other characters may end a line for Swift.
    @Test(arguments: ["\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}"])
    func aLineEndsAtALineFeedOnly(other: String) {
        let text = "one\(other)still one\ntwo fish\r\nthree\n"
        #expect(
            LineSearch("fish").lines(in: text) == [LineSearch.Line(number: 2, text: "two fish")])
        #expect(LineSearch("still").lines(in: text).map(\.number) == [1])
        #expect(LineSearch("three").lines(in: text).map(\.number) == [3])
    }

    @Test(arguments: ["fish", "Fish", "swims fish"])
    func aLongLineIsCutAroundWhatWasFound(query: String) throws {
        let far = String(repeating: "ÄÖÜ ", count: 1000)
        let line = far + "A Fish swims here" + (query == "fish" ? "" : " " + far)
        let found = try #require(LineSearch(query).lines(in: line).first)
        #expect(found.text.contains("Fish"))
        #expect(found.text.hasPrefix("…"))
        #expect(found.text.hasSuffix("…") == (query != "fish"))
        #expect(found.text.count <= 302)
    }

    @Test func aLongLineFoundAtItsBeginningBeginsThere() throws {
        let line = "fish " + String(repeating: "x", count: 1000)
        let found = try #require(LineSearch("fish").lines(in: line).first)
        #expect(found.text.hasPrefix("fish "))
        #expect(found.text.hasSuffix("…"))
        let short = String(repeating: "é", count: 300)
        #expect(LineSearch("é").lines(in: short).first?.text == short)
    }
}
