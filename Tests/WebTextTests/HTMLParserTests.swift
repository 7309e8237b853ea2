import Testing
import WebText

/// What a page's markup becomes.
@Suite struct HTMLParserTests {
    @Test func readsTitleParagraphsAndHeadings() {
        let page = parse("<title> A \n b </title><h2>One</h2>two  <br>three<p>four")
        #expect(page.title == "A b")
        #expect(
            page.blocks == [
                .heading(level: 2, [WebRun("One")]), .paragraph([WebRun("two\nthree")]),
                .paragraph([WebRun("four")]),
            ])
    }

    @Test func keepsTheLooksOfWordsAndTheSpacesBetweenThem() {
        let page = parse("<p>a <b>b<i> c</i></b> <code>d</code>")
        #expect(
            page.blocks == [
                .paragraph([
                    WebRun("a "), WebRun("b", .strong), WebRun(" c", [.strong, .emphasis]),
                    WebRun(" "), WebRun("d", .code),
                ])
            ])
    }

    @Test func numbersLinksThatCanBeSeen() {
        let page = parse(
            "<a href=/one>One</a> <a href='#'></a><a href=two><img alt=pic></a> "
                + "<a href=' javascript:alert(1)'>three</a> <a href=\"a b\nc\">four</a>")
        #expect(page.links.map(\.address) == ["/one", "two", "a%20bc"])
        #expect(text(page) == "[1]One [2][pic] three [3]four")
    }

    @Test func nestsListsAndCountsTheirItems() {
        let page = parse("<ol start=3><li>a<ul><li>b</ul><li value=9>c<li>d</ol><li>e")
        #expect(lines(page, 20) == [" 3. a", "    • b", " 9. c", "10. d", "  • e"])
    }

    @Test func keepsTheSpacesOfPreformattedText() {
        let page = parse("<pre>\na  b\n\tc\n</pre>")
        #expect(page.blocks == [.preformatted([WebRun("a  b\n\tc")])])
        #expect(lines(page, 20) == ["a  b", "        c"])
    }

    @Test func leavesOutWhatIsNotText() {
        let page = parse(
            "<head><style>p{}</style><script>alert('x')</script></head><body><p hidden>no"
                + "<p>yes<template>no</template><svg><title>no</title><text>no</text></svg>"
                + "<noscript>shown</noscript><!-- no -->")
        #expect(text(page) == "yesshown")
        #expect(page.title.isEmpty)
    }

    @Test func showsWordsInPlaceOfPicturesAndFields() {
        let page = parse(
            "<img alt='a  cat'> <img alt=''><img src='/x/dog.png?s=1'> <img src=t.gif width=1>"
                + "<input value=in> <input type=hidden value=no><input type=submit value=Go>"
                + "<select><option>no</select>")
        #expect(text(page) == "[a cat] [dog.png] [in] [ Go ][ … ]")
    }

    @Test func marksThePlacesThatFragmentsName() {
        let page = parse("<p>a<h2 id=two>b</h2><p><a name=three></a>c")
        let layout = WebLayout(page, width: 20)
        #expect(layout.anchors == ["two": 2, "three": 4])
    }

    @Test func readsEntities() {
        #expect(text(parse("<p>&lt;&amp;&eacute;&#x6f22;&nbsp;&unknown;")) == "<&é漢 &unknown;")
    }

    @Test func takesTheBaseOfAddresses() {
        #expect(parse("<base href='http://a/b/'><p>x").base == "http://a/b/")
    }

    @Test(arguments: [
        ("", ""), (" \n ", ""), ("<html>", ""), ("<p", ""), ("<!--", ""), ("&", ""),
        ("<p>Q & A", "Q & A"), ("<p>a &", "a &"), ("<p>AT&T", "AT&T"), ("<p>a &</p>", "a &"),
        ("<p>a</p", "a"), ("<title>", ""),
    ])
    func readsWhatIsEmptyOrCutOff(page: String, shown: String) {
        let page = parse(page)
        #expect(text(page) == shown)
        #expect(page.cut == nil)
    }

    @Test func readsATruncatedTable() {
        #expect(text(parse("<table><tr><td>a<td>b<tr><td>c")).contains("c"))
    }
}

func parse(_ html: String) -> WebDocument { HTMLParser.parse(Array(html.utf8), charset: "utf-8") }

/// The lines for a width, as text.
func lines(_ page: WebDocument, _ width: Int) -> [String] {
    WebLayout(page, width: width).lines.map(\.text)
}

func text(_ page: WebDocument) -> String { lines(page, 10_000).joined(separator: "\n") }
