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
            try await readsWhatIsKept(home)

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

    /// The commands that only read have what is kept, with what waits, and say so.
    private func readsWhatIsKept(_ home: ClubHome) async throws {
        let list = try await home.run("notes", "ls")
        #expect(list.status == 0)
        #expect(list.text.contains("Written offline.txt"), "\(list.text)")
        #expect(list.errorText.contains("Showing the copy on this computer."))
        let text = try await home.run("notes", "cat", "Other", "Seen", "Written offline")
        #expect(text.text == "other words\nmore seen words\nnew words")
        #expect(text.errorText.split(separator: "\n").count == 1, "\(text.errorText)")
        let found = try await home.run("notes", "search", "words")
        #expect(found.text.split(separator: "\n").count == 3, "\(found.text)")
        let missing = try await home.run("notes", "cat", "Nowhere")
        #expect(missing.status == 1)
        #expect(missing.errorText.contains("There is no note “Nowhere”"), "\(missing.errorText)")
        let log = try await home.run("notes", "log", "Seen", "--json")
        #expect(log.status == 0, "\(log.errorText)")
        #expect(log.errorText.contains("Showing the copy on this computer."))
        let versions = try #require(
            try JSONSerialization.jsonObject(with: Data(log.text.utf8)) as? [[String: Any]])
        #expect(versions.compactMap { $0["size"] as? Int } == [16, 11])
        #expect(versions.compactMap { $0["current"] as? Bool } == [true, false])
        let revision = try #require(versions.last?["revision"] as? String)
        let earlier = try await home.run("notes", "cat", "Seen", "--revision", revision)
        #expect(earlier.text == "seen words\n", "\(earlier.errorText)")
        let club = try await home.run("--plain")
        #expect(club.status == 0 && club.text.contains("Seen.txt"), "\(club.errorText)")
    }

    /// What the shell changes while the club is away waits as what the app changes, and is sent in its order.
    @Test func whatTheShellChangesWaitsAndIsSentInOrder() async throws {
        let notes = [
            "Seen.txt": "seen\n", "Old.txt": "old\n", "Gone.txt": "gone\n",
            "Renamed.txt": "there\n",
        ]
        try await withClub(notes) { home, folder, line in
            let past = Date(timeIntervalSince1970: 1_600_000_000)
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: folder.appending(path: "Old.txt").path)
            let first = try home.start()
            try await first.wait(forText: "Seen.txt")
            try await first.waitUntilIdle()
            first.type(":quit\n")
            _ = try await first.waitForEnd()
            first.close()

            line.cutOff()
            let waits =
                "No connection to the club: the change waits here and is sent when Byte Club or byteclub outbox "
                + "send next reaches the club."
            func change(_ arguments: [String], input: String? = nil) async throws
                -> [String: Any]
            {
                let output = try await home.run(arguments + ["--json"], input: input ?? "")
                #expect(output.status == 0, "\(arguments): \(output.errorText)")
                #expect(output.errorText.contains(waits), "\(output.errorText)")
                let answer = try JSONSerialization.jsonObject(with: Data(output.text.utf8))
                return try #require(answer as? [String: Any] ?? (answer as? [[String: Any]])?.first)
            }
            let new = try await change(["notes", "new", "drafts/New", "-"], input: "new\n")
            #expect(new["path"] as? String == "/drafts/New.txt")
            let edited = try await change(["notes", "edit", "Seen", "-"], input: "changed\n")
            #expect(edited["size"] as? Int == 8)
            let moved = try await change(["notes", "mv", "Old", "Older"])
            #expect(moved["path"] as? String == "/Older.txt")
            #expect((moved["modified"] as? String)?.hasPrefix("2020-09-13") == true)
            #expect(try await change(["notes", "rm", "Gone"])["path"] as? String == "/Gone.txt")
            for arguments in [["notes", "new", "Older", "-"], ["notes", "mv", "Seen", "Older"]] {
                let taken = try await home.run(arguments)
                #expect(taken.status == 1)
                #expect(taken.errorText.contains("There is a note “Older.txt” already"))
            }
            let list = try await home.run("notes", "ls", "--recursive")
            for name in ["drafts/New.txt", "Seen.txt", "Older.txt"] {
                #expect(list.text.contains(name), "\(list.text)")
            }
            #expect(!list.text.contains("Gone") && !list.text.contains("Old.txt"))
            let trash = try await home.run("notes", "trash")
            #expect(trash.text.contains("Gone.txt"), "\(trash.text)")

            let waiting = try await home.run("outbox", "ls", "--json")
            let changes = try #require(
                try JSONSerialization.jsonObject(with: Data(waiting.text.utf8))
                    as? [[String: Any]])
            #expect(
                changes.compactMap { $0["action"] as? String }
                    == ["write", "write", "move", "delete"])
            // The moment of the change, not the file's date.
            for date in changes.compactMap({ $0["date"] as? String }) {
                #expect(date > "2021", "\(date)")
            }
            #expect(text(folder, "Seen.txt") == "seen\n")

            // Its new name and text wait, the note itself is in the club.
            _ = try await change(["notes", "edit", "Renamed", "-"], input: "changed, too\n")
            _ = try await change(["notes", "mv", "Renamed", "Other"])
            _ = try await change(["notes", "rm", "Other"])

            try line.join()
            let before = try await home.run("notes", "ls")
            #expect(before.text.contains("Gone.txt"))
            #expect(
                before.errorText.contains("5 changes wait: byteclub outbox send sends them."))
            let sent = try await home.run("outbox", "send")
            #expect(sent.status == 0, "\(sent.errorText)")
            #expect(
                sent.text == """
                    Sent: Add “drafts/New.txt”
                    Sent: Change “Seen.txt”
                    Sent: Rename “Old.txt” to “Older.txt”
                    Sent: Delete “Gone.txt”
                    Sent: Delete “Renamed.txt”

                    """)
            #expect(text(folder, "Renamed.txt") == nil && text(folder, "Other.txt") == nil)
            #expect(text(folder, "drafts/New.txt") == "new\n")
            #expect(text(folder, "Seen.txt") == "changed\n")
            #expect(text(folder, "Older.txt") == "old\n")
            #expect(text(folder, "Old.txt") == nil && text(folder, "Gone.txt") == nil)
        }
    }

    /// They were made before: `mv` would otherwise move the old text, and the new one would come after it.
    @Test func whatWaitsIsSentBeforeALaterCommandOfTheShell() async throws {
        try await withClub(["Seen.txt": "seen\n"]) { home, folder, line in
            #expect(try await home.run("notes", "cat", "Seen").text == "seen\n")
            line.cutOff()
            let edited = try await home.run(["notes", "edit", "Seen", "-"], input: "changed\n")
            #expect(edited.status == 1, "\(edited.text)")
            let new = try await home.run(["notes", "new", "Fresh", "-"], input: "fresh\n")
            #expect(new.status == 0, "\(new.errorText)")
            // Only what waits is known of a club that was never shown.
            #expect(try await home.run("notes", "cat", "Fresh").text == "fresh\n")
            #expect(try await home.run("notes", "ls").errorText.contains("No connection"))
            let again = try await home.run(["notes", "new", "Again", "-"], input: "x")
            #expect(again.status == 0)
            let gone = try await home.run("notes", "rm", "Again")
            #expect(gone.errorText.contains("“Again.txt” was only here"), "\(gone.errorText)")
            try line.join()
            let moved = try await home.run("notes", "mv", "Fresh", "Moved")
            #expect(moved.status == 0, "\(moved.errorText)")
            #expect(moved.errorText.contains("Sent: Add “Fresh.txt”"), "\(moved.errorText)")
            #expect(text(folder, "Moved.txt") == "fresh\n")
            #expect(text(folder, "Fresh.txt") == nil)
            #expect(try await home.run("outbox", "--json").text.filter { !$0.isWhitespace } == "[]")
        }
    }

    @Test func theShellSendsWhatWaits() async throws {
        try await withClub([:]) { home, folder, line in
            line.cutOff()
            let terminal = try home.start()
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("Written offline\nnew words")
            terminal.press(.function(2))
            try await terminal.wait(forText: "1 change waiting")
            terminal.type(":quit\n")
            _ = try await terminal.waitForEnd()
            terminal.close()

            let inVain = try await home.run("outbox", "send")
            #expect(inVain.status == 1)
            #expect(inVain.errorText.contains("No connection"), "\(inVain.errorText)")
            try line.join()
            let sent = try await home.run("outbox", "send")
            #expect(sent.status == 0, "\(sent.errorText)")
            #expect(sent.text == "Sent: Add “Written offline.txt”\n")
            #expect(text(folder, "Written offline.txt") == "new words")
            let nothing = try await home.run("outbox", "send")
            #expect(nothing.status == 0)
            #expect(nothing.errorText.contains("Nothing waits"), "\(nothing.errorText)")
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

    /// Nobody else is blamed for what a command, or another window, has done.
    @Test func onesOwnChangeElsewhereIsCalledSo() async throws {
        try await withApp(notes: ["a.txt": "first\nsecond\n"]) { home, terminal in
            try await terminal.openNote(showing: "second")
            terminal.type("mine ")
            try await terminal.wait(forText: "modified")
            let edited = try await home.run(["notes", "edit", "a", "-"], input: "other words\n")
            #expect(edited.status == 0, "\(edited.errorText)")
            try await terminal.wait(forText: "changed on this computer")
            terminal.press(.function(2))
            try await terminal.wait(forText: "Changed on this computer")
            terminal.type("b")
            try await eventually("both texts are in the club") {
                home.noteNames == ["a (my version).txt", "a.txt"]
            }
            #expect(try home.text(ofNote: "a.txt") == "other words\n")
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
            try await terminal.wait(forText: "1 line added")
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
            terminal.type("d")
            try await terminal.wait(forText: "Delete note?")
            terminal.type("d")
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
