import Testing
import WebText

@Suite struct CharsetTests {
    @Test(arguments: [
        ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("gb2312", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
        ("gbk", [0xC4, 0xE3], "你"), ("euc-kr", [0xC7, 0xD1], "한"), ("big5", [0xA4, 0xA4], "中"),
        ("iso-8859-1", [0x93, 0xE9, 0x94], "“é”"), ("koi8-r", [0xC4, 0xC1], "да"),
        ("utf-16", [0x61, 0x00, 0xE9, 0x00], "aé"),
    ])
    func readsTheEncodingOfTheWeb(label: String, bytes: [UInt8], text: String) {
        #expect(String(decoding: Charset.utf8(bytes, label: label), as: UTF8.self) == text)
    }

    @Test func obeysAByteOrderMark() {
        #expect(Charset.utf8([0xFE, 0xFF, 0x6F, 0x22], label: "gbk") == Array("漢".utf8))
        #expect(Charset.utf8([0xFF, 0xFE, 0x22, 0x6F], label: nil) == Array("漢".utf8))
        #expect(Charset.utf8([0xEF, 0xBB, 0xBF, 0x61], label: "utf-16") == Array("a".utf8))
    }

    @Test func readsTheLabelInThePage() {
        let head = "<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><p>"
        let page = HTMLParser.parse(Array(head.utf8) + [0x93, 0xFA])
        #expect(text(page) == "日")
        let own = HTMLParser.parse(Array("<meta charset=\"koi8-r\"><p>".utf8) + [0xC4, 0xC1])
        #expect(text(own) == "да")
    }

    /// Text that is UTF-8 is hardly ever anything else.
    @Test(arguments: ["iso-8859-1", "gbk", "us-ascii", "nonsense", "utf-8"])
    func readsUTF8UnderAWrongLabel(label: String) {
        #expect(Charset.utf8(Array("Grüße 漢".utf8), label: label) == Array("Grüße 漢".utf8))
    }

    @Test func readsAnotherEncodingUnderTheLabelOfUTF8() {
        let page = Array("<meta charset=windows-1252><p>".utf8) + [0x47, 0x72, 0xFC, 0xDF, 0x65]
        #expect(text(HTMLParser.parse(page, charset: "utf-8")) == "Grüße")
    }

    @Test func marksWhatIsNoText() {
        let cut = Array("Grüße".utf8.dropLast(2))
        #expect(String(decoding: Charset.utf8(cut, label: "utf-8"), as: UTF8.self) == "Grü\u{FFFD}")
        let odd = Charset.utf8([0x61, 0x00, 0x62], label: "utf-16le")
        #expect(String(decoding: odd, as: UTF8.self) == "a\u{FFFD}")
        #expect(!Charset.utf8([0x93, 0xFF, 0xFF, 0x61], label: "shift_jis").isEmpty)
    }

    @Test(arguments: ["../../etc/passwd", "UTF-8//IGNORE", String(repeating: "x", count: 5000), ""])
    func takesNoLabelThatIsNotOne(label: String) {
        #expect(Charset.utf8([0xE9], label: label) == Array("é".utf8))
    }
}
