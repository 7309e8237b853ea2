import TestSupport
import Testing

@Suite struct ResizeTests {
    static let notes = ["alpha.txt": "first", "beta.txt": "second", "gamma.txt": "third"]

    @Test func comesThroughAStormOfSizes() async throws {
        try await withApp(notes: Self.notes) { _, terminal in
            let before = terminal.screen
            for round in 0..<60 {
                let size = TerminalSize(columns: 1 + round * 37 % 170, rows: 1 + round * 11 % 60)
                terminal.resize(to: size)
                if round % 5 == 0 { terminal.press(round % 2 == 0 ? .down : .up) }
            }
            terminal.resize(to: .classic)
            terminal.press(.home)
            // Not only at rest: the last of the signals may come after the last of the keys.
            try await terminal.wait(for: "the screen from before") { $0.rows == before.rows }
        }
    }

    @Test(arguments: [
        TerminalSize(columns: 20, rows: 6), TerminalSize(columns: 10, rows: 3),
        TerminalSize(columns: 2, rows: 2), TerminalSize(columns: 1, rows: 1),
        TerminalSize(columns: 300, rows: 90),
    ])
    func survivesAnySize(size: TerminalSize) async throws {
        try await withApp(notes: Self.notes) { _, terminal in
            terminal.resize(to: size)
            try await terminal.waitUntilIdle()
            for keys in ["2", "1", "?", "\u{1B}"] {
                terminal.type(keys)
                try await terminal.waitUntilIdle()
            }
            terminal.resize(to: .classic)
            try await terminal.wait(forText: "gamma.txt")
            #expect(terminal.life == .running)
        }
    }

    @Test func aNoteCanBeWrittenAt20By6() async throws {
        try await withApp(
            Look("256 colours", TerminalSize(columns: 20, rows: 6), "xterm-256color", .many)
        ) { home, terminal in
            terminal.type("n")
            try await terminal.wait(for: "the form") { $0.contains(Label.nameField) }
            terminal.type("tiny\n")
            terminal.type("small but whole")
            try await terminal.waitUntilIdle()
            terminal.press(.function(2))
            try await eventually("the note") { home.noteNames == ["tiny.txt"] }
            #expect(try home.text(ofNote: "tiny.txt") == "small but whole")
        }
    }

    @Test func keepsTypedTextThroughAResize() async throws {
        try await withApp { home, terminal in
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("kept\n")
            terminal.type("before ")
            terminal.resize(to: TerminalSize(columns: 30, rows: 8))
            terminal.type("between ")
            terminal.resize(to: .wide)
            terminal.type("after")
            try await terminal.wait(forText: "before between after")
            terminal.press(.function(2))
            try await eventually("the note") { home.noteNames == ["kept.txt"] }
            #expect(try home.text(ofNote: "kept.txt") == "before between after")
        }
    }
}
