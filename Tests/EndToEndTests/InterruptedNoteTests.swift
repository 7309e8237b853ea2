import Foundation
import Glibc
import TestSupport
import Testing

/// ^C while a note is being saved from the shell.
@Suite struct InterruptedNoteTests {
    @Test func theOnlyCopyIsNotDeletedByOneKey() async throws {
        try await inFreshHome { home in
            try home.write("there already", toNote: "Plan.txt")
            let refused = try await home.run("notes", "new", "Plan", "-", input: "\nother words\n")
            #expect(refused.status == 1)
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            let isKept = { home.names(in: drafts).contains { $0.hasSuffix(".draft") } }
            for deletes in [false, true] {
                #expect(isKept())
                let terminal = try home.start()
                defer { terminal.close() }
                try await terminal.wait(forText: "An unsaved note was kept")
                try await terminal.wait(forText: "“other words”")
                terminal.type("D")
                try await terminal.wait(forText: "Delete this text?")
                terminal.type(deletes ? "D" : "k")
                if deletes { try await terminal.wait(forText: "The unsaved text was deleted.") }
                terminal.type("q")
                _ = try await terminal.waitForEnd()
            }
            #expect(!isKept())
        }
    }

    @Test func theMarkInTheListGoesWithTheDraft() async throws {
        try await inFreshHome { home in
            try home.write("words\n", toNote: "Plan.txt")
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            let first = try await home.open()
            defer { first.close() }
            try await first.openNote(showing: "words")
            first.type("typed ")
            try await eventually("the draft") {
                home.names(in: drafts).contains { $0.hasSuffix(".draft") }
            }
            first.signal(SIGKILL)
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "An unsaved note was kept")
            try await terminal.wait(forText: "Plan.txt draft")
            terminal.type("D")
            try await terminal.wait(forText: "Delete this text?")
            terminal.type("D")
            try await terminal.wait(for: "a list without the mark") {
                $0.contains("Plan.txt") && !$0.contains("Plan.txt draft")
            }
        }
    }

    /// What was typed last is on the screen again, and goes on there.
    @Test func aDraftOpensWhereItWasTyped() async throws {
        try await inFreshHome { home in
            let lines = (1...60).map { "line \($0)\n" }.joined()
            try home.write(lines, toNote: "Plan.txt")
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            let first = try await home.open()
            defer { first.close() }
            try await first.openNote(showing: "line 2")
            first.send(Array("\u{1B}[1;5F".utf8))
            try await first.wait(forText: "line 60")
            first.type("the end")
            try await eventually("the draft") {
                home.names(in: drafts).filter { $0.hasSuffix(".draft") }.contains { name in
                    let data = (try? Data(contentsOf: drafts.appending(path: name))) ?? Data()
                    return String(decoding: data, as: UTF8.self).hasSuffix("the end")
                }
            }
            first.signal(SIGKILL)
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "An unsaved note was kept")
            terminal.type("o")
            try await terminal.wait(forText: "Ln 61, Col 8")
            terminal.type("!")
            try await terminal.wait(forText: "the end!")
            #expect(terminal.screen.contains("line 60"))
        }
    }

    /// What comes through a pipe comes once.
    @Test func itsTextIsKeptAndOffered() async throws {
        try await withApp { home, terminal in
            // The club does not answer for now.
            let server = try #require(home.servers.first)
            kill(server, SIGSTOP)
            defer { kill(server, SIGCONT) }
            try Data("words that come once\n".utf8).write(to: home.work.appending(path: "words"))
            let program = try Conversation(
                "/bin/sh",
                ["-c", #"exec "$0" notes new drafts/Piped - < words"#, ClubHome.program],
                environment: home.environment(), directory: home.work.path)
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            try await eventually("the text is on the disk") {
                home.names(in: drafts).contains { $0.hasSuffix(".draft") }
            }
            kill(program.processIdentifier, SIGINT)
            #expect(await program.end().status == 128 + SIGINT)
            kill(server, SIGCONT)
            terminal.type("q")
            _ = try await terminal.waitForEnd()
            let next = try home.start()
            defer { next.close() }
            try await next.wait(forText: "An unsaved note was kept")
            // Where it was to go, under a name that can be saved.
            next.type("o")
            try await next.wait(forText: "words that come once")
            next.press(.function(2))
            try await eventually("the note is in its folder") {
                (try? home.text(ofNote: "drafts/Piped.txt")) == "words that come once\n"
            }
        }
    }
}
