import Testing

@testable import ByteClubMessages

/// Messages and what catalogs make of them.
@Suite struct MessageTests {
    private func catalog(_ text: String) -> MessageCatalog {
        Array(text.utf8).withUnsafeBufferPointer { MessageCatalog($0) }
    }

    @Test func valuesAreNumberedPlaces() {
        let (name, count) = ("a.txt", 3)
        let message: Message = "“\(name)” has \(count) lines."
        #expect(message.text == "“a.txt” has 3 lines.")
        #expect(message.key == "“{1}” has {2} lines.")
        #expect(message.arguments == ["a.txt", "3"])
    }

    @Test func controlCharactersInValuesAreShown() {
        let name = "new\nline\r\n\u{1B}[31m\u{7F}é.jpg"
        let message: Message = "“\(name)” is\nhere."
        #expect(message.text == "“new^Jline^M^J^[[31m^?é.jpg” is\nhere.")
        #expect(message.key == "“{1}” is\nhere.")
    }

    @Test func linesOfCodeAreOneMessage() {
        let (one, two, three) = ("1", "2", "3")
        let message: Message = "a \(one) " + "b \(two) " + "c \(three)"
        #expect(message.text == "a 1 b 2 c 3")
        #expect(message.key == "a {1} b {2} c {3}")
        #expect(message.arguments == ["1", "2", "3"])
    }

    @Test func aTranslationPutsValuesWhereItWants() {
        let chinese = catalog("msgid \"{1} of {2}\"\nmsgstr \"{2} 中的 {1}，{1}\"\n")
        let message: Message = "\(1) of \(2)"
        #expect(chinese.text(of: message) == "2 中的 1，1")
    }

    /// What came from outside stands in the text as it is, whatever it looks like.
    @Test(arguments: ["{2}", "{1}", "{", "}{", "{99}", "“", "\\n", "😀", ""])
    func valuesAreNotRead(value: String) {
        let chinese = catalog("msgid \"<{1}>{2}\"\nmsgstr \"{2}[{1}]\"\n")
        #expect(chinese.text(of: "<\(value)>\("x")") == "x[\(value)]")
    }

    @Test func placesWithoutAValueStay() {
        let chinese = catalog("msgid \"a {1}\"\nmsgstr \"{0}{1}{2}{x}{}{12\"\n")
        #expect(chinese.text(of: "a \(1)") == "{0}1{2}{x}{}{12")
    }

    @Test func whatIsMissingStaysEnglish() {
        let chinese = catalog(
            "msgid \"yes\"\nmsgstr \"\"\n\n#, fuzzy\nmsgid \"no\"\nmsgstr \"不\"\n")
        #expect(chinese.text(of: "yes") == nil && chinese.text(of: "no") == nil)
        #expect(chinese.count == 0)
    }

    @Test func readsWhatTranslatorsWrite() {
        let chinese = catalog(
            """
            # A translator's remark
            msgid ""
            msgstr ""
            "Language: zh-Hans\\n"

            #: Sources/X.swift
            msgid ""
            "a long "
            "one"
            msgstr ""
            "很"
            "长"
            msgctxt "verb"
            msgid "Open"
            msgstr "打开"
            msgctxt "state"
            msgid "Open"
            msgstr "已打开"

            msgid "says \\"hi\\"\\n\\tand \\\\"
            msgstr "说“你好”\\n"
            msgid "{1} note"
            msgid_plural "{1} notes"
            msgstr[0] "{1} 篇笔记"
            #~ msgid "old"
            #~ msgstr "旧"
            """)
        #expect(chinese.text(of: "a long one") == "很长")
        #expect(chinese.text(of: "Open", context: "verb") == "打开")
        #expect(chinese.text(of: "Open", context: "state") == "已打开")
        #expect(chinese.text(of: "Open") == nil)
        #expect(chinese.text(of: "says \"hi\"\n\tand \\") == "说“你好”\n")
        for (count, form) in [(1, 0), (5, 1), (0, 7)] {
            #expect(chinese.text(of: "\(count) note", form: form) == "\(count) 篇笔记")
        }
        #expect(chinese.count == 5)
    }

    @Test func noBytesAreTooMuch() {
        for text in [
            "", "\n", "\"", "msgid", "msgid \"", "msgstr \"x\"", "msgid \"a\nmsgstr \"b\"",
            "msgid \"a\"\nmsgstr[9] \"b\"", "\"alone\"", "msgid \"\\\"\nmsgstr \"\\\"", "#",
            "#, fuzzy",
        ] {
            #expect(catalog(text).count <= 1)
        }
        var generator = SystemRandomNumberGenerator()
        let parts = [
            "msgid \"", "msgstr \"", "msgctxt \"", "\"\n", "\\", "{1}", "#", "\n", "é", "\0",
        ]
        for _ in 0..<2000 {
            let text = (0..<12).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            _ = catalog(text).text(of: "\(1)")
        }
    }
}

/// Which language is spoken.
@Suite struct LanguageTests {
    private func language(_ environment: [String: String]) -> Language {
        Language { environment[$0] }
    }

    @Test(arguments: [
        "zh_CN.UTF-8", "zh_CN.utf8", "zh_SG.UTF-8", "zh_Hans.UTF-8", "zh_Hans_CN.UTF-8", "zh.UTF-8",
        "zh-Hans.UTF-8",
    ])
    func localesOfSimplifiedChinese(locale: String) {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            let more = name == "LC_MESSAGES" ? ["LC_CTYPE": "C.UTF-8"] : [:]
            #expect(language(more.merging([name: locale]) { $1 }) == .simplifiedChinese)
        }
    }

    @Test(arguments: [
        "C.UTF-8", "C", "POSIX", "en_US.UTF-8", "de_DE.UTF-8", "zh_TW.UTF-8", "zh_HK.UTF-8",
        "zh_Hant_HK.UTF-8", "zha.UTF-8", "", "zh_CN.GB18030", "zh_CN",
    ])
    func otherLocalesAreEnglish(locale: String) {
        #expect(language(["LANG": locale]) == .english)
    }

    @Test func aStrongerVariableCounts() {
        let chinese = "zh_CN.UTF-8"
        #expect(language(["LC_ALL": "C.UTF-8", "LANG": chinese]) == .english)
        #expect(language(["LC_MESSAGES": "en_GB.UTF-8", "LANG": chinese]) == .english)
        #expect(
            language(["LC_ALL": "", "LC_MESSAGES": chinese, "LANG": chinese]) == .simplifiedChinese)
        // Its characters could not be shown.
        #expect(language(["LC_MESSAGES": chinese, "LANG": "C"]) == .english)
        #expect(language([:]) == .english)
    }

    @Test func theSettingIsEnglishWhereItsCharactersCannotBeShown() {
        #expect(Language.simplifiedChinese.shown { ["LANG": "C.UTF-8"][$0] } == .simplifiedChinese)
        #expect(Language.simplifiedChinese.shown { _ in nil } == .simplifiedChinese)
        #expect(Language.simplifiedChinese.shown { ["LC_ALL": "C"][$0] } == .english)
    }

    @Test func theCatalogIsInTheProgram() throws {
        #expect(Language.english.catalog == nil)
        let catalog = try #require(Language.simplifiedChinese.catalog)
        #expect(catalog.count > 1000)
        #expect(catalog.text(of: "Cancel") == "取消")
        #expect(catalog.text(of: "Done") == "完成")
        #expect(catalog.text(of: "\(3) note", form: 1) == "3 篇笔记")
        #expect(catalog.keys["刷新列表"] == "Refresh the list")
        #expect(catalog.text(of: "\(12) \("3月")", context: "day and month") == "3月12日")
        #expect(catalog.text(of: "\("3月") \(2024)", context: "month and year") == "2024年3月")
    }

    @Test func englishNeedsNoCatalog() {
        #expect(localized("“\("a")” was \(2)") == "“a” was 2")
        #expect(Localization.text(1, one: "\(1) note", other: "\(1) notes") == "1 note")
        #expect(Localization.text(0, one: "\(0) note", other: "\(0) notes") == "0 notes")
        #expect(Localization.english("取消") == "")
    }
}
