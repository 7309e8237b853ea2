import Testing
import TextEditing
import WebText

/// How a page fits a width.
@Suite struct WebLayoutTests {
    @Test func wrapsBetweenWordsOfSeveralLooks() {
        let page = parse("<p>one <b>two</b>three four <i>five</i>, six")
        #expect(lines(page, 12) == ["one twothree", "four five,", "six"])
        #expect(lines(page, 4) == ["one", "twot", "hree", "four", "five", ",", "six"])
    }

    @Test func wrapsWideTextWithoutSpaces() {
        let page = parse("<p>端末の文字は、二桁の幅がある。")
        for width in [4, 5, 7, 10] {
            let lines = lines(page, width)
            #expect(lines.allSatisfy { CellWidth.of($0) <= width })
            #expect(lines.allSatisfy { !"、。".contains($0.first ?? "、") })
            #expect(lines.joined() == "端末の文字は、二桁の幅がある。")
        }
    }

    @Test func keepsTogetherWhatANonBreakingSpaceJoins() {
        #expect(lines(parse("<p>a 10&nbsp;km b"), 6) == ["a", "10 km", "b"])
        #expect(lines(parse("<p>so&shy;ft<wbr>er"), 4) == ["soft", "er"])
    }

    @Test func setsListsAndQuotationsIn() {
        let page = parse("<ul><li>one two three<li>four</ul><blockquote>five six</blockquote>")
        #expect(lines(page, 10) == ["• one two", "  three", "• four", "", "│ five six"])
    }

    @Test func placesCellsSideBySide() {
        let page = parse(
            "<table><tr><th>Day<th>What<tr><td>1<td>Actors and isolation<tr><td colspan=2>End</table>"
        )
        #expect(
            lines(page, 40) == [
                "Day │ What", "────┼─────────────────────", "1   │ Actors and isolation", "End",
            ])
        #expect(
            lines(page, 18) == [
                "Day │ What", "────┼─────────────", "1   │ Actors and", "    │ isolation", "End",
            ])
    }

    @Test func stacksATableThatHasNoRoom() {
        let cells = (1...9).map { "<td>cell\($0)" }.joined()
        #expect(lines(parse("<table><tr>" + cells), 20).filter { !$0.isEmpty }.count == 9)
    }

    @Test func readsATableThatOnlyPlacesPartsOfThePage() {
        let page = parse("<table><tr><td><h2>Menu</h2><td><table><tr><td>a<td>b</table></table>")
        #expect(lines(page, 40) == ["Menu", "", "a │ b"])
    }

    @Test func knowsTheLinesOfALink() {
        let page = parse("<p>aaa <a href=x>bbb ccc</a> ddd")
        #expect(WebLayout(page, width: 7).linkLines == [1..<3])
        #expect(WebLayout(page, width: 40).linkLines == [0..<1])
    }

    /// No line is wider than the screen, whatever the page and however narrow the screen is.
    @Test(arguments: [1, 2, 3, 7, 12, 20, 33, 80])
    func staysWithinTheWidth(width: Int) {
        let page = parse(
            """
            <h1>A title that is long</h1><ul><li>one<ol><li>two<blockquote>three<ul><li>four five six
            </ul></blockquote></ol></ul><pre>a very long line of code\twith a tab</pre>
            <table><tr><th>Head of one<td>漢字漢字漢字<td>c</table><p>漢字 👩‍👩‍👧 e\u{301}\u{1B}[31m
            """)
        for line in WebLayout(page, width: width).lines {
            #expect(CellWidth.of(line.text) <= max(width, 4), "\(line.text)")
        }
    }

    @Test func findsWordsThatLinesHaveTornApart() {
        let layout = WebLayout(parse("<p>One two three<p>TWO<ul><li>two  thr</ul>"), width: 8)
        let search = WebTextSearch(layout)
        #expect(search.matches(of: "two thr").map(\.firstLine) == [0, 5])
        #expect(search.matches(of: "two").count == 3)
        #expect(search.matches(of: "TWO").count == 1)
        #expect(search.matches(of: "e\nt").isEmpty)
        #expect(search.matches(of: "").isEmpty)
        #expect(search.matches(of: "one two three").first?.parts.count == 2)
    }

    /// The number of a link is not part of the text.
    @Test func findsWordsThatALinkBeginsIn() throws {
        let page = parse("<p>See <a href=x>this page</a> now, in<a href=y>side</a>.")
        let search = WebTextSearch(WebLayout(page, width: 60))
        #expect(lines(page, 60) == ["See [1]this page now, in[2]side."])
        #expect(search.matches(of: "see this page now").count == 1)
        #expect(search.matches(of: "inside").count == 1)
        #expect(search.matches(of: "[1]").isEmpty)
        let match = try #require(search.matches(of: "this").first)
        #expect(match.parts.map(\.range) == [7..<11])
        let torn = WebTextSearch(WebLayout(page, width: 7)).matches(of: "see this page")
        #expect(torn.first?.parts.count == 3)
    }
}
