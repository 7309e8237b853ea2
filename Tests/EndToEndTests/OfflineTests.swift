import Foundation
import TestSupport
import Testing

/// The club is away: the app has it all the same, and what is done meanwhile arrives.
@Suite(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
struct OfflineTests {
    /// A club on a server that can be cut off, and a home that is signed in to it.
    private func withClub(
        _ notes: [String: String],
        _ body: (ClubHome, URL, ConnectionSwitch) async throws -> Void
    ) async throws {
        let club = try ApacheServer.shared.makeClub()
        for (name, text) in notes {
            try Data(text.utf8).write(to: club.folder.appending(path: name))
        }
        let port = try #require(club.url.port)
        let line = try ConnectionSwitch(to: UInt16(port))
        defer { line.cutOff() }
        let address = club.url.absoluteString
            .replacingOccurrences(of: ":\(port)/", with: ":\(line.port)/")
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", address, "--user", "ann", "--password-stdin"],
                input: "secret\n")
            try #require(login.status == 0, "\(login.errorText)")
            try await body(home, club.folder, line)
        }
    }

    private func text(_ folder: URL, _ name: String) -> String? {
        (try? Data(contentsOf: folder.appending(path: name)))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aNoteWrittenWithTheServerStoppedArrivesWhenItIsBack() async throws {
        try await withClub(["Seen.txt": "seen words\n", "Other.txt": "other words\n"]) {
            home, folder, line in
            // Everything is seen once, in the background too.
            let first = try home.start()
            try await first.wait(forText: "Seen.txt")
            try await first.waitUntilIdle()
            let library = home.folder.appending(path: "state/byteclub/clubs")
            try await eventually("both texts on this machine") {
                let all =
                    FileManager.default.enumerator(atPath: library.path)?
                    .compactMap { $0 as? String } ?? []
                return all.filter { $0.hasSuffix("library.sqlite-wal") }.contains { name in
                    let data = try? Data(contentsOf: library.appending(path: name))
                    return data?.range(of: Data("seen words".utf8)) != nil
                        && data?.range(of: Data("other words".utf8)) != nil
                }
            }
            first.type(":quit\n")
            _ = try await first.waitForEnd()
            first.close()

            line.cutOff()
            let second = try home.start(size: .wide)
            try await second.wait(for: "the list and the status") {
                $0.contains("Seen.txt") && $0.contains("Other.txt") && $0.contains("offline")
            }
            // An old note, changed: Done closes the editor.
            second.type("G\n")
            try await second.wait(forText: "Ln 1")
            try await second.wait(forText: "seen words")
            second.type("more ")
            second.press(.function(2))
            try await second.wait(forText: "Kept here")
            try await second.waitForTabs()
            try await second.wait(forText: "1 change waiting")
            // A new one.
            second.type("n")
            try await second.wait(forText: Label.nameField)
            second.type("Written offline\nnew words")
            second.press(.function(2))
            try await second.wait(forText: "2 changes waiting")
            try await second.wait(forText: "Written offline.txt")
            second.type(":outbox\n")
            try await second.wait(for: "both changes") {
                $0.contains("Change “Seen.txt”") && $0.contains("Add “Written offline.txt”")
            }
            second.press(.escape)
            try await second.wait(untilGone: "Change “Seen.txt”")
            try await second.waitUntilIdle()
            second.type(":quit\n")
            _ = try await second.waitForEnd()
            second.close()

            let listed = try await home.run("outbox", "--json")
            #expect(listed.status == 0)
            #expect(listed.text.contains("\"path\" : \"/Seen.txt\""))

            let third = try home.start()
            defer { third.close() }
            try await third.wait(for: "what waits") {
                $0.contains("Written offline.txt") && $0.contains("2 changes waiting")
            }
            #expect(text(folder, "Seen.txt") == "seen words\n")
            try line.join()
            try await eventually("both in the club") {
                text(folder, "Seen.txt") == "more seen words\n"
                    && text(folder, "Written offline.txt") == "new words"
            }
            try await third.wait(untilGone: "waiting")
        }
    }

    @Test func anOpenNoteFollowsWhatOthersSave() async throws {
        try await withApp(notes: ["a.txt": "first\nsecond\n"]) { home, terminal in
            try await terminal.openNote(showing: "second")
            try home.write("zeroth\nfirst\nsecond\n", toNote: "a.txt")
            try await terminal.wait(forText: "zeroth")
            try await terminal.wait(forText: "updated just now")
            terminal.type("mine ")
            try await terminal.wait(forText: "modified")
            try home.write("theirs\nfirst\nsecond\n", toNote: "a.txt")
            try await terminal.wait(forText: "changed by someone else")
            #expect(!terminal.screen.contains("theirs"))
        }
    }

    @Test func changesOfDifferentLinesAreMergedOnRequest() async throws {
        try await withApp(notes: ["a.txt": "one\ntwo\nthree\n"]) { home, terminal in
            try await terminal.openNote(showing: "three")
            terminal.type("mine ")
            try await terminal.wait(forText: "mine one")
            try home.write("one\ntwo\nthree\nfour\n", toNote: "a.txt")
            try await terminal.wait(forText: "changed by someone else")
            terminal.press(.function(2))
            try await terminal.wait(forText: "1 line came in")
            terminal.type("m")
            try await terminal.wait(for: "both texts") {
                $0.contains("mine one") && $0.contains("four")
            }
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "mine one\ntwo\nthree\nfour\n")
        }
    }

    @Test func aDeletedNoteComesBackAfterARestartAndOldTextsToo() async throws {
        try await withApp(notes: ["a.txt": "one\n"]) { home, terminal in
            try await terminal.openNote(showing: "one")
            terminal.type("changed ")
            terminal.press(.function(2))
            try await terminal.waitForTabs()
            terminal.type("H")
            try await terminal.wait(forText: "Versions of")
            try await terminal.waitUntilIdle()
            terminal.type("G\n")
            try await terminal.wait(forText: "+ changed one")
            terminal.type("r")
            try await terminal.wait(forText: "is as it was")
            #expect(try home.text(ofNote: "a.txt") == "one\n")
            terminal.type("dd")
            try await eventually("the deletion") { home.noteNames.isEmpty }
            try await terminal.waitUntilIdle()
            terminal.type(":quit\n")
            _ = try await terminal.waitForEnd()

            let next = try home.start()
            defer { next.close() }
            try await next.wait(forText: Label.notes)
            try await next.waitUntilIdle()
            next.type("z")
            try await next.wait(forText: "is back")
            #expect(try home.text(ofNote: "a.txt") == "one\n")
        }
    }
}
