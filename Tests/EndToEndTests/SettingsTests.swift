import Foundation
import TestSupport
import Testing

/// What `config.yml` changes, seen from outside.
@Suite struct SettingsTests {
    private func withSettings(
        _ text: String, _ look: Look = .classic,
        _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(settings: text)
            try home.write("one two three four five six seven eight nine ten\n", toNote: "Plan.txt")
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(home, terminal)
        }
    }

    @Test func aKeyOfOnesOwnWorksAndIsInTheFooter() async throws {
        try await withSettings("keys:\n  notes.new: a\n  app.quit: Q\n") { _, terminal in
            let footer = terminal.screen.text(ofRow: terminal.screen.size.rows - 1)
            #expect(footer.contains("a new"))
            terminal.type("n")
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.showsTabs)
            terminal.type("a")
            try await terminal.wait(forText: Label.nameField)
            terminal.press(.escape)
            try await terminal.waitForTabs()
            terminal.type("Q")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
        }
    }

    @Test func theEditorIsAsOneLikesIt() async throws {
        try await withSettings("editor:\n  line-numbers: on\n  wrap: off\n") { _, terminal in
            terminal.press(.enter)
            try await terminal.wait(forText: "Ln 1")
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("1 one two"))
        }
    }

    @Test func theThemeIsAsOneLikesIt() async throws {
        try await withSettings("theme:\n  heading: underline 201\n") { _, terminal in
            #expect(String(decoding: terminal.output, as: UTF8.self).contains("38;5;201"))
        }
    }

    @Test func wrongLinesAreToldByCommandWithTheirPlace() async throws {
        try await inFreshHome { home in
            try home.write(settings: "editor:\n  wrap: perhaps\ntheme: {heading: rouge}\n")
            let output = try await home.run("settings")
            #expect(output.status == 1)
            #expect(output.errorText.contains("line 2: “wrap” of the editor must be on or off."))
            #expect(output.errorText.contains("line 3: “rouge” is not a style."))
            #expect(output.text.contains("config.yml"))
            let json = try await home.run("settings", "--json")
            #expect(json.status == 1 && json.errorText.isEmpty)
            let problems = try #require(
                try JSONSerialization.jsonObject(with: json.standardOutput) as? [[String: Any]])
            #expect(problems.compactMap { $0["line"] as? Int } == [2, 3])
            #expect((problems.first?["file"] as? String)?.hasSuffix("config.yml") == true)
            let last = problems.last?["problem"] as? String
            #expect(last?.hasPrefix("“rouge” is not a style.") == true)
            #expect(try await home.run("notes", "ls").status == 0)
        }
    }

    @Test func aMistypedSpellingIsNoLanguage() async throws {
        try await inFreshHome { home in
            try home.write(settings: "editor:\n  spelling: offj\n")
            let output = try await home.run("settings")
            #expect(output.status == 1)
            #expect(
                output.errorText.contains(
                    "line 2: “spelling” of the editor must be on, off or a language, e.g. en_GB"))
            #expect(try await home.run("doctor").text.contains("“spelling” of the editor"))
            for valid in ["off", "on", "en_GB", "de", "ca_ES-valencia"] {
                try home.write(settings: "editor:\n  spelling: \(valid)\n")
                let fine = try await home.run("settings", "--json")
                #expect(fine.status == 0, "\(valid): \(fine.text)")
            }
        }
    }

    @Test func theSchemaIsJSON() async throws {
        try await inFreshHome { home in
            let output = try await home.run("settings", "--schema")
            #expect(output.status == 0)
            let json = try JSONSerialization.jsonObject(with: output.standardOutput)
            #expect((json as? [String: Any])?["$schema"] != nil)
        }
    }

    @Test func keysAreListedWithTheirNames() async throws {
        try await inFreshHome { home in
            try home.write(settings: "keys: {notes.new: a}\n")
            let output = try await home.run("keys", "--ids")
            #expect(output.status == 0)
            let row = output.text.split(separator: "\n").first { $0.contains("notes.new ") }
            #expect(row?.split(separator: " ").prefix(2) == ["notes.new", "a"])
            #expect(output.text.contains("edit.undo"))
        }
    }
}

/// What is on the screen when the settings do not fit what was.
@Suite struct LostClubTests {
    @Test func theScreenOpensAllTheSame() async throws {
        try await inFreshHome { home in
            let state = home.folder.appending(path: "state/byteclub")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            try Data("{\"current\": \"work\"}".utf8).write(to: state.appending(path: "clubs.json"))
            try home.write(settings: "clubs:\n  work: {kind: dropbox\n")
            try home.write("near\n", toNote: "Near.txt")
            let output = try await home.run("notes", "ls")
            #expect(output.status == 1)
            #expect(output.errorText.contains("line 2"), "\(output.errorText)")

            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(for: "the notice") {
                $0.contains("opened last") && $0.contains("line 2")
            }
            try await terminal.waitUntilIdle()
            terminal.press(.escape)
            try await terminal.wait(forText: "Near.txt")
        }
    }
}
