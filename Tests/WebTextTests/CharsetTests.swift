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

    /// 这是一个测试页面, これはテストです。端末, 이것은 시험용 페이지입니다 in what they were once written in.
    static let unlabelled: [(bytes: [UInt8], text: String)] = [
        (
            [
                0xD5, 0xE2, 0xCA, 0xC7, 0xD2, 0xBB, 0xB8, 0xF6, 0xB2, 0xE2, 0xCA, 0xD4, 0xD2, 0xB3,
                0xC3, 0xE6,
            ],
            "这是一个测试页面"
        ),
        (
            [
                0x82, 0xB1, 0x82, 0xEA, 0x82, 0xCD, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x82, 0xC5,
                0x82, 0xB7, 0x81, 0x42,
            ],
            "これはテストです。"
        ),
        (
            [
                0xA4, 0xB3, 0xA4, 0xEC, 0xA4, 0xCF, 0xA5, 0xC6, 0xA5, 0xB9, 0xA5, 0xC8, 0xA4, 0xC7,
                0xA4, 0xB9,
            ],
            "これはテストです"
        ),
        ([0xA4, 0xA4, 0xA4, 0xE5, 0xC1, 0x63, 0xC5, 0xE9], "中文繁體"),
        // Latin-1 as it is in French and German.
        (
            Array("Un caf".utf8) + [0xE9] + Array(" cr".utf8) + [0xE8] + Array("me gr".utf8) + [
                0xF6, 0xDF,
            ] + Array("er".utf8), "Un café crème größer"
        ),
    ]

    @Test(arguments: unlabelled.indices) func knowsAnEncodingByItsBytes(index: Int) {
        let (bytes, text) = Self.unlabelled[index]
        let page = Array("<p>Hello, ".utf8) + bytes + Array("</p>".utf8)
        for label in [nil, "utf-8", "iso-8859-1"] {
            let read = String(decoding: Charset.utf8(page, label: label), as: UTF8.self)
            let isLatin = text.contains("café")
            // A label of UTF-8 alone says what to make of a stray byte.
            guard !isLatin || label != "utf-8" else { continue }
            #expect(read == "<p>Hello, \(text)</p>", "\(label ?? "none")")
        }
    }
}
