import Foundation
import Testing
@testable import TextEditing

/// A small generator of our own: the same numbers on every machine, every time.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// Pieces of writing that break naive editors.
let difficultPieces = [
    "a", "word ", "\n", "\r\n", "\t", "  ", "é", "e\u{301}", "漢字", "かな。", "한국어", "नमस्ते ",
    "क्षि", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇯🇵", "❤\u{FE0F}", "\u{301}", "\u{200D}", "\u{1B}[31m", "\u{202E}", "ไทย",
    "عربي ",
    "hyphen-ated", "(「括弧」)", "x — y", String(repeating: "long", count: 40), "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "\u{1112}\u{1161}\u{11AB}",
]

@Suite struct TextFuzzTests {
    @Test(arguments: 1...6)
    func editsLikeANaiveText(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var editor = TextEditor()
        var model: [UInt8] = []
        var versions: [[UInt8]] = [[]]
        for step in 0..<300 {
            let lower = Int.random(in: 0...model.count, using: &random)
            let reach = Int.random(in: 0..<40, using: &random) == 0 ? 6000 : 12
            let upper = min(model.count, lower + Int.random(in: 0...reach, using: &random))
            let times = Int.random(in: 0..<25, using: &random) == 0 ? 200 : 3
            let piece = (0..<Int.random(in: 0...times, using: &random))
                .map { _ in difficultPieces.randomElement(using: &random) ?? "" }.joined()
            if lower == upper, piece.isEmpty { continue }
            editor.replace(lower..<upper, with: TextBuffer(piece))
            model.replaceSubrange(lower..<upper, with: Array(piece.utf8))
            versions.append(model)
            if step % 3 == 0 { check(editor.text, model, &random) }
        }
        for version in versions.dropLast().reversed() {
            editor.undo()
            #expect(editor.text.bytes(in: 0..<editor.text.count) == version)
        }
        for version in versions.dropFirst() {
            editor.redo()
            #expect(editor.text.bytes(in: 0..<editor.text.count) == version)
        }
    }

    private func check(_ text: TextBuffer, _ model: [UInt8], _ random: inout SeededGenerator) {
        #expect(text.count == model.count)
        let lineFeeds = model.indices.filter { model[$0] == 0x0A }
        #expect(text.lineCount == lineFeeds.count + 1)
        let offset = Int.random(in: 0...model.count, using: &random)
        let line = lineFeeds.filter { $0 < offset }.count
        #expect(text.line(at: offset) == line)
        #expect(text.start(ofLine: line) == (line == 0 ? 0 : lineFeeds[line - 1] + 1))
        let lead = model.indices.filter { model[$0] & 0xC0 != 0x80 }
        #expect(text.scalarCount == lead.count)
        #expect(text.scalarCount(before: offset) == lead.filter { $0 < offset }.count)
        let lower = Int.random(in: 0...model.count, using: &random)
        let upper = Int.random(in: lower...model.count, using: &random)
        #expect(text.bytes(in: lower..<upper) == Array(model[lower..<upper]))
        let part = text.extract(lower..<upper)
        #expect(part.bytes(in: 0..<part.count) == Array(model[lower..<upper]))
    }

    @Test(arguments: 1...8)
    func findsTheSameClustersFromEverySide(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 100)
        let string = (0..<400).map { _ in difficultPieces.randomElement(using: &random) ?? "" }
            .joined()
        let text = TextBuffer(string)
        var boundaries = [0]
        for cluster in GraphemeClusters.of(string) {
            boundaries.append((boundaries.last ?? 0) + cluster.utf8.count)
        }
        #expect(boundaries.last == text.count)
        for (start, end) in zip(boundaries, boundaries.dropFirst()) {
            #expect(text.clusterEnd(after: start) == end)
            #expect(text.clusterStart(before: end) == start)
            for inside in start..<end {
                #expect(text.clusterBoundary(atOrBefore: inside) == start)
            }
        }
    }

    @Test func staysBoundedInEndlessMarksAndFlags() {
        for piece in ["\u{301}", "🇩🇪", "\u{200D}"] {
            let text = TextBuffer("a" + String(repeating: piece, count: 5000))
            var offset = text.count
            for _ in 0..<20 where offset > 0 {
                let start = text.clusterStart(before: offset)
                #expect(start < offset)
                offset = start
            }
        }
    }
}

/// The buffer beside the simplest text there is: an array of Unicode scalars.
@Suite struct TextModelTests {
    /// `BYTECLUB_TEST_EDITS` and `BYTECLUB_TEST_SEED`: more edits, and others, where there is time for them.
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    /// Replacements at random places of a text that grows to some thousand scalars and shrinks again.
    @Test func isAnArrayOfScalars() throws {
        let edits = Self.number("BYTECLUB_TEST_EDITS") ?? 20_000
        var random = SeededGenerator(seed: UInt64(Self.number("BYTECLUB_TEST_SEED") ?? 7))
        let pieces = difficultPieces.map { Array($0.unicodeScalars) }
        var text = TextBuffer()
        var model: [Unicode.Scalar] = []
        for number in 1...edits {
            let lower = Int.random(in: 0...model.count, using: &random)
            // Shorter again each time that it has become long.
            let reach = model.count > 4_000 ? 3_000 : 12
            let upper = min(model.count, lower + Int.random(in: 0...reach, using: &random))
            let new = (0..<Int.random(in: 0...3, using: &random))
                .flatMap { _ in pieces.randomElement(using: &random) ?? [] }
            let start = text.offset(ofScalar: lower)
            let end = text.offset(ofScalar: upper)
            text.replace(start..<end, with: TextBuffer(String(String.UnicodeScalarView(new))))
            model.replaceSubrange(lower..<upper, with: new)
            try #require(text.scalarCount == model.count, "after \(number) edits")
            guard number % 1_000 == 0 || number == edits else { continue }
            let whole = String(String.UnicodeScalarView(model))
            try #require(
                text.bytes(in: 0..<text.count) == Array(whole.utf8), "after \(number) edits")
            try #require(text.lineCount == whole.utf8.count { $0 == 0x0A } + 1)
        }
    }
}
