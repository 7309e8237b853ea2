import Foundation
import TestSupport
import Testing

@Suite struct FirstStartTests {
    /// What computes in the background yields to what answers keys.
    @Test func theClubsServerComesAfterTheScreen() async throws {
        try await inFreshHome { home in
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.waitForTabs()
            let kind = __priority_which_t(PRIO_PROCESS.rawValue)
            try await eventually("a server that yields") {
                home.servers.contains { getpriority(kind, id_t($0)) >= 5 }
            }
            #expect(getpriority(kind, id_t(terminal.process)) == getpriority(kind, 0))
        }
    }

    @Test(arguments: Look.all)
    func welcomesANewcomerWithANoteAndThreePanoramas(look: Look) async throws {
        try await inFreshHome(hasClub: false) { home in
            let terminal = try home.start(
                size: look.size, terminal: look.terminal, more: look.environment)
            defer { terminal.close() }
            try await terminal.waitForTabs()
            try await eventually("a note and three panoramas") {
                home.noteNames.count == 1 && home.photoNames.count == 3
            }
            let note = try #require(home.noteNames.first)
            try await terminal.wait(forText: note)
            let notes = try await terminal.waitUntilIdle()
            // How to join another club is said, and the keys are in sight all the same.
            #expect(notes.contains("login"), "\(notes)")
            #expect(notes.text(ofRow: look.size.rows - 1).contains("keys"), "\(notes)")
            #expect(look.colorProblem(in: notes) == nil)

            let greeting = try #require(
                try home.text(ofNote: note).split(whereSeparator: \.isNewline).first)
            try await terminal.openNote(showing: String(greeting))
            terminal.press(.escape)
            try await terminal.waitForTabs()

            terminal.type("2")
            let names = home.photoNames
            try await terminal.wait(for: "three panoramas") { screen in
                names.allSatisfy { screen.contains($0) }
            }
            let photos = try await terminal.waitUntilIdle()
            #expect(look.colorProblem(in: photos) == nil)
        }
    }

    @Test func doesNotBringItsGiftsTwice() async throws {
        try await inFreshHome(hasClub: false) { home in
            let first = try home.start()
            try await eventually("the gifts") {
                home.noteNames.count == 1 && home.photoNames.count == 3
            }
            first.close()
            let note = home.club.appending(path: try #require(home.noteNames.first))
            try await eventually("the club to close") { home.processes.isEmpty }
            try FileManager.default.removeItem(at: note)

            let second = try home.start()
            defer { second.close() }
            try await second.wait(forText: "No notes yet")
            #expect(home.noteNames.isEmpty)
        }
    }
}
