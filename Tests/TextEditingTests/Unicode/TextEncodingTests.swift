import Testing

@testable import TextEditing

@Suite struct TextEncodingTests {
    @Test(
        arguments: [
            ([0x67, 0x72, 0xFC, 0xDF], .latin1, "grüß"), ([0x80, 0x20, 0xE9], .windows1252, "€ é"),
            ([0xFF, 0xFE, 0x61, 0x00, 0x22, 0x6F], .utf16LittleEndian, "a漢"),
            ([0xFE, 0xFF, 0xD8, 0x3D, 0xDE, 0x00], .utf16BigEndian, "\u{1F600}"),
        ] as [([UInt8], TextEncoding, String)])
    func readsOtherEncodings(bytes: [UInt8], encoding: TextEncoding, text: String) {
        let buffer = TextBuffer(utf8: bytes)
        #expect(TextEncoding.detected(in: buffer) == encoding)
        #expect(encoding.decoded(buffer)?.string == text)
    }

    @Test(
        arguments: [[0x7F, 0x45, 0x4C, 0x46, 0x00, 0xFF], [0x81, 0x20], [0x1B, 0xFF]] as [[UInt8]])
    func whatIsNoTextIsNotTakenForIt(bytes: [UInt8]) {
        #expect(TextEncoding.detected(in: TextBuffer(utf8: bytes)) == nil)
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0x00, 0xD8]] as [[UInt8]])
    func brokenUTF16IsNotConverted(bytes: [UInt8]) {
        #expect(TextEncoding.utf16LittleEndian.decoded(TextBuffer(utf8: bytes)) == nil)
    }
}
