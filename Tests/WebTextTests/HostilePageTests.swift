import Testing
import TextEditing
import WebText

/// Pages that somebody made to break what reads them: each is read to its end, or cut, in little time.
@Suite struct HostilePageTests {
    private static let pages: [(name: String, page: String)] = [
        ("nested elements", String(repeating: "<div>", count: 100_000) + "end"),
        ("nested lists", String(repeating: "<ul><li>", count: 50_000) + "end"),
        ("nested quotations", String(repeating: "<blockquote>a", count: 50_000) + "end"),
        ("nested tables", String(repeating: "<table><tr><td>a<td>", count: 20_000) + "end"),
        (
            "closing what is not open",
            String(repeating: "<b>", count: 50_000) + String(repeating: "</i>", count: 100_000)
        ),
        ("attributes", "<p " + (0..<400_000).map { "a\($0)" }.joined(separator: " ") + ">end"),
        (
            "attributes with values",
            "<p " + (0..<200_000).map { "a\($0)='>'" }.joined(separator: "/") + ">end"
        ),
        ("one attribute", "<p title='" + String(repeating: "x", count: 3_000_000) + "'>end"),
        ("a comment without end", "<!--" + String(repeating: "-", count: 3_000_000)),
        ("a tag without end", "<p " + String(repeating: "x", count: 3_000_000)),
        ("a name without end", "<" + String(repeating: "x", count: 3_000_000)),
        ("a script without end", "<script>" + String(repeating: "<", count: 3_000_000)),
        ("entities", String(repeating: "&#x1F600;&amp;&bogus", count: 150_000)),
        ("one word", String(repeating: "x", count: 3_000_000)),
        ("spaces", String(repeating: " \n", count: 1_500_000)),
        ("line breaks", String(repeating: "<br>", count: 200_000)),
        ("links", String(repeating: "<a href=x>y</a>", count: 150_000)),
        ("columns", "<table><tr>" + String(repeating: "<td colspan=9999999>x", count: 20_000)),
        ("combining marks", "e" + String(repeating: "\u{301}", count: 500_000)),
        ("a list's numbers", "<ol start=999999999999999999999><li value=-99999999999>x"),
        ("frames", String(repeating: "<iframe src=x>", count: 50_000)),
    ]

    @Test(arguments: pages.map(\.name))
    func endsInTime(name: String) throws {
        let page = try #require(Self.pages.first { $0.name == name }).page
        var limits = HTMLLimits()
        limits.time = .seconds(2)
        let start = ContinuousClock.now
        let document = HTMLParser.parse(Array(page.utf8), charset: "utf-8", limits: limits)
        let layout = WebLayout(document, width: 80)
        // Not a measure of speed: a square of these sizes would take minutes.
        #expect(ContinuousClock.now - start < .seconds(40))
        #expect(layout.lines.allSatisfy { CellWidth.of($0.text) <= 80 })
    }

    @Test func showsTheTextOfWhatIsNestedTooDeep() {
        let page = String(repeating: "<div><ul><li>", count: 3000) + "end"
        #expect(text(parse(page)).hasSuffix("end"))
    }

    @Test func cutsWhatIsTooLong() {
        var limits = HTMLLimits()
        limits.byteCount = 1000
        let page = HTMLParser.parse(
            Array(("<p>" + String(repeating: "word ", count: 1000)).utf8), limits: limits)
        #expect(page.cut == .size)
        #expect(text(page).utf8.count < 1000)
        limits = HTMLLimits()
        limits.elementCount = 10
        let parts = HTMLParser.parse(
            Array(String(repeating: "<p>x", count: 100).utf8), limits: limits)
        #expect(parts.cut == .elementCount)
        #expect(parts.blocks.count <= 10)
    }

    @Test func keepsTheFirstAttributesOfTooMany() {
        let more = (0..<2000).map { "data-\($0)='\"<b>'" }.joined(separator: " ")
        let page = parse("<a href=/x \(more)>link</a> and <b>more</b>")
        #expect(page.links.map(\.address) == ["/x"])
        #expect(text(page) == "[1]link and more")
    }

    @Test func readsOnBehindANUL() {
        #expect(text(parse("<p>a\0b<b\0>c</p><p>d")).contains("d"))
        #expect(text(parse("a\0b")) == "a\u{FFFD}b")
    }

    /// What stays of them in the document is made visible where it is drawn.
    @Test func countsTheCellsOfVisibleFormsOfControls() {
        let page = parse("<p>a\u{1B}[31mb\u{202E}c\u{9B}d&#27;&#x202e;&#155;")
        let line = text(page)
        #expect(!VisibleText(line).string.unicodeScalars.contains { $0.value < 0x20 })
        #expect(VisibleText(line).string.contains("<U+202E>"))
        for line in WebLayout(page, width: 10).lines { #expect(CellWidth.of(line.text) <= 10) }
    }

    /// libxml2 compares each attribute with all before it: 600,000 would take many minutes.
    @Test(arguments: [
        "<a b=c\"><p ", "<a \"><p ", "<script q=w/><a b=\"</script><p ",
        "<script></scriptx><a b=\"</script><p ", "<?y <a b=\"><p ", "q</y <a b=\"><b ",
        "<!DOCTYPE <a b=\"><b ", "<!DOCTYPE html PUBLIC \"><a b='\" \"x\"><p ", "</ <p ", "<!x <p ",
        "<!-- --!> <p ", "<? <p ", "<?\u{E9} <a b=\"><p ", "</\u{E9} <a b=\"><p ",
    ])
    func attributesThatHideFromTheTrimmerTakeNoTime(_ beginning: String) {
        let many = (0..<500_000).map { "x\($0)" }.joined(separator: " ")
        let start = ContinuousClock.now
        let page = HTMLParser.parse(Array((beginning + many + ">text").utf8))
        // Not a measure of speed: a square of this size takes minutes.
        #expect(ContinuousClock.now - start < .seconds(40))
        #expect(page.blocks.count < 10)
    }
}
