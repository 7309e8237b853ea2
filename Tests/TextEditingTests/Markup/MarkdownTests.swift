import Testing

@testable import TextEditing

@Suite struct MarkdownTests {
    private func parts(_ line: String) -> [String] {
        let bytes = Array(line.utf8)
        return MarkdownLine.spans(of: bytes).map {
            "\($0.kind): \(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(
        arguments: [
            ("# Title", ["heading: # Title"]), ("####### no", []), ("#tag", []),
            ("a *b* c", ["emphasis: *b*"]), ("a **b c** d", ["strong: **b c**"]),
            ("snake_case_name", []), ("_yes_", ["emphasis: _yes_"]), ("2 * 3 * 4", []),
            ("`a *b* c`", ["code: `a *b* c`"]), ("``a ` b``", ["code: ``a ` b``"]), ("`open", []),
            ("[words](http://x.y/z)", ["link: [words](http://x.y/z)"]), ("[x] alone", []),
            ("![p](a.png)!", ["link: ![p](a.png)"]),
            ("see https://a.b/c.", ["link: https://a.b/c"]), ("<me@there>", ["link: <me@there>"]),
            ("- milk", ["sign: - "]), ("> - *so*", ["sign: >", "sign: - ", "emphasis: *so*"]),
            ("---", ["sign: ---"]), ("\\*no\\*", []), ("\\", []), ("", []), ("*", []),
        ] as [(String, [String])])
    func readsALine(line: String, expected: [String]) {
        #expect(parts(line) == expected)
    }

    @Test func followsBlocksOfCode() {
        let text: TextBuffer = "a\n```swift\n# no\n~~~\n```\n# yes\n"
        var fences = MarkdownFences(before: 0, in: text)
        let places = (0..<6).map { fences.accept(text.bytes(in: text.range(ofLine: $0))) }
        #expect(places == [.outside, .inside, .inside, .inside, .inside, .outside])
        var later = MarkdownFences(before: text.start(ofLine: 2), in: text)
        #expect(later.accept(Array("# no".utf8)) == .inside)
    }

    @Test func anyBytesAreRead() {
        var generator = SystemRandomNumberGenerator()
        let signs = Array("`*_[]()<>#-!\\ ~ab\u{301}".utf8) + [0xFF, 0x0D]
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 0...24, using: &generator)).compactMap { _ in
                signs.randomElement(using: &generator)
            }
            var end = 0
            for span in MarkdownLine.spans(of: line) {
                #expect(span.range.lowerBound >= end && span.range.upperBound <= line.count)
                end = span.range.upperBound
            }
        }
    }
}
