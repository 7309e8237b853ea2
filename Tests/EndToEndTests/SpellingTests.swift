import Foundation
import TestSupport
import Testing

/// The system's spelling program, a script here, and the words it does not know.
@Suite struct SpellingTests {
    private static let script = """
        #!/bin/sh
        echo "@(#) International Ispell"
        while read -r line; do
            case $line in
            ^wrod) echo "& wrod 2 1: word, rod"; echo ;;
            ^zzyx) echo "# zzyx 1"; echo ;;
            ^*) echo "*"; echo ;;
            \\**) echo "$line" >> "$WORK/learned" ;;
            esac
        done
        """

    private func withSpelling(
        _ text: String, _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(text, toNote: "a.md")
            let program = home.work.appending(path: "aspell")
            try Data(Self.script.utf8).write(to: program)
            chmod(program.path, 0o755)
            let look = Look(
                "spelling", .classic, "xterm-256color", .many,
                ["PATH": "\(home.work.path):/usr/bin:/bin", "WORK": home.work.path])
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(home, terminal)
        }
    }

    @Test func aWordIsReplacedAndAnotherLearned() async throws {
        try await withSpelling("one wrod\n`wrod` in code\nzzyx end\n") { home, terminal in
            try await terminal.openNote(showing: "one wrod")
            terminal.press(.function(7))
            try await terminal.wait(forText: "“wrod” is not in the dictionary")
            terminal.type("1")
            try await terminal.wait(forText: "“zzyx” is not in the dictionary")
            #expect(terminal.screen.contains("one word"))
            #expect(terminal.screen.contains("There are no suggestions."))
            terminal.type("a")
            try await terminal.wait(forText: "No misspelled words.")
            terminal.press(.function(2))
            try await eventually("the save") {
                try home.text(ofNote: "a.md") == "one word\n`wrod` in code\nzzyx end\n"
            }
            try await eventually("the dictionary") {
                (try? String(
                    contentsOf: home.work.appending(path: "learned"), encoding: .utf8))
                    == "*zzyx\n"
            }
        }
    }

    @Test func escapeLeavesTheTextAsItIs() async throws {
        try await withSpelling("one wrod\n") { home, terminal in
            try await terminal.openNote(showing: "one wrod")
            terminal.press(.function(7))
            try await terminal.wait(forText: "“wrod” is not in the dictionary")
            terminal.press(.escape)
            try await terminal.wait { !$0.contains("dictionary") }
            #expect(!terminal.screen.contains("modified"))
        }
    }
}
