import Testing

@testable import TextEditing

struct SpellingWordsTests {
    private func words(_ line: String) -> [String] {
        let bytes = Array(line.utf8)
        return SpellingWords.ranges(in: bytes, base: 7).map {
            String(decoding: bytes[$0.lowerBound - 7..<$0.upperBound - 7], as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("The quick, brown fox.", ["The", "quick", "brown", "fox"]),
        ("don't “quote” 'it' rock’n’roll", ["don't", "quote", "it", "rock’n’roll"]),
        ("Grüße, señor; naïve façade", ["Grüße", "señor", "naïve", "façade"]),
        ("well-known (words)", ["well", "known", "words"]),
        ("cafe\u{301} is decomposed", ["cafe\u{301}", "is", "decomposed"]),
        ("Привет мир", ["Привет", "мир"]),
        ("", []), ("   ", []), ("a I", []),
    ])
    func findsWords(line: String, expected: [String]) {
        #expect(words(line) == expected)
    }

    @Test(arguments: [
        "camelCase iPhone", "HTTP NASA", "x86 utf8 3rd snake_case _x", "https://example.com/pahts",
        "ann@example.com", "~/notes/plna.txt", "C:\\temp\\xyz", "example.com readme.md",
        "漢字とかな 한국어 ภาษาไทย", "🎉 👍🏽", "12:30 --- ***",
    ])
    func leavesOutWhatNoDictionaryHas(line: String) {
        #expect(words(line) == [])
    }

    @Test func endsAWordAtABrokenByte() {
        let bytes = Array("wo".utf8) + [0xFF] + Array("rd".utf8) + [0xC3]
        #expect(SpellingWords.ranges(in: bytes) == [0..<2, 3..<5])
    }
}
