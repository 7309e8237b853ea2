import Testing
import TextEditing

@Suite struct GraphemeClusterTests {
    /// One or two cases for each rule of UAX #29.
    @Test(
        arguments: [
            ("GB3, 4, 5", ["\r\n", "\r", "a", "\n", "\u{301}"]),
            (
                "GB6, 7, 8",
                ["\u{1100}\u{1161}\u{11A8}", "\u{AC00}\u{11A8}", "\u{AC01}\u{11A8}", "\u{1100}"]
            ),
            ("GB9", ["e\u{301}\u{327}", "a\u{200D}", "b\u{FE0F}", "c"]),
            ("GB9a", ["\u{915}\u{93F}", "ก\u{E33}", "a\u{903}"]),
            ("GB9b", ["\u{600}1", "\u{110BD}\u{11083}"]),
            (
                "GB9c",
                [
                    "\u{915}\u{94D}\u{937}", "\u{915}\u{94D}\u{200D}\u{937}", "\u{915}", "\u{937}",
                    "a\u{94D}", "\u{937}",
                ]
            ),
            ("GB11", ["👨‍👩‍👧‍👦", "🏳\u{FE0F}\u{200D}🌈", "👍🏽", "a\u{200D}", "👩"]),
            ("GB12, 13", ["🇩🇪", "🇯🇵", "🇫", "x", "🇬🇧"]),
            ("GB999", ["漢", "字", "a", "b"]),
        ] as [(String, [String])])
    func followsTheRule(rule: String, clusters: [String]) {
        #expect(GraphemeClusters.of(clusters.joined()) == clusters)
        // The same from behind.
        let text = TextBuffer(clusters.joined())
        var offset = text.count
        var backwards: [String] = []
        while offset > 0 {
            let start = text.clusterStart(before: offset)
            backwards.append(text.string(in: start..<offset))
            offset = start
        }
        #expect(backwards.reversed() == clusters)
    }

    @Test func bytesThatAreNoUTF8StandAlone() {
        let text = TextBuffer(utf8: [0x61, 0xCC, 0x81, 0xFF, 0xCC, 0x81, 0xC3])
        var ends: [Int] = []
        while (ends.last ?? 0) < text.count { ends.append(text.clusterEnd(after: ends.last ?? 0)) }
        #expect(ends == [3, 4, 6, 7])
    }
}
