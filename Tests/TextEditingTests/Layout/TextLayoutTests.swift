import Testing
@testable import TextEditing

/// All rows of a text, as strings.
func rows(_ string: String, columns: Int, tabWidth: Int = 4, wraps: Bool = true) -> [String] {
    let text = TextBuffer(string)
    var layout = TextLayout(
        options: TextLayoutOptions(columns: columns, tabWidth: tabWidth, wraps: wraps))
    let first = layout.firstRow(ofLine: 0, in: text)
    return layout.rows(from: first, count: .max, in: text).map { text.string(in: $0.range) }
}

@Suite struct TextLayoutTests {
    @Test(
        arguments: [
            ("", 10, [""]), ("short", 10, ["short"]), ("a\n\nb", 10, ["a", "", "b"]),
            ("a\r\nb\r\n", 10, ["a", "b", ""]),
            ("aaaa bbbb cccc", 10, ["aaaa bbbb ", "cccc"]),
            ("aaaa bbbbb cccc", 10, ["aaaa bbbbb ", "cccc"]),
            ("aaaa bbbbbb cccc", 10, ["aaaa ", "bbbbbb ", "cccc"]),
            ("abcdefghijklmno", 10, ["abcdefghij", "klmno"]),
            ("ab abcdefghijklmno", 10, ["ab ", "abcdefghij", "klmno"]),
            ("abcdefghij", 10, ["abcdefghij"]),
            ("abcdefghij ", 10, ["abcdefghij ", ""]), ("abcdefghij  x", 10, ["abcdefghij ", " x"]),
            ("漢字漢字漢", 5, ["漢字", "漢字", "漢"]), ("漢字漢字。漢", 8, ["漢字漢", "字。漢"]),
            ("漢「字」漢", 6, ["漢", "「字」", "漢"]),
            ("a漢b字", 3, ["a漢", "b字"]), ("well-known fact", 8, ["well-", "known ", "fact"]),
            ("-1 -2 -3", 5, ["-1 -2 ", "-3"]),
            ("😀😀😀", 4, ["😀😀", "😀"]),
            ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
            ("a\tb\tc", 6, ["a\tb\t", "c"]), ("漢", 1, ["漢"]), ("漢字", 1, ["漢", "字"]),
            ("a\u{1B}b", 2, ["a", "\u{1B}", "b"]),
            ("x\u{202E}y", 8, ["x", "\u{202E}", "y"]),
        ])
    func breaks(text: String, columns: Int, expected: [String]) {
        #expect(rows(text, columns: columns) == expected)
    }

    @Test func doesNotWrapWhenAskedNotTo() {
        #expect(rows("aaaa bbbb\ncc", columns: 3, wraps: false) == ["aaaa bbbb", "cc"])
    }

    @Test(arguments: [
        ("a\tb", 2, 4), ("漢字x", 6, 4), ("e\u{301}x", 3, 1), ("\u{1B}x", 1, 2), ("", 0, 0),
    ])
    func knowsTheColumnOfAnOffset(string: String, offset: Int, column: Int) {
        let text = TextBuffer(string)
        var layout = TextLayout(options: TextLayoutOptions(columns: 20))
        let row = layout.firstRow(ofLine: 0, in: text)
        #expect(layout.column(of: offset, in: row, of: text) == column)
        #expect(layout.offset(atColumn: column, in: row, of: text) == offset)
    }

    @Test func aCellInsideAWideCharacterOrTabBelongsToIt() {
        let text: TextBuffer = "漢\tb"
        var layout = TextLayout(options: TextLayoutOptions(columns: 20))
        let row = layout.firstRow(ofLine: 0, in: text)
        #expect(
            (0...6).map { layout.offset(atColumn: $0, in: row, of: text) } == [0, 0, 3, 3, 4, 5, 5])
    }

    @Test func drawsTabsAsSpacesAndHiddenCharactersVisibly() {
        let text: TextBuffer = "a\t\u{1B}漢"
        var layout = TextLayout(options: TextLayoutOptions(columns: 20))
        let row = layout.firstRow(ofLine: 0, in: text)
        var drawn: [String] = []
        layout.forEachGlyph(in: row, of: text) { column, glyph in
            drawn.append("\(column)\(glyph.text)")
        }
        #expect(drawn == ["0a", "1 ", "2 ", "3 ", "4^", "5[", "6漢"])
        drawn = []
        layout.forEachGlyph(in: row, of: text, columns: 5..<7) { column, glyph in
            drawn.append("\(column)\(glyph.text)")
        }
        #expect(drawn == ["4^", "5[", "6漢"])
    }

    @Test(arguments: 1...6)
    func rememberedRowsEqualThoseFoundAnew(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 500)
        let words = difficultPieces + ["the ", "quick ", "brown ", "fox "]
        let pieces = words.filter { !$0.contains("\n") && !$0.contains("\r\n") }
        func some(_ count: Int) -> String {
            (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        let line = some(1000)
        var text = TextBuffer("first\n" + line + "\nlast\n" + line)
        var layout = TextLayout(options: TextLayoutOptions(columns: 30))
        for step in 0..<40 {
            let offset = Int.random(in: 0...text.count, using: &random)
            let end = min(
                text.count, offset + (step % 3 == 0 ? Int.random(in: 0..<9, using: &random) : 0))
            let new = step % 7 == 6 ? "\n" : some(Int.random(in: 0..<3, using: &random))
            text.replace(offset..<end, with: new)
            layout.didReplace(offset..<end, withCount: new.utf8.count)
            for _ in 0..<4 {
                let target = Int.random(in: 0...text.count, using: &random)
                var fresh = TextLayout(options: layout.options)
                for affinity in [CaretAffinity.downstream, .upstream] {
                    let (kept, new) = (
                        layout.row(at: target, affinity, in: text),
                        fresh.row(at: target, affinity, in: text)
                    )
                    #expect(kept == new)
                }
            }
        }
    }

    @Test(arguments: 1...4)
    func rememberedColumnsEqualThoseCountedAnew(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 900)
        let pieces = difficultPieces.filter { !$0.contains("\n") && !$0.contains("\r\n") }
        func some(_ count: Int) -> String {
            (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        var text = TextBuffer("first\n" + some(2500) + "\n" + some(2500))
        var layout = TextLayout(options: TextLayoutOptions(columns: 30, wraps: false))
        for _ in 0..<25 {
            let offset = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, offset + Int.random(in: 0..<9, using: &random))
            let new = some(Int.random(in: 0..<3, using: &random))
            text.replace(offset..<end, with: new)
            layout.didReplace(offset..<end, withCount: new.utf8.count)
            var fresh = TextLayout(options: layout.options)
            let target = Int.random(in: 0...text.count, using: &random)
            let row = layout.row(at: target, in: text)
            let column = fresh.column(of: target, in: row, of: text)
            #expect(layout.column(of: target, in: row, of: text) == column)
            #expect(
                layout.offset(atColumn: column, in: row, of: text)
                    == fresh.offset(atColumn: column, in: row, of: text))
            var (kept, counted): ([Glyph], [Glyph]) = ([], [])
            layout.forEachGlyph(in: row, of: text, columns: column..<column + 40) {
                kept.append($1)
            }
            fresh.reset()
            fresh.forEachGlyph(in: row, of: text, columns: column..<column + 40) {
                counted.append($1)
            }
            #expect(kept == counted)
        }
    }

    @Test func walksTheSameRowsDownAndUp() {
        var random = SeededGenerator(seed: 77)
        let string = (0..<2000).map { _ in difficultPieces.randomElement(using: &random) ?? "" }
            .joined()
        let text = TextBuffer(string)
        var layout = TextLayout(options: TextLayoutOptions(columns: 17))
        let first = layout.firstRow(ofLine: 0, in: text)
        let down = layout.rows(from: first, count: .max, in: text)
        var up = [down[down.count - 1]]
        while let row = layout.row(before: up[up.count - 1], in: text) { up.append(row) }
        #expect(down == up.reversed())
        // No row is wider than the screen, but for one cluster that is, and the caret's cell.
        for row in down {
            let width = layout.column(of: row.range.upperBound, in: row, of: text)
            #expect(width <= 17)
        }
        var next = 0
        for row in down {
            #expect(row.range.lowerBound == next || row.isFirstOfLine)
            next = row.range.upperBound
        }
    }
}
