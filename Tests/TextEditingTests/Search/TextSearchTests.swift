import Testing

@testable import TextEditing

@Suite struct TextSearchTests {
    private func found(
        _ pattern: String, in text: String, case rule: TextSearch.CaseRule = .smart
    ) throws -> [String] {
        let query = TextQuery(pattern, isRegularExpression: true, caseRule: rule)
        let buffer = TextBuffer(text)
        let search = try #require(try TextSearch(query))
        return try search.matches(in: buffer).map { buffer.string(in: $0) }
    }

    @Test(
        arguments: [
            ("b+", "abbb cb", ["bbb", "b"]), ("^\\w+", "one two\nthree", ["one", "three"]),
            ("\\w+$", "one two\r\nthree", ["two", "three"]), ("ü", "Ü ü", ["Ü", "ü"]),
            ("Ü", "Ü ü", ["Ü"]), ("\\S+", "a B", ["a", "B"]), ("ß.", "ßx\nß\n", ["ßx"]),
            ("a.c", "a\nc abc", ["abc"]), ("a\\nb", "a\nb", ["a\nb"]), ("(?<=x)y", "xy y", ["y"]),
        ] as [(String, String, [String])])
    func matchesExpressions(pattern: String, text: String, expected: [String]) throws {
        #expect(try found(pattern, in: text) == expected)
    }

    @Test func anEmptyMatchIsFoundOnceALine() throws {
        let search = try #require(try TextSearch(TextQuery("^", isRegularExpression: true)))
        #expect(try search.matches(in: "a\nb\n") == [0..<0, 2..<2])
        let ends = try #require(try TextSearch(TextQuery("$", isRegularExpression: true)))
        #expect(try ends.matches(in: "a\nb\n") == [1..<1, 3..<3])
        #expect(try ends.matches(in: "a\nb") == [1..<1, 3..<3])
    }

    /// Of any length around that of what is looked at first, with characters of several bytes cut by its end.
    @Test(arguments: [
        LongMatch("\\w+") { ["a", $0, "b", $0 + "é"] },
        LongMatch("[^.]+") { ["a " + $0, " b\n" + $0 + "é\n"] },
        LongMatch("(?s)x.*?y") { [$0, $0] },
        LongMatch("é+$") { _ in ["é"] },
        LongMatch("\\S+(?=\\.)") { [$0] },
        LongMatch("(\\w)\\1*y") { [String($0.dropFirst()), String($0.dropFirst())] },
    ])
    fileprivate func aMatchMayBeLongerThanWhatIsLookedAtFirst(_ match: LongMatch) throws {
        for count in [1, 200, 500, 511, 512, 513, 1000, 4000, 20_000] {
            let word = "x" + String(repeating: "é", count: count) + "y"
            let text = "a \(word). b\n\(word)é\n"
            #expect(try found(match.pattern, in: text) == match.expected(word), "\(count)")
        }
    }

    @Test func aLineBreakInATemplateIsThatOfTheText() throws {
        let search = try #require(try TextSearch(TextQuery(";", isRegularExpression: true)))
        for (text, expected) in [("a;b\r\n", "\r\n"), ("a;b\n", "\n"), ("a;b", "\n")] {
            let buffer = TextBuffer(text)
            let new = search.replacement(for: 1..<2, in: buffer, template: "\\n")
            #expect(Array((new?.string ?? "").utf8) == Array(expected.utf8))
        }
    }

    @Test func findsLettersOfEitherCaseBeyondASCII() throws {
        let text: TextBuffer = "GRÖSSE größe Größe"
        let any = try #require(TextSearch("grö"))
        #expect(try any.matches(in: text).count == 3)
        let exact = try #require(TextSearch("Grö"))
        #expect(try exact.matches(in: text).count == 1)
        let ignored = try #require(TextSearch("GRÖ", case: .ignored))
        #expect(try ignored.matches(in: text).count == 3)
    }

    @Test func seamsOfTheRopeAndOfTheWindowsHideNothing() throws {
        let line = "0123456789 needle 漢字 \u{1F600}\n"
        let count = 12_000
        let text = TextBuffer(String(repeating: line, count: count))
        let literal = try #require(TextSearch("needle 漢"))
        #expect(try literal.matches(in: text).count == count)
        let pattern = TextQuery("n[d-l]+ \\p{Han}+", isRegularExpression: true)
        let search = try #require(try TextSearch(pattern))
        let matches = try search.matches(in: text)
        #expect(matches.count == count)
        #expect(try search.lastMatch(in: text, before: text.count) == matches.last)
    }

    @Test func bytesThatAreNoTextDoNotEndASearch() throws {
        let text = TextBuffer(utf8: [0xFF, 0xFE] + Array("abc".utf8) + [0xC3] + Array("abc".utf8))
        let search = try #require(try TextSearch(TextQuery("b.", isRegularExpression: true)))
        #expect(try search.matches(in: text) == [3..<5, 7..<9])
    }

    @Test(arguments: ["(", "[a", "a{2,1}", "(?<n", "*", "\\C"])
    func saysWhatIsWrongWithAnExpression(pattern: String) {
        let error = #expect(throws: TextSearchError.self) {
            try TextSearch(TextQuery(pattern, isRegularExpression: true))
        }
        #expect(error?.description.hasSuffix(".") == true)
    }

    /// Each would run for years without a bound.
    @Test(arguments: [
        "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*(b|c)$", "(.*)(.*)(.*)(.*)(.*)[bc]$",
    ])
    func aBadExpressionEnds(pattern: String) throws {
        let text = TextBuffer(String(repeating: "a", count: 3000) + "!")
        let search = try #require(try TextSearch(TextQuery(pattern, isRegularExpression: true)))
        // Found, not found or given up: what counts is that it ends.
        _ = try? search.matches(in: text)
    }

    @Test func aSearchCanBeEnded() throws {
        let text = TextBuffer(String(repeating: "abc\n", count: 500_000))
        for pattern in [TextQuery("b"), TextQuery("b", isRegularExpression: true)] {
            let search = try #require(try TextSearch(pattern))
            let found = try search.matches(in: text, while: { false })
            #expect(found.count < 500_000)
        }
    }

    @Test(
        arguments: [
            ("(\\w+) (\\w+)", "$2 $1", "two one"), ("(\\w+) (\\w+)", "\\2, \\1", "two, one"),
            ("one", "$0$0", "oneone two"), ("one", "$$1", "$1 two"), ("one", "a\\tb", "a\tb two"),
            ("(x)?one", "[$1]", "[] two"), ("one", "${0}s", "ones two"), ("one", "$", "$ two"),
            ("(?<a>\\w+) (?<b_2>\\w+)", "${b_2} ${a}", "two one"), ("one", "${no}", "${no} two"),
            ("(?J)(?:(?<n>x)|(?<n>o)ne)", "${n}", "o two"), ("(?<n>x)?one", "[${n}]", "[] two"),
            ("one", "${", "${ two"), ("one", "${}", "${} two"),
        ] as [(String, String, String)])
    func templatesNameGroups(pattern: String, template: String, expected: String) throws {
        let search = try #require(try TextSearch(TextQuery(pattern, isRegularExpression: true)))
        var editor = TextEditor("one two")
        let match = try #require(try search.firstMatch(in: editor.text, from: 0))
        editor.replace(
            match,
            with: try #require(search.replacement(for: match, in: editor.text, template: template)))
        #expect(editor.text.string == expected)
    }

    @Test func aLiteralReplacementIsTakenAsItIs() throws {
        let search = try #require(TextSearch("one"))
        #expect(search.replacement(for: 0..<3, in: "one", template: "$1\\n")?.string == "$1\\n")
    }

    @Test(
        arguments: [
            ("price: \\K\\d+", "price: 12 price: 345", "price: <12> price: <345>"),
            ("\\d+\\K (\\w)", "12 a 3 b", "12< a> 3< b>"),
        ] as [(String, String, String)])
    func whatAMatchLeavesOutBeforeItStays(pattern: String, text: String, expected: String) throws {
        let search = try #require(try TextSearch(TextQuery(pattern, isRegularExpression: true)))
        var editor = TextEditor(TextBuffer(text))
        for match in try search.matches(in: editor.text).reversed() {
            editor.replace(
                match,
                with: try #require(
                    search.replacement(for: match, in: editor.text, template: "<$0>")))
        }
        #expect(editor.text.string == expected)
    }

    /// Its groups are cut off somewhere: a template must not take the place of what it could not read.
    @Test func whatIsLongerThanAMatchCanBeIsNotReplaced() throws {
        let search = try #require(
            try TextSearch(TextQuery("foo(\\d.*)", isRegularExpression: true)))
        for template in ["[$1]", "plain"] {
            let long = TextBuffer("foo1" + String(repeating: " abc", count: 50_000))
            let match = try #require(try search.firstMatch(in: long, from: 0))
            #expect(search.replacement(for: match, in: long, template: template) == nil)
        }
    }
}

/// A pattern, and what it finds around a word.
private struct LongMatch: CustomTestStringConvertible {
    let pattern: String
    let expected: @Sendable (String) -> [String]

    init(_ pattern: String, expected: @escaping @Sendable (String) -> [String]) {
        self.pattern = pattern
        self.expected = expected
    }

    var testDescription: String { pattern }
}
