import Foundation
import TestSupport
import Testing

/// What `:settings` shows and changes, and the screen that is read aloud.
@Suite struct SettingsScreenTests {
    private func text(_ home: ClubHome) throws -> String {
        let file = home.folder.appending(path: "config/byteclub/config.yml")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test func changesOneLineOfTheFileAndTheScreenAtOnce() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "Plan.txt")
            let before = "# mine\nmouse: on   # with clicks\nkeys:\n  notes.new: a\n"
            try home.write(settings: before)
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type(":settings\n")
            let box = try await terminal.wait(forText: "Wait on metered networks")
            #expect(box.contains("Theme"))
            try await terminal.waitUntilIdle()
            let look = terminal.screen.style(of: "Settings")
            terminal.press(.enter)
            try await terminal.wait(forText: "dark")
            try await terminal.waitUntilIdle()
            #expect(try text(home) == before + "\ntheme:\n  name: dark\n")
            #expect(terminal.screen.style(of: "Settings") != look)
            terminal.type("jjj\n")
            try await terminal.wait(forText: "next start")
            #expect(
                try text(home)
                    == before.replacing("on   # with", with: "off  # with")
                    + "\ntheme:\n  name: dark\n")

            // A number is asked for, and only a valid one is taken.
            terminal.type("jjj\n")
            try await terminal.wait(forText: "From 1 to 16")
            terminal.press(.backspace)
            terminal.type("17\n")
            try await terminal.wait(forText: "A whole number from 1 to 16")
            terminal.press(.backspace, .enter)
            try await terminal.wait(untilGone: "A whole number")
            try await terminal.waitUntilIdle()
            #expect(try text(home).hasSuffix("editor:\n  tab-width: 1\n"))

            terminal.press(.escape)
            try await terminal.wait(untilGone: "Line numbers")
            // Another program reads the same.
            let output = try await home.run("settings")
            #expect(output.status == 0 && output.errorText.isEmpty, "\(output.errorText)")
        }
    }

    @Test func handsTheFileToTheEditorAndReadsItAgain() async throws {
        try await inFreshHome { home in
            let editor = home.folder.appending(path: "editor")
            try Data("#!/bin/sh\nprintf 'theme: {name: light}\\nnonsense: 1\\n' >\"$1\"\n".utf8)
                .write(to: editor)
            chmod(editor.path, 0o755)
            let terminal = try home.start(more: ["EDITOR": editor.path])
            defer { terminal.close() }
            try await terminal.waitForTabs()
            terminal.type(":settings\n")
            try await terminal.wait(forText: "Custom keys")
            try await terminal.waitUntilIdle()
            terminal.type("E")
            try await terminal.wait(for: "the new theme, and what is wrong") {
                $0.contains("light") && $0.contains("line 2")
            }
        }
    }

    @Test func aFileThatCannotBeChangedIsLeftAlone() async throws {
        try await inFreshHome { home in
            let before = "theme: {heading: bold}\n"
            try home.write(settings: before)
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type(":settings\n")
            try await terminal.wait(forText: "Custom keys")
            terminal.press(.enter)
            let alert = try await terminal.wait(forText: "Not changed")
            #expect(alert.contains("theme: name: dark"), "\(alert)")
            #expect(try text(home) == before)
        }
    }

    @Test func fitsTheSmallestScreen() async throws {
        try await withApp { _, terminal in
            terminal.resize(to: TerminalSize(columns: 20, rows: 6))
            try await terminal.waitUntilIdle()
            terminal.type(":settings\n")
            try await terminal.wait(forText: "auto")
            terminal.press(.enter)
            try await terminal.wait(forText: "dark")
        }
    }

    @Test func aPlainScreenHasNoLinesAndTheCursorWhereTheKeysGo() async throws {
        try await inFreshHome { home in
            try home.write(settings: "plain: on\n")
            try home.write("one", toNote: "First.txt")
            try home.write("two", toNote: "Second.txt")
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            let terminal = try await home.open()
            defer { terminal.close() }
            func check(_ screen: TerminalScreen, cursorAt text: String) {
                let isPlain = screen.text.unicodeScalars.allSatisfy {
                    !(0x2500...0x259F).contains($0.value) && !(0x2800...0x28FF).contains($0.value)
                }
                #expect(isPlain && screen.colors.isEmpty, "\(screen)")
                #expect(screen.modes.showsCursor)
                #expect(screen.text(ofRow: screen.cursor.row).contains(text), "\(screen)")
            }
            #expect(terminal.screen.contains("[Notes]"))
            check(terminal.screen, cursorAt: ">First.txt")
            terminal.type("j")
            try await terminal.waitUntilIdle()
            check(terminal.screen, cursorAt: ">Second.txt")
            terminal.type("d")
            try await terminal.wait(forText: "will be deleted")
            let question = try await terminal.waitUntilIdle()
            #expect(!question.contains("First.txt"))
            check(question, cursorAt: "[")
            terminal.press(.escape)
            try await terminal.wait(forText: "First.txt")
            terminal.type("2")
            try await terminal.wait(forText: "sea.jpg")
            let photos = try await terminal.waitUntilIdle()
            #expect(photos.contains("[PanoPhotos]"))
            check(photos, cursorAt: ">")
        }
    }
}
