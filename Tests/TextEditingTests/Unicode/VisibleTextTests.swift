import Testing
import TextEditing

@Suite struct VisibleTextTests {
    @Test(
        arguments: [
            ("plain", "plain", 5), ("naïve café", "naïve café", 10), ("漢字", "漢字", 4),
            ("e\u{301}", "e\u{301}", 1), ("한국어", "한국어", 6), ("ｱｲ", "ｱｲ", 2),
            ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", 2),
            ("😀", "😀", 2), ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦", 2), ("👍🏽", "👍🏽", 2), ("🇩🇪🇯🇵", "🇩🇪🇯🇵", 4),
            ("❤\u{FE0F}", "❤\u{FE0F}", 2), ("❤", "❤", 1),
            ("1\u{FE0F}\u{20E3}", "1\u{FE0F}\u{20E3}", 2),
            ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("नमस्ते", "नमस्ते", 4), ("می\u{200C}خواهم", "می\u{200C}خواهم", 7),
        ])
    func keepsWriting(text: String, shown: String, width: Int) {
        let visible = VisibleText(text)
        #expect(visible.string == shown)
        #expect(visible.width == width)
        #expect(CellWidth.of(text) == width)
        #expect(!visible.glyphs.contains { $0.isSubstitute })
    }

    @Test(
        arguments: [
            ("\u{1B}[31mred", "^[[31mred"), ("a\nb\tc", "a^Jb^Ic"), ("\r\n", "^M^J"),
            ("\u{0}\u{7F}", "^@^?"),
            ("\u{9B}31m", "<U+009B>31m"), ("a\u{202E}b\u{2066}", "a<U+202E>b<U+2066>"),
            ("pay\u{200B}pal", "pay<U+200B>pal"), ("a\u{200D}b", "a<U+200D>b"),
            ("x\u{FE0F}", "x<U+FE0F>"), ("\u{FEFF}top", "<U+FEFF>top"),
            ("so\u{AD}ft", "so<U+00AD>ft"),
            ("\u{E0041}", "<U+E0041>"), ("\u{3164}", "<U+3164>"), ("\u{2028}", "<U+2028>"),
            ("\u{10FFFF}", "<U+10FFFF>"), ("👨\u{200D}x", "👨<U+200D>x"),
            ("\u{301}a", "\u{25CC}\u{301}a"),
            ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}<U+FE0F>"),
        ])
    func showsWhatHides(text: String, shown: String) {
        let visible = VisibleText(text)
        #expect(visible.string == shown)
        #expect(visible.width == CellWidth.of(text))
        #expect(visible.width == visible.glyphs.reduce(0) { $0 + $1.width })
    }

    @Test func showsBytesThatAreNoUTF8() {
        let bytes: [UInt8] = [0x41, 0xE9, 0x42, 0xED, 0xA0, 0x80, 0xF5, 0xE2, 0x82]
        #expect(VisibleText(utf8: bytes).string == "A<E9>B<ED><A0><80><F5><E2><82>")
    }

    @Test func neverEmitsAControlForAnyScalar() {
        for value in (UInt32(0)...0x1FFFF).filter({ $0 < 0x3000 || $0 > 0xD7FF || $0 % 7 == 0 })
            + Array(0xE0000...0xE0FFF)
        {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let visible = VisibleText("a" + String(scalar) + "b")
            let isSafe = visible.glyphs.allSatisfy { glyph in
                (1...2).contains(glyph.width)
                    && glyph.text.unicodeScalars.allSatisfy {
                        $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                    }
            }
            if !isSafe { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test func limitsMarksOnOneBase() {
        let visible = VisibleText("z" + String(repeating: "\u{301}", count: 40) + "!")
        #expect(visible.glyphs.allSatisfy { $0.text.utf8.count <= 40 })
        #expect(visible.glyphs.last?.text == "!")
    }

    @Test(arguments: ["👨🏽‍🚀", "🏃🏽‍♀️", "🧑🏻‍❤️‍💋‍🧑🏿", "🏳️‍🌈", "🏴‍☠️", "👁️‍🗨️", "🫱🏻‍🫲🏿", "☝🏽", "🧑‍🧑‍🧒‍🧒"])
    func keepsEmojiWhole(emoji: String) {
        let visible = VisibleText(emoji)
        #expect(visible.glyphs.map(\.text) == [emoji])
        #expect(visible.width == 2)
        #expect(CellWidth.of(emoji) == 2)
    }

    @Test func measuresAsItDraws() {
        let parts = [
            "👨", "👩", "🏽", "\u{200D}", "\u{FE0F}", "\u{FE0E}", "❤", "☝", "🇩", "a", "漢", "\u{301}",
            "क", "\u{94D}",
        ]
        var random = SeededGenerator(seed: 9)
        for _ in 0..<3000 {
            let text = (0..<5).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let drawn = VisibleText(text).glyphs.reduce(0) { $0 + $1.width }
            #expect(drawn == CellWidth.of(text), "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test func namesTheSourceOfEveryGlyph() {
        let visible = VisibleText("é\u{1B}漢")
        #expect(visible.glyphs.map(\.source) == [0..<2, 2..<3, 2..<3, 3..<6])
    }

    @Test(arguments: [("漢字かな", 5, "漢字", 4), ("abc", 2, "ab", 2), ("", 3, "", 0), ("👍🏽x", 1, "", 0)])
    func cutsToColumns(text: String, columns: Int, expected: String, width: Int) {
        let cut = CellWidth.prefix(of: text, fitting: columns)
        #expect(cut.text == expected)
        #expect(cut.width == width)
    }
}
