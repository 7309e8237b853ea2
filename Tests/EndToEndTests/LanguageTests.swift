import Foundation
import TestSupport
import Testing

/// The screen and the commands in Simplified Chinese. After a change that is wanted: see GoldenTests.
@Suite struct LanguageTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Screens")

    private static let notes = [
        "Balanced brackets.txt": "Say whether every bracket is closed.\n",
        "Fizz.txt": "Count to one hundred.\nFizz for threes, Buzz for fives.\n",
        "中文笔记.md": "# 标题\n一行很长的中文，用来检查换行时是否按单元格而不是按字符计算宽度，不多也不少。\n",
    ]

    /// The app in Chinese, by the setting, in the machine's C.UTF-8.
    private func inChinese(
        size: TerminalSize = .classic, photos: Bool = false,
        _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(settings: "language: zh-Hans\n")
            for (name, text) in Self.notes {
                try home.write(text, toNote: name)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: 3600)],
                    ofItemAtPath: home.club.appending(path: name).path)
            }
            if photos {
                try Photos.wide(width: 1600, height: 800)
                    .write(to: home.photos.appending(path: "alps.jpg"))
            }
            let terminal = try home.start(size: size, more: home.makeSpeller())
            defer { terminal.close() }
            try await terminal.wait(for: "the club") {
                $0.text(ofRow: 0).contains("笔记") && $0.contains("Balan")
            }
            try await terminal.waitUntilIdle()
            try await body(home, terminal)
        }
    }

    private func compare(_ terminal: TerminalDriver, _ name: String) async throws {
        let screen = try await terminal.waitUntilIdle()
        let difference = try GoldenScreen(named: "Chinese, \(name)", in: Self.folder)
            .difference(from: screen)
        #expect(difference == nil, "\(difference ?? "")")
    }

    /// A screen, what is pressed one after the other, and what is on the screen in the end.
    struct Sight: Sendable, CustomTestStringConvertible {
        let name: String
        let keys: [String]
        let words: String

        init(_ name: String, _ keys: [String], _ words: String) {
            (self.name, self.keys, self.words) = (name, keys, words)
        }

        var testDescription: String { name }
    }

    static let sights = [
        Sight("notes", [], "笔记"), Sight("keys", ["?"], "输入以筛选"),
        Sight("commands", [":"], "输入命令"), Sight("settings", [":settings\n"], "主题"),
        Sight("transfers", [":transfers\n"], "没有传输"),
        Sight("waiting", [":outbox\n"], "没有待发送"),
        Sight("clubs", [":login\n"], "加入 Dropbox"),
        Sight("sign in to Dropbox", [":login\n", "j\n"], "App key"),
        Sight("sign in to WebDAV", [":login\n", "jj\n"], "文件夹地址"),
        Sight("filter", ["/fizz"], "fizz"), Sight("search", ["g/"], "查找包含所有词的行"),
        Sight("delete", ["d"], "将删除"), Sight("rename", ["r"], "新名称"),
        Sight("move", ["m"], "文件夹"), Sight("versions", ["H"], "在本机见过"),
        Sight("photos", ["2"], "还没有全景照片"), Sight("new note", ["n"], "题目名称"),
        Sight("editor", ["\n"], "行 1"), Sight("find", ["\n", "\u{6}", "closed"], "1/1"),
        Sight("replace", ["\n", "\u{12}", "is"], "替换"),
        Sight("regular expression", ["\n", "\u{6}", "\u{1B}r", "("], "无效"),
    ]

    @Test(arguments: sights) func aScreenInChinese(sight: Sight) async throws {
        try await inChinese { _, terminal in
            for keys in sight.keys {
                terminal.type(keys)
                try await terminal.waitUntilIdle()
            }
            try await terminal.wait(forText: sight.words)
            try await compare(terminal, sight.name)
        }
    }

    @Test func aNewClubSpeaksTheLanguageOfItsPerson() async throws {
        try await inFreshHome(hasClub: false) { home in
            try home.write(settings: "language: zh-Hans\n")
            let listed = try await home.run("notes", "ls")
            #expect(listed.status == 0)
            #expect(listed.text.contains("欢迎来到 Byte Club.txt"))
        }
    }

    @Test func theQuestionBeforeChangesAreLost() async throws {
        try await inChinese { _, terminal in
            terminal.press(.enter)
            try await terminal.wait(forText: "行 1")
            try await terminal.waitUntilIdle()
            terminal.type("x")
            terminal.press(.escape)
            try await terminal.wait(forText: "保存更改？")
            try await compare(terminal, "unsaved changes")
        }
    }

    @Test(arguments: [
        Sight("notes", [], "笔记"), Sight("keys", ["?"], "筛选"), Sight("delete", ["d"], "删除"),
        Sight("editor", ["\n"], "完成"), Sight("settings", [":settings\n"], "主题"),
    ])
    func aSmallScreenInChinese(sight: Sight) async throws {
        try await inChinese(size: TerminalSize(columns: 20, rows: 6)) { _, terminal in
            for keys in sight.keys {
                terminal.type(keys)
                try await terminal.waitUntilIdle()
            }
            try await terminal.wait(forText: sight.words)
            try await compare(terminal, "\(sight.name), tiny")
        }
    }

    @Test func thePickerTheViewerAndTransfers() async throws {
        try await inChinese(photos: true) { home, terminal in
            try Photos.corners().write(to: home.work.appending(path: "海.jpg"))
            terminal.type("2")
            try await terminal.wait(forText: "alps.jpg")
            terminal.type("u")
            let picker = try await terminal.wait(forText: "海.jpg")
            #expect(picker.contains("上传照片 · "))
            terminal.press(.enter)
            try await terminal.wait(forText: "“海.jpg”已存入俱乐部。")
            try await terminal.waitUntilIdle()
            terminal.type("w")
            let transfers = try await terminal.wait(forText: "已在俱乐部中：")
            #expect(transfers.contains("完成"))
            terminal.press(.escape)
            try await terminal.waitUntilIdle()
            terminal.type("g")
            terminal.type("g")
            terminal.press(.enter)
            try await terminal.wait(forText: "原文件")
            try await terminal.wait(untilGone: "正在获取图片…")
            terminal.type("i")
            let viewer = try await terminal.wait(forText: "1600 × 800")
            #expect(viewer.text(ofRow: 23).contains("返回"))
        }
    }

    @Test(arguments: [
        (["LC_ALL": "", "LANG": "zh_CN.UTF-8"], true),
        (["LC_ALL": "zh_SG.UTF-8"], true),
        (["LC_ALL": "", "LC_MESSAGES": "zh_Hans.UTF-8"], true),
        (["LC_ALL": "", "LANG": "zh_TW.UTF-8"], false),
        ([:], false),
    ])
    func theLocaleChoosesTheLanguage(environment: [String: String], isChinese: Bool) async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "Plan.txt")
            let terminal = try home.start(more: environment)
            defer { terminal.close() }
            let screen = try await terminal.wait(forText: "Plan.txt")
            #expect(screen.text(ofRow: 0).contains("笔记") == isChinese)
            #expect(screen.text(ofRow: 0).contains("Notes") == !isChinese)
        }
    }

    @Test func commandsSpeakChineseInColumns() async throws {
        try await inFreshHome { home in
            try home.write(settings: "language: zh-Hans\nthme: 1\n")
            try home.write("text", toNote: "Plan.txt")
            let refusal = try await home.run("notes", "cat", "Nothing")
            #expect(refusal.status == 1)
            #expect(refusal.errorText.contains("俱乐部中没有笔记“Nothing”。"))
            #expect(refusal.errorText.contains("第 2 行：没有设置“thme”。"))
            let doctor = try await home.run("doctor")
            #expect(doctor.text.contains("正常     权限         Byte Club 的所有文件夹都可读写。"))
            let list = try await home.run()
            #expect(list.text.contains("全景照片"))
        }
    }

    /// Byte for byte what it is in English.
    @Test func whatProgramsReadStaysEnglish() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "Plan.txt")
            _ = try await home.run("notes", "ls")
            for arguments in [
                ["notes", "ls", "--json"], ["keys", "--json"], ["keys", "--markdown"],
                ["settings", "--schema"], ["transfers", "--json"], ["outbox", "--json"],
                ["--help"], ["notes", "new", "--help"], ["notes", "ls", "--wrong"],
            ] {
                try home.write(settings: "language: en\n")
                let english = try await home.run(arguments)
                try home.write(settings: "language: zh-Hans\n")
                let chinese = try await home.run(arguments)
                #expect(english.text == chinese.text && english.errorText == chinese.errorText)
                #expect(english.status == chinese.status)
            }
            let failed = try await home.run("notes", "cat", "Nothing", "--json")
            #expect(failed.status == 1 && failed.errorText.contains("There is no note"))
        }
    }

    @Test func aLanguageThatIsNotThereIsReported() async throws {
        try await inFreshHome { home in
            try home.write(settings: "language: tlh\n")
            let output = try await home.run("settings")
            #expect(output.status == 1)
            #expect((output.text + output.errorText).contains("auto, en, zh-Hans"))
        }
    }

    /// The palette is searched without an input method, too.
    @Test func englishWordsFindCommands() async throws {
        try await inChinese { _, terminal in
            terminal.type(":refresh the")
            try await terminal.wait(forText: "刷新列表")
            terminal.press(.escape)
            try await terminal.waitUntilIdle()
            terminal.press(.escape)
            try await terminal.wait(untilGone: "刷新列表")
            try await terminal.waitUntilIdle()
            terminal.type("?refresh the")
            try await terminal.wait(forText: "刷新列表")
        }
    }
}
