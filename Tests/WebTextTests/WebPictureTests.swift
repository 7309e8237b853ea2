import Testing
@testable import WebText

/// Pictures as parts of a page, and the room they get.
@Suite struct WebPictureTests {
    private func parse(_ html: String) -> WebDocument {
        HTMLParser.parse(Array(html.utf8), charset: "utf-8")
    }

    private func lines(_ layout: WebLayout) -> [String] {
        layout.lines.map { line in
            line.spans.map { span in
                span.look.contains(.picture)
                    ? String(repeating: "#", count: span.text.count) : span.text
            }.joined()
        }
    }

    @Test func namesThePicturesOfAPage() {
        let page = parse(
            """
            <img src=a.png alt="A  cat" width=640px height=480><img data-src=b.png src="data:image/gif;x">
            <img srcset="c.png 1x, d.png 2x" alt=""><img src=icon.png width=16 alt=icon>
            <img src=wide.png width=50%>
            """)
        #expect(
            page.pictures == [
                WebPicture("a.png", words: "[A cat]", width: 640, height: 480),
                WebPicture("b.png", words: "[b.png]"), WebPicture("c.png", words: ""),
                WebPicture("wide.png", words: "[wide.png]"),
            ])
    }

    @Test func givesAPictureRoomBetweenLines() {
        let page = parse("<p>one <img src=a.png alt=words width=90 height=54> two")
        let metrics = WebPictureMetrics(rowLimit: 10)
        #expect(lines(WebLayout(page, width: 20)) == ["one [words] two"])
        let layout = WebLayout(page, width: 20, pictures: metrics)
        #expect(lines(layout) == ["one", "##########", "##########", "##########", "two"])
        #expect(
            layout.pictures == [.init(index: 0, line: 1, column: 0, columnCount: 10, rowCount: 3)])
        // No wider than the page, no higher than the screen; its shape stays.
        #expect(
            lines(WebLayout(page, width: 5, pictures: metrics)) == [
                "one", "#####", "#####", "two",
            ])
        let low = WebPictureMetrics(rowLimit: 1)
        #expect(lines(WebLayout(page, width: 20, pictures: low)) == ["one", "###", "two"])
    }

    @Test func placesPicturesInListsAndTables() {
        let page = parse(
            "<ul><li><img src=a width=36 height=36></ul><table><tr><td>x<td><img src=b width=36 height=36>"
                + "<td>y</table>")
        let layout = WebLayout(page, width: 20, pictures: WebPictureMetrics(rowLimit: 9))
        #expect(lines(layout) == ["• ####", "  ####", "", "x │ #### │ y", "  │ #### │ "])
        #expect(layout.pictures.map(\.column) == [2, 4])
    }

    @Test func knowsTheSizeOfWhatHasComeAndWhatFailed() {
        let page = parse("<p><img src=a.png alt=words><p><img src=b.png alt=''><p>end")
        var metrics = WebPictureMetrics(rowLimit: 10)
        // Something must be where it will be.
        #expect(
            lines(WebLayout(page, width: 20, pictures: metrics)) == [
                "[words]", "", "[…]", "", "end",
            ])
        metrics.sizes[0] = .init(width: 36, height: 36)
        metrics.failed = [1]
        #expect(
            lines(WebLayout(page, width: 20, pictures: metrics)) == ["####", "####", "", "end"])
        metrics.sizes[0] = .init(width: 1, height: 1)
        #expect(lines(WebLayout(page, width: 20, pictures: metrics)) == ["[words]", "", "end"])
    }

    @Test func aLinkOfAPictureAloneHasANumberAndAName() {
        let page = parse("<a href=/x><img src=/logo.png alt=''></a>")
        #expect(page.links.map(\.address) == ["/x"])
        #expect(lines(WebLayout(page, width: 20)) == ["[1][logo.png]"])
    }

    /// The line at the top stays there, whatever comes above it and however wide the page is.
    @Test(arguments: [12, 20, 47]) func findsAPlaceInAnotherLayout(width: Int) {
        let text = (1...50).map { "<p>n\($0) some words that are wrapped" }.joined()
        let page = parse(
            "<p>first<p><img src=a.png alt=words>\(text)<p><img src=b.png alt=''>\(text)")
        let before = WebLayout(page, width: 30, pictures: WebPictureMetrics(rowLimit: 20))
        var metrics = WebPictureMetrics(rowLimit: 20)
        metrics.sizes = [0: .init(width: 180, height: 180), 1: .init(width: 180, height: 90)]
        let after = WebLayout(page, width: width, pictures: metrics)
        for line in before.lines.indices where before.lines[line].text.hasPrefix("n") {
            let word = before.lines[line].text.prefix { $0 != " " }
            let found = after.line(of: before.place(atLine: line))
            #expect(after.lines[found].text.prefix { $0 != " " } == word)
        }
        #expect(after.line(of: before.place(atLine: 2)) == 2)
        #expect(before.line(of: after.place(atLine: 6)) == 2)
        #expect(
            after.line(of: before.place(atLine: before.lines.count + 9)) == after.lines.count - 1)
    }

    @Test func takesNoMorePicturesThanItMay() {
        let page = parse(String(repeating: "<img src=a.png alt=x>", count: 1200))
        #expect(page.pictures.count == 1000)
    }
}
