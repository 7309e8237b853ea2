import Foundation
import TestSupport
import Testing

@Suite struct NotesTests {
    /// In the real program: `FoundationEssentials` reads some files otherwise than Foundation, which tests import.
    @Test func whatOthersWroteIsMarkedUntilItIsSeenOverRestarts() async throws {
        try await withApp(notes: ["a.txt": "a\n"]) { home, terminal in
            try await terminal.wait(forText: "a.txt")
            try await eventually("the first look is kept") {
                FileManager.default.fileExists(
                    atPath: home.folder.appending(path: "state/byteclub/clubs/embedded/lists/seen")
                        .path)
            }
            try home.write("theirs", toNote: "b.txt")
            try await terminal.wait(for: "the mark") {
                $0.contains("• b.txt") && $0.contains("1 new")
            }
            terminal.type("q")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
            try home.write("while it was closed", toNote: "c.txt")

            let second = try home.start()
            defer { second.close() }
            try await second.wait(for: "both marks") {
                $0.contains("• b.txt") && $0.contains("• c.txt") && $0.contains("2 new")
            }
            second.type("M")
            try await second.wait(untilGone: "2 new")
            second.type("q")
            #expect(try await second.waitForEnd() == .exited(status: 0))

            let third = try home.start()
            defer { third.close() }
            try await third.wait(forText: "c.txt")
            try await third.waitUntilIdle()
            #expect(!third.screen.contains("•"))
        }
    }

    @Test(arguments: Look.all) func readsANote(look: Look) async throws {
        let notes = ["Fizz.txt": "Count to one hundred.\nSay Fizz for threes.\n"]
        try await withApp(look, notes: notes) { home, terminal in
            try await terminal.openNote(showing: "Say Fizz for threes.")
            let screen = terminal.screen
            #expect(screen.contains("Count to one hundred."))
            #expect(screen.contains("Fizz.txt"))
            try await expectPossibleColors(look, terminal)
            terminal.press(.escape)
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "Fizz.txt") == notes["Fizz.txt"])
        }
    }

    @Test(arguments: Look.all) func writesANote(look: Look) async throws {
        try await withApp(look) { home, terminal in
            terminal.type("n")
            try await terminal.wait(for: "the form") { screen in
                [Label.nameField, Label.noteField, Label.cancel, Label.done]
                    .allSatisfy { screen.contains($0) }
            }
            terminal.type("Reverse a list")
            terminal.press(.tab)
            terminal.type("In place,\nwithout a copy. Ünïcode 漢字 too.")
            try await terminal.wait(for: "what was typed") {
                $0.contains("漢字 too.") && $0.contains("Reverse a list")
            }
            terminal.press(.function(2))
            try await terminal.wait(for: "the note in the list") {
                $0.contains("Reverse a list.txt") && !$0.contains(Label.nameField)
            }
            #expect(home.noteNames == ["Reverse a list.txt"])
            #expect(
                try home.text(ofNote: "Reverse a list.txt")
                    == "In place,\nwithout a copy. Ünïcode 漢字 too.")
            try await expectPossibleColors(look, terminal)
        }
    }

    @Test func plusBeginsANoteToo() async throws {
        try await withApp { home, terminal in
            terminal.type("+")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("Plan.md\n")
            terminal.type("1. Begin")
            terminal.press(.control("q"))
            try await terminal.wait(untilGone: Label.nameField)
            #expect(try home.text(ofNote: "Plan.md") == "1. Begin")
        }
    }

    @Test(arguments: [Look.classic, .wide]) func editsANote(look: Look) async throws {
        try await withApp(look, notes: ["a.txt": "world\n"]) { home, terminal in
            try await terminal.openNote(showing: "world")
            terminal.type("Hello, ")
            try await terminal.wait(forText: "Hello, world")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "Hello, world\n")
        }
    }

    @Test func savesAndStays() async throws {
        try await withApp(notes: ["a.txt": "one"]) { home, terminal in
            try await terminal.openNote(showing: "one")
            terminal.type("1")
            terminal.press(.control("s"))
            try await eventually("the save") { try home.text(ofNote: "a.txt") == "1one" }
            try await terminal.waitUntilIdle()
            terminal.type("2")
            try await terminal.wait(forText: "12one")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "12one")
        }
    }

    @Test func closesACleanNoteWithEscWithoutAsking() async throws {
        try await withApp(notes: ["a.txt": "one\n"]) { home, terminal in
            try await terminal.openNote(showing: "one")
            terminal.press(.escape)
            let screen = try await terminal.waitForTabs()
            #expect(!screen.contains("Discard"))
        }
    }

    @Test func asksBeforeItDropsChanges() async throws {
        try await withApp(notes: ["a.txt": "old\n"]) { home, terminal in
            try await terminal.openNote(showing: "old")
            terminal.type("new and ")
            terminal.press(.escape)
            try await terminal.wait(for: "the question") { screen in
                ["Save", "Discard", "Keep editing"].allSatisfy { screen.contains($0) }
            }

            // Enter takes the answer that loses nothing.
            terminal.press(.enter)
            try await terminal.wait(untilGone: "Keep editing")
            #expect(terminal.screen.contains("new and old"))

            terminal.press(.escape)
            try await terminal.wait(forText: "Keep editing")
            terminal.type("D")
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "old\n")
        }
    }

    @Test func savesWhenAskedToBeforeClosing() async throws {
        try await withApp(notes: ["a.txt": "old\n"]) { home, terminal in
            try await terminal.openNote(showing: "old")
            terminal.type("not ")
            terminal.press(.escape)
            try await terminal.wait(forText: "Keep editing")
            terminal.type("s")
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "not old\n")
        }
    }

    @Test func pastesAsOneStepAndUndoesIt() async throws {
        try await withApp(notes: ["a.txt": "end"]) { home, terminal in
            try await terminal.openNote(showing: "end")
            #expect(terminal.screen.modes.bracketsPastes)
            terminal.paste("first\nsecond\tq\u{1B}[2J\nthird ")
            try await terminal.wait(forText: "third end")
            try await terminal.waitUntilIdle()
            terminal.press(.control("z"))
            try await terminal.wait(untilGone: "second")
            #expect(terminal.screen.contains("end"))
            terminal.press(.control("y"))
            try await terminal.wait(forText: "third end")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            let text = try home.text(ofNote: "a.txt")
            #expect(text.hasPrefix("first\nsecond\tq"))
            #expect(text.hasSuffix("\nthird end"))
        }
    }

    @Test func aPasteInTheListPressesNoKeys() async throws {
        try await withApp(notes: ["a.txt": "kept"]) { home, terminal in
            terminal.paste("dq\nn2")
            let screen = try await terminal.waitUntilIdle()
            #expect(terminal.life == .running)
            #expect(screen.contains("a.txt"))
            #expect(!screen.contains(Label.nameField))
            #expect(home.noteNames == ["a.txt"])
        }
    }

    @Test func refusesANameThatIsTaken() async throws {
        try await withApp(notes: ["Plan.txt": "the first"]) { home, terminal in
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("Plan\n")
            terminal.type("the second")
            terminal.press(.function(2))
            try await terminal.wait(forText: "taken")
            terminal.press(.enter)
            try await terminal.wait(untilGone: "taken")
            #expect(terminal.screen.contains("the second"))
            #expect(try home.text(ofNote: "Plan.txt") == "the first")
        }
    }

    @Test(arguments: ["../escape", "a/b", ".hidden", " "])
    func refusesANameThatWillNotDo(name: String) async throws {
        try await withApp { home, terminal in
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type(name + "\n")
            terminal.type("body text")
            terminal.press(.function(2))
            try await terminal.wait(for: "a refusal") {
                $0.contains("may not") || $0.contains("needs a name")
            }
            terminal.press(.enter)
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("body text"))
            #expect(home.noteNames.isEmpty)
        }
    }

    @Test func deletesOnlyWhenAskedTwiceAndBringsBack() async throws {
        try await withApp(notes: ["a.txt": "precious"]) { home, terminal in
            terminal.type("d")
            try await terminal.wait(forText: "Delete note?")
            terminal.press(.enter)
            try await terminal.wait(untilGone: "Delete note?")
            #expect(home.noteNames == ["a.txt"])
            terminal.type("d")
            try await terminal.wait(forText: "Delete note?")
            terminal.type("d")
            try await eventually("the deletion") { home.noteNames.isEmpty }
            try await terminal.waitUntilIdle()
            terminal.type("z")
            try await eventually("its return") { home.noteNames == ["a.txt"] }
            #expect(try home.text(ofNote: "a.txt") == "precious")
        }
    }

    @Test func filtersTheListWhileTyping() async throws {
        let notes = ["apple.txt": "1", "banana.txt": "2", "cherry.txt": "3"]
        try await withApp(notes: notes) { _, terminal in
            terminal.type("/ban")
            try await terminal.wait(for: "one note") {
                $0.contains("banana.txt") && !$0.contains("apple.txt")
            }
            terminal.press(.escape)
            try await terminal.wait(forText: "apple.txt")
        }
    }

    @Test func neverLetsANoteWriteToTheTerminal() async throws {
        let text = "before\u{1B}]0;owned\u{07}\u{1B}[2J\u{9B}31m\u{202E}after\n"
        try await withApp(.wide, notes: ["evil\u{1B}[7;35;44m.txt": text]) { _, terminal in
            try await terminal.wait(forText: "after")
            terminal.press(.enter)
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("before"))
            let written = String(decoding: terminal.output, as: UTF8.self)
            #expect(!written.contains("\u{1B}]0;owned"))
            #expect(!written.contains("\u{1B}[7;35;44m"))
            #expect(!written.unicodeScalars.contains("\u{202E}"))
        }
    }
}

extension TerminalDriver {
    /// Opens the chosen note and waits until its text is there and keys go to it.
    func openNote(showing text: String) async throws {
        press(.enter)
        try await wait(for: "“\(text)” in the editor") {
            $0.contains(text) && !$0.showsTabs
        }
        try await waitUntilIdle()
    }
}
