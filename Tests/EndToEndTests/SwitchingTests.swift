import Foundation
import TestSupport
import Testing

/// From club to club faster than their servers answer: the last one asked for is shown, and nothing of
/// another in it.
@Suite struct SwitchingTests {
    private let gate = LoopbackGate()
    private let slow: StandInWebDAV
    private let other: StandInWebDAV

    init() throws {
        slow = try StandInWebDAV(files: ["Slow.txt": "slow\n"], gate: gate)
        other = try StandInWebDAV(files: ["Other.txt": "other\n"])
    }

    /// A home in which somebody is signed in to both clubs.
    private func withClubs(
        _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        defer { gate.open() }
        try await inFreshHome { home in
            let state = home.folder.appending(path: "state/byteclub")
            try FileManager.default.createDirectory(
                at: state.appending(path: "secrets"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            var settings = "clubs:\n"
            for (name, server) in [("slow", slow), ("other", other)] {
                settings += "  \(name): {kind: webdav, url: '\(server.address)', user: ann}\n"
                let secret = try JSONEncoder().encode(["password": server.password])
                try secret.write(to: state.appending(path: "secrets/\(name).json"))
            }
            try home.write(settings: settings)
            try Data(#"{"secrets": {"slow": "file", "other": "file"}}"#.utf8).write(
                to: state.appending(path: "clubs.json"))
            try home.write("near\n", toNote: "Near.txt")
            let terminal = try await home.open()
            defer { terminal.close() }
            try await body(home, terminal)
        }
    }

    /// Which of the clubs' notes are on the screen.
    private func notes(on screen: TerminalScreen) -> Set<String> {
        Set(["Slow.txt", "Other.txt", "Near.txt"].filter { screen.contains($0) })
    }

    @Test(arguments: [
        (["slow", "other"], "Other.txt"), (["slow", "other", "slow", "other"], "Other.txt"),
        (["slow", "embedded"], "Near.txt"), (["other", "slow", "embedded", "other"], "Other.txt"),
    ])
    func theLastOneWins(clubs: [String], note: String) async throws {
        try await withClubs { home, terminal in
            terminal.type(clubs.map { ":club \($0)\n" }.joined())
            try await terminal.wait(for: "the last club") { notes(on: $0) == [note] }
            // What the slow one answers now comes too late.
            gate.open()
            try await terminal.waitUntilIdle()
            #expect(notes(on: terminal.screen) == [note])
            terminal.type(":quit\n")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
            // And it is the one that is opened next time.
            let list = try await home.run("notes", "ls")
            #expect(list.text.contains(note), "\(list.text) \(list.errorText)")
        }
    }

    @Test func theSlowOneIsShownWhenItAnswersAtLast() async throws {
        try await withClubs { _, terminal in
            terminal.type(":club other\n:club slow\n")
            try await terminal.wait(for: "the slow club, and nothing of the other") {
                $0.contains("connecting to slow") && notes(on: $0).isEmpty
            }
            gate.open()
            try await terminal.wait(for: "the slow club") { notes(on: $0) == ["Slow.txt"] }
        }
    }
}
