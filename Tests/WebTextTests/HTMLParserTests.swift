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

    @Test(arguments: [
        ("<ol reversed><li>a<li>b<li>c</ol>", ["3. a", "2. b", "1. c"]),
        ("<ol start=5 reversed><li>a<li>b</ol>", ["5. a", "4. b"]),
        ("<ol type=A start=26><li>a<li>b</ol>", [" Z. a", "AA. b"]),
        ("<ol type=i start=8><li>a<li>b</ol>", ["viii. a", "  ix. b"]),
        ("<ol type=a start=0><li>a<li>b</ol>", ["0. a", "a. b"]),
    ])
    func countsAsTheListSays(page: String, expected: [String]) {
        let shown = lines(parse(page), 20)
        let indent = shown.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        #expect(
            shown.map { String($0.dropFirst(indent)) }
                == expected.map { line in
                    String(
                        line.dropFirst(expected.map { $0.prefix { $0 == " " }.count }.min() ?? 0))
                })
    }

    @Test func aDescriptionEndsWhereTheNextBegins() {
        let page = parse("<dl><dt>A<dd>1<dd>2<dl><dt>x<dd>y<dd>z</dl>more<dt>B<dd>4</dl>end")
        let shown = lines(page, 40)
        func indent(_ word: String) -> Int? {
            shown.first { $0.hasSuffix(word) }?.prefix { $0 == " " }.count
        }
        #expect(indent("1") == indent("2") && indent("1") == indent("4"))
        #expect(indent("y") == indent("z") && indent("more") == indent("2"))
        #expect(indent("A") == 0 && indent("B") == 0 && indent("end") == 0)
    }

    @Test(arguments: ["script", "style"])
    func aScriptIsNoTagWhateverIsInIt(name: String) {
        let code = "for(var i=0;i<n;i++){ " + String(repeating: "var a = b + c; ", count: 300)
        for more in ["", "// don't\n", "if(a<b){x=\"y z\"", "<!-- <script>", "</scrip t>"] {
            let page = parse("<p>before<\(name) type=x>\(code)\(more)}</\(name)><p>AFTER")
            #expect(text(page).hasSuffix("AFTER"), "\(more)")
        }
    }

    @Test func cellsThatReachDownMoveTheNextRows() {
        let page = parse(
            "<table><tr><th rowspan=2>Name<th colspan=2>Score<tr><th>Math<th>Art"
                + "<tr><td>Ann<td>1<td>2</table>")
        guard case .table(let table)? = page.blocks.first else {
            Issue.record("no table")
            return
        }
        #expect(table.rows.map(\.count) == [2, 3, 3])
        #expect(table.rows[1][0].blocks.isEmpty && !table.rows[1][1].blocks.isEmpty)
        let long = parse("<table><tr><td rowspan=9>a<td>b<tr><td>c<tr><td>d<td>e</table>")
        guard case .table(let table)? = long.blocks.first else {
            Issue.record("no table")
            return
        }
        #expect(table.rows.map(\.count) == [2, 2, 3])
    }

    @Test func aWideTableWithRowSpansIsRead() {
        let wide = String(repeating: "<td colspan=64 rowspan=1000>x", count: 17)
        let page = parse(
            "<table><tr>" + wide + String(repeating: "<tr>", count: 2000) + "</table>end")
        #expect(text(page).hasSuffix("end"))
    }

    @Test func oldReferencesAreCharactersOfWindows() {
        #expect(text(parse("<p>a &#150; it&#146;s &#147;q&#148; &#128;5")) == "a – it’s “q” €5")
    }

    @Test(arguments: [
        ("&check;&NotEqualTilde;&lang;", "✓≂̸⟨"),
        ("&copy 2020, &notit; &notin; &ampx", "© 2020, ¬it; ∉ &x"),
        ("&nosuch; & &; &amp;check;", "&nosuch; & &; &check;"), ("&AMP;&lt;b&gt;", "&<b>"),
        ("<b title='&check;'>x</b><img alt='&check; &copy'>", "x[✓ ©]"),
        ("<script>'&check;'</script><!-- &check; -->x", "x"), ("&check", "&check"), ("&copy", "©"),
    ])
    func knowsAllNamedReferences(html: String, expected: String) {
        #expect(text(parse("<p>" + html)) == expected)
    }

    @Test func anAddressKeepsItsParameters() {
        let page = parse("<a href='?a=1&copy=2&amp;check=3&not4&lang;'>x</a>")
        #expect(page.links.map(\.address) == ["?a=1&copy=2&check=3&not4⟨"])
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
                + "<select><option>yes</select>")
        #expect(text(page) == "[a cat] [dog.png] [in] [ Go ][yes ▾]")
    }

    @Test(arguments: [
        ("<select><option>a<option selected> b\n c <option>d</select>e", "[b c ▾]e"),
        ("<select><optgroup label=x><option>a</option></optgroup><option>b</select>e", "[a ▾]e"),
        ("<select multiple><option>a<option selected>b<option selected>c</select>e", "[b, c ▾]e"),
        ("<select multiple><option>a</select>e", "[ … ]e"),
        ("<select></select>e", "[ … ]e"),
        ("<select><option selected>A</option><script>var x</script> x</select>e", "[A ▾]e"),
        ("<select><option disabled>Choose<option>a</select>e", "[a ▾]e"),
        (
            "<select multiple>" + (1...9).map { "<option selected>\($0)" }.joined() + "</select>e",
            "[1, 2, 3, 4, 5, 6, 7, 8 ▾]e"
        ),
        ("<select><option>a<input value=v>e", "[a ▾][v]e"),
        ("<select><option>a &amp; b &#150; <b>c</b></select>e", "[a & b – c ▾]e"),
    ])
    func showsTheChosenOption(html: String, expected: String) {
        #expect(text(parse("<p>" + html)) == expected)
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
