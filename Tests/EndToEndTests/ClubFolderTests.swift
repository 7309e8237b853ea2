import Foundation
import TestSupport
import Testing

/// The club is a plain folder, and more than one may be in it.
@Suite struct ClubFolderTests {
    @Test(arguments: [Look.classic, .wide])
    func showsWhatAnotherMemberPutsThere(look: Look) async throws {
        try await withApp(look, notes: ["first.txt": "1"]) { home, terminal in
            try home.write("2", toNote: "second.txt")
            try await terminal.wait(forText: "second.txt")
            try FileManager.default.removeItem(at: home.club.appending(path: "first.txt"))
            try await terminal.wait(untilGone: "first.txt")
            terminal.type("2")
            try await terminal.waitUntilIdle()
            try Photos.corners().write(to: home.photos.appending(path: "sea.jpg"))
            try await terminal.wait(forText: "sea.jpg")
        }
    }

    /// The welcome of a new club alone would look like the loss of every note.
    @Test func saysThatTheFolderIsNotThereAnyMore() async throws {
        try await withApp(notes: ["first.txt": "1"]) { home, terminal in
            try await terminal.wait(forText: "first.txt")
            let moved = try await quitAndMoveTheClub(of: home, terminal)
            let second = try home.start()
            defer { second.close() }
            try await second.wait(forText: "Its folder was not there any more")
            second.press(.enter)
            try await second.wait(forText: "Welcome to Byte Club.txt")
            second.type("q")
            try await second.waitForEnd()
            try await eventually("the club is closed") { home.processes.isEmpty }

            try FileManager.default.removeItem(at: home.club)
            try FileManager.default.moveItem(at: moved, to: home.club)
            let third = try home.start()
            defer { third.close() }
            try await third.wait(forText: "first.txt")
            #expect(!third.screen.contains("not there any more"))
        }
    }

    /// The welcome of a new club would be all that a shell shows, and the app would not warn any more.
    @Test func aCommandMakesNoFolderInPlaceOfALostOne() async throws {
        try await withApp(notes: ["first.txt": "1"]) { home, terminal in
            try await terminal.wait(forText: "first.txt")
            try await quitAndMoveTheClub(of: home, terminal)
            for arguments in [["notes", "ls"], ["notes", "cat", "first"], ["photos", "ls"]] {
                let output = try await home.run(arguments)
                #expect(output.status == 1, "\(arguments)")
                #expect(output.text.isEmpty, "\(output.text)")
                #expect(output.errorText.contains(home.club.path), "\(output.errorText)")
            }
            #expect(!FileManager.default.fileExists(atPath: home.club.path))
            let second = try home.start()
            try await second.wait(forText: "Its folder was not there any more")
            second.close()
        }
    }

    /// One of them has its local copy before the server of the other has made the club.
    @Test func theFirstStartOfTwoIsNoLoss() async throws {
        try await inFreshHome(hasClub: false) { home in
            let (first, second) = (try home.start(), try home.start())
            defer {
                first.close()
                second.close()
            }
            for terminal in [first, second] {
                try await terminal.wait(for: "the new club or a warning") {
                    $0.contains("Welcome to Byte Club") || $0.contains("not there any more")
                }
                #expect(!terminal.screen.contains("not there any more"))
            }
        }
    }

    @Test func keepsTheSelectionWhenTheListChanges() async throws {
        try await withApp(notes: ["m.txt": "middle"]) { home, terminal in
            try home.write("first", toNote: "a.txt")
            try await terminal.wait(forText: "a.txt")
            try await terminal.waitUntilIdle()
            try await terminal.openNote(showing: "middle")
        }
    }

    @Test func showsFoldersAndNoHiddenFiles() async throws {
        try await withApp(notes: ["seen.txt": "1", ".hidden.txt": "2"]) { home, terminal in
            try FileManager.default.createDirectory(
                at: home.club.appending(path: "folder"), withIntermediateDirectories: true)
            try home.write("3", toNote: "last.txt")
            // The row of the one moves on when the other comes: half a frame may lack it.
            let screen = try await terminal.wait(for: "both notes and the folder") {
                $0.contains("last.txt") && $0.contains("seen.txt") && $0.contains("folder/")
            }
            #expect(!screen.contains("hidden"))
        }
    }

    @Test func twoAppsShareOneClub() async throws {
        try await withApp { home, first in
            let second = try await home.open(.wide)
            defer { second.close() }
            #expect(home.servers.count == 1)
            first.type("n")
            try await first.wait(forText: Label.nameField)
            first.type("Shared\nby two")
            first.press(.function(2))
            try await second.wait(forText: "Shared.txt")

            first.type("q")
            #expect(try await first.waitForEnd() == .exited(status: 0))
            try home.write("still here", toNote: "later.txt")
            try await second.wait(forText: "later.txt")
            #expect(home.servers.count == 1)
        }
    }

    /// The server of the command before is still there for a second, and `nohup` has SIGHUP ignored.
    @Test func aServerStartsAfterACommandAndStaysWithoutATerminal() async throws {
        try await inFreshHome { home in
            #expect(try await home.run("notes", "ls").status == 0)
            let server = try Conversation(
                "/bin/sh", ["-c", "trap '' HUP; exec '\(ClubHome.program)' serve"],
                environment: home.environment(), directory: home.work.path)
            let output = await server.output { $0.contains("^C stops it") }
            #expect(output.contains("is served at"))
            let ignored = ProcessTable.ignoredSignals(of: server.processIdentifier)
            #expect(ignored.map { $0 & (1 << UInt64(SIGHUP - 1)) != 0 } == true)
            kill(server.processIdentifier, SIGHUP)
            #expect(try await home.run("notes", "ls").status == 0)
            #expect(home.servers == [server.processIdentifier])
            kill(server.processIdentifier, SIGTERM)
            #expect(await server.end().status == 0)
        }
    }

    @Test func theClubClosesAfterTheLastAppHasQuit() async throws {
        try await withApp { home, terminal in
            #expect(home.servers.count == 1)
            terminal.type("q")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
            try await eventually("no process left") { home.processes.isEmpty }
        }
    }

    @Test func theClubClosesAfterAnAppWasKilled() async throws {
        try await withApp { home, terminal in
            terminal.signal(SIGKILL)
            try await terminal.waitForEnd()
            try await eventually("no process left") { home.processes.isEmpty }
        }
    }

    @Test func theAppOpensTheClubAgainWhenItWasKilled() async throws {
        try await withApp(notes: ["a.txt": "1"]) { home, terminal in
            let server = try #require(home.servers.first)
            kill(server, SIGKILL)
            try await eventually("another club") {
                home.servers.contains { $0 != server }
            }
            try home.write("2", toNote: "b.txt")
            try await terminal.wait(forText: "b.txt")
            try await terminal.waitUntilIdle()
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("c\n3")
            terminal.press(.function(2))
            try await eventually("a save") { home.noteNames == ["a.txt", "b.txt", "c.txt"] }
        }
    }

    /// Quits the app, and moves the folder once the club is closed; returns where it is now.
    @discardableResult private func quitAndMoveTheClub(
        of home: ClubHome, _ terminal: TerminalDriver
    ) async throws
        -> URL
    {
        terminal.type("q")
        #expect(try await terminal.waitForEnd() == .exited(status: 0))
        try await eventually("the club is closed") { home.processes.isEmpty }
        let moved = home.folder.appending(path: "moved")
        try FileManager.default.moveItem(at: home.club, to: moved)
        return moved
    }
}
