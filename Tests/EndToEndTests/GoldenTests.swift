import Foundation
import TestSupport
import Testing

/// Whole screens, cell for cell, beside the ones that were approved.
///
/// After a change that is wanted: `BYTECLUB_APPROVE=1 swift test --filter GoldenTests`, then read
/// the diff.
@Suite struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Screens")

    private static let notes = [
        "Balanced brackets.txt": "Say whether every bracket is closed.\n",
        "Fizz.txt": "Count to one hundred.\nFizz for threes, Buzz for fives.\n",
        "Ünïcode 漢字.md": "Reverse this line, character by character.\n",
    ]

    static let looks: [(String, Look)] = [
        ("colour", .classic),
        ("mono", Look("mono", .classic, "xterm-256color", .mono, ["NO_COLOR": "1"])),
        ("eight colours", Look("8 colours", .classic, "xterm", .eight)),
        ("wide", .wide),
        ("tiny", Look("tiny", TerminalSize(columns: 20, rows: 6), "xterm-256color", .many)),
    ]

    /// The app with notes that are as old at any time.
    private func withNotes(
        _ look: Look, _ body: (TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            for (name, text) in Self.notes {
                try home.write(text, toNote: name)
                // What is to come is shown as of now, however long the app takes to start.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: 3600)],
                    ofItemAtPath: home.club.appending(path: name).path)
            }
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(terminal)
        }
    }

    @Test(arguments: looks) func theNotes(name: String, look: Look) async throws {
        try await withNotes(look) { terminal in
            try await compare(terminal, "notes, \(name)")
        }
    }

    @Test(arguments: looks) func aNewNote(name: String, look: Look) async throws {
        try await inFreshHome { home in
            let terminal = try await home.open(look.with(home.makeSpeller()))
            defer { terminal.close() }
            terminal.type("n")
            try await terminal.wait { !$0.showsTabs }
            terminal.type("Palindromes\nA man, a plan,\na canal: Panama 漢字")
            try await terminal.waitUntilIdle()
            try await compare(terminal, "new note, \(name)")
        }
    }

    @Test(arguments: looks) func theQuestionBeforeChangesAreLost(name: String, look: Look)
        async throws
    {
        try await withNotes(look) { terminal in
            terminal.press(.enter)
            try await terminal.wait { !$0.showsTabs }
            try await terminal.waitUntilIdle()
            terminal.type("Please: ")
            terminal.press(.escape)
            try await terminal.wait(for: "the question") { $0.contains("Save") }
            try await compare(terminal, "unsaved changes, \(name)")
        }
    }

    @Test(arguments: looks) func theKeys(name: String, look: Look) async throws {
        try await withNotes(look) { terminal in
            terminal.type("?")
            try await compare(terminal, "keys, \(name)")
        }
    }

    private func compare(_ terminal: TerminalDriver, _ name: String) async throws {
        let screen = try await terminal.waitUntilIdle().masking(/now(?= ?[│▐])/)
        let difference = try GoldenScreen(named: name, in: Self.folder).difference(from: screen)
        #expect(difference == nil, "\(difference ?? "")")
    }
}
