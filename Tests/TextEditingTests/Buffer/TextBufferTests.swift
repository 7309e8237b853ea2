import Testing
import TextEditing

@Suite struct TextBufferTests {
    @Test func anEmptyTextHasOneLine() {
        let text = TextBuffer()
        #expect(text.count == 0)
        #expect(text.lineCount == 1)
        #expect(text.range(ofLine: 0) == 0..<0)
        #expect(text.position(at: 0) == TextPosition(line: 0, column: 0))
    }

    @Test func keepsLineEndsAsTheyAre() {
        let text: TextBuffer = "one\r\ntwo\nthree\r\n"
        #expect(text.lineCount == 4)
        #expect(text.range(ofLine: 0) == 0..<3)
        #expect(text.range(ofLine: 0, includingBreak: true) == 0..<5)
        #expect(text.range(ofLine: 1) == 5..<8)
        #expect(text.range(ofLine: 3) == 16..<16)
        #expect(text.lineEnding == .carriageReturnLineFeed)
        #expect(text.string == "one\r\ntwo\nthree\r\n")
    }

    @Test func keepsBytesThatAreNoUTF8() {
        let bytes: [UInt8] = [0x66, 0xFC, 0x72, 0x0A, 0xFF, 0xC3]
        var text = TextBuffer(utf8: bytes)
        #expect(!text.isValidUTF8)
        text.insert("é", at: 1)
        text.remove(1..<3)
        #expect(text.bytes(in: 0..<text.count) == bytes)
    }

    @Test func aCopyIsAValueOfItsOwn() {
        var text = TextBuffer(String(repeating: "line of text\n", count: 10_000))
        let copy = text
        text.insert("changed ", at: 50_000)
        #expect(copy.count == 130_000)
        #expect(text.count == 130_008)
        #expect(text != copy)
        text.remove(50_000..<50_008)
        #expect(text == copy)
    }

    @Test(arguments: [1, 2, 3, 1983, 1984, 1985, 5000])
    func isBuiltOfPiecesOfAnySize(size: Int) {
        let whole = Array(String(repeating: "añ漢😀\r\n", count: 3000).utf8)
        var builder = TextBuffer.Builder()
        var offset = 0
        while offset < whole.count {
            let end = min(offset + size, whole.count)
            builder.append(whole[offset..<end])
            offset = end
        }
        let text = builder.finish()
        #expect(text.bytes(in: 0..<text.count) == whole)
        #expect(text.lineCount == 3001)
        #expect(text.scalarCount == 18_000)
        #expect(text.isValidUTF8)
    }

    @Test func convertsBetweenOffsetsLinesAndScalars() {
        let text: TextBuffer = "añb\n漢😀\nz"
        #expect(text.scalarCount == 8)
        #expect((0...8).map { text.offset(ofScalar: $0) } == [0, 1, 3, 4, 5, 8, 12, 13, 14])
        #expect(text.scalarCount(before: 8) == 5)
        #expect(text.position(at: 8) == TextPosition(line: 1, column: 3))
        #expect(text.offset(of: TextPosition(line: 1, column: 3)) == 8)
        #expect(text.offset(of: TextPosition(line: 1, column: 99)) == 12)
        #expect(text.offset(of: TextPosition(line: 99, column: 0)) == 13)
    }

    @Test func findsTextForwardsAndBackwards() throws {
        let text = TextBuffer(
            String(repeating: "abc Needle def\n", count: 20_000) + "ünïque")
        let search = try #require(TextSearch("needle"))
        #expect(try search.firstMatch(in: text, from: 0) == 4..<10)
        #expect(try search.firstMatch(in: text, from: 5) == 19..<25)
        #expect(try search.lastMatch(in: text, before: text.count) == 299_989..<299_995)
        #expect(try search.matches(in: text).count == 20_000)
        #expect(try #require(TextSearch("neeDLE")).firstMatch(in: text, from: 0) == nil)
        #expect(
            try #require(TextSearch("ünï")).firstMatch(in: text, from: 0) == 300_000..<300_005)
        #expect(TextSearch("") == nil)
    }
}
