import TestSupport
import Testing

/// *Keep as draft*: the note is left, and its text waits for the note to be opened again.
@Suite struct SetAsideTests {
    @Test func aDraftSetAsideIsMarkedAndOpensWithItsNote() async throws {
        try await inFreshHome { home in
            try home.write("old\n", toNote: "a.txt")
            do {
                let terminal = try await home.open()
                defer { terminal.close() }
                try await terminal.openNote(showing: "old")
                terminal.type("new and ")
                terminal.press(.escape)
                try await terminal.wait(forText: "Keep as draft")
                terminal.type("d")
                try await terminal.waitForTabs()
                try await terminal.wait(forText: "a.txt draft")
                #expect(try home.text(ofNote: "a.txt") == "old\n")
            }
            // The next start does not ask, but shows the mark.
            let terminal = try await home.open()
            defer { terminal.close() }
            let screen = try await terminal.wait(forText: "a.txt draft")
            #expect(!screen.contains("unsaved note"))
            terminal.press(.enter)
            try await terminal.wait(forText: "new and old")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            try await terminal.wait(untilGone: "a.txt draft")
            #expect(try home.text(ofNote: "a.txt") == "new and old\n")
        }
    }

    private func setNewNoteAside(_ terminal: TerminalDriver) async throws {
        terminal.type("n")
        try await terminal.wait(forText: "Challenge name")
        terminal.type("Plan\nfirst words")
        terminal.press(.escape)
        try await terminal.wait(forText: "Keep as draft")
        terminal.type("d")
        try await terminal.waitForTabs()
        try await terminal.waitUntilIdle()
        terminal.type("n")
        try await terminal.wait(forText: "A draft is waiting")
    }

    @Test func aNewNoteSetAsideCanBeDeleted() async throws {
        try await withApp { _, terminal in
            try await setNewNoteAside(terminal)
            terminal.type("D")
            try await terminal.wait(forText: "Delete this text?")
            terminal.type("k")
            try await terminal.wait(untilGone: "Delete this text?")
            terminal.type("n")
            try await terminal.wait(forText: "A draft is waiting")
            try await terminal.waitUntilIdle()
            terminal.type("D")
            try await terminal.wait(forText: "Delete this text?")
            try await terminal.waitUntilIdle()
            terminal.type("D")
            try await terminal.wait(forText: "text was deleted")
            terminal.type("n")
            let screen = try await terminal.wait(forText: "Challenge name")
            #expect(!screen.contains("A draft is waiting"))
        }
    }

    @Test func aNewNoteSetAsideComesBackWithN() async throws {
        try await withApp { home, terminal in
            try await setNewNoteAside(terminal)
            try await terminal.waitUntilIdle()
            terminal.type("o")
            try await terminal.wait(forText: "Challenge name")
            try await terminal.wait(untilGone: "A draft is waiting")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "Plan.txt") == "first words")
        }
    }
}
