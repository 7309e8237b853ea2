import TestSupport
import Testing

@Suite struct KeyMenuTests {
    @Test(arguments: Look.all) func listsTheKeysOfTheContext(look: Look) async throws {
        try await withApp(look) { _, terminal in
            terminal.type("?")
            let menu = try await terminal.wait(for: "the menu") { $0.contains("New note") }
            #expect(look.colorProblem(in: menu) == nil)
            terminal.press(.escape)
            try await terminal.wait(untilGone: "New note")
        }
    }

    @Test func runsTheChosenOne() async throws {
        try await withApp { _, terminal in
            terminal.press(.function(1))
            try await terminal.wait(forText: "New note")
            terminal.type("new note")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(forText: Label.nameField)
        }
    }

    @Test func saysInTheFooterWhichKeysMatter() async throws {
        try await withApp { _, terminal in
            let footer = terminal.screen.text(ofRow: terminal.screen.size.rows - 1)
            #expect(footer.contains("?"))
            #expect(footer.contains("quit"))
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            try await terminal.waitUntilIdle()
            let editing = terminal.screen.text(ofRow: terminal.screen.size.rows - 1)
            #expect(editing.contains("F2"))
            #expect(editing.contains("Esc"))
        }
    }
}
