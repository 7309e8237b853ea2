import Foundation
import TestSupport
import Testing

/// Saves that fail: each is told in a sentence, and nothing that was typed is lost.
@Suite struct SavingTests {
    struct Trouble: Sendable, CustomTestStringConvertible {
        let name: String
        let behavior: ClubProxy.Behavior
        /// Words of which one must be on the screen.
        let words: [String]
        var testDescription: String { name }
    }

    static let refusals = [
        Trouble(
            name: "507", behavior: .answer(.answer("507 Insufficient Storage")),
            words: ["full", "room"]),
        Trouble(
            name: "full by the API's word",
            behavior: .answer(
                .answer(
                    "409 Conflict", ["Content-Type": "application/json"],
                    body: """
                        {"error_summary": "path/insufficient_space/..", "error": {".tag": "path", \
                        "reason": {".tag": "insufficient_space"}, "upload_session_id": "x"}}
                        """)), words: ["full", "room"]),
        Trouble(
            name: "401",
            behavior: .answer(
                .answer(
                    "401 Unauthorized", ["Content-Type": "application/json"],
                    body: """
                        {"error_summary": "invalid_access_token/..", "error": \
                        {".tag": "invalid_access_token"}}
                        """)), words: ["sign-in", "Sign in", "again"]),
    ]

    /// What says nothing about the text: it waits.
    static let absences = [
        Trouble(
            name: "503",
            behavior: .answer(.answer("503 Service Unavailable", ["Retry-After": "0"])),
            words: ["again"]),
        Trouble(
            name: "500", behavior: .answer(.answer("500 Internal Server Error")),
            words: ["again"]),
        Trouble(
            name: "429",
            behavior: .answer(
                .answer(
                    "429 Too Many Requests",
                    ["Retry-After": "0", "Content-Type": "application/json"],
                    body: """
                        {"error_summary": "too_many_requests/..", "error": {"reason": \
                        {".tag": "too_many_requests"}, "retry_after": 0}}
                        """)), words: ["again"]),
        Trouble(
            name: "garbage", behavior: .answer(Data("I am no server\r\n\r\n".utf8)),
            words: ["was not understood", "again"]),
        Trouble(
            name: "no JSON", behavior: .answer(.answer("200 OK", body: "<html>")),
            words: ["was not understood", "again"]),
        Trouble(
            name: "hang-up", behavior: .hangUp(after: 0), words: ["again"]),
    ]

    /// Saves `typed with care ` before the text of a note, in an app whose uploads meet with a behavior.
    private func save(
        through behavior: ClubProxy.Behavior,
        _ body: (ClubHome, ClubProxy, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write("old\n", toNote: "a.txt")
            // The first app opens the club; the second comes in through the proxy.
            let keeper = try await home.open()
            defer { keeper.close() }
            let proxy = try ClubProxy(takingThePlaceOf: try #require(home.socket)) { request in
                request.path.hasSuffix("files/upload") ? behavior : .forward
            }
            defer { proxy.stop() }
            let terminal = try await home.open()
            defer { terminal.close() }
            try await terminal.openNote(showing: "old")
            terminal.type("typed with care ")
            terminal.press(.function(2))
            try await body(home, proxy, terminal)
        }
    }

    @Test(arguments: absences)
    func aTextThatFindsNobodyWaitsAndArrives(trouble: Trouble) async throws {
        try await save(through: trouble.behavior) { home, proxy, terminal in
            try await terminal.wait(forText: "1 change waiting")
            try await terminal.waitForTabs()
            #expect(try home.text(ofNote: "a.txt") == "old\n")

            proxy.stop()
            try await eventually("the next attempt") {
                try home.text(ofNote: "a.txt") == "typed with care old\n"
            }
            try await terminal.wait(untilGone: "waiting")
        }
    }

    @Test(arguments: refusals)
    func keepsTheTextWhenASaveFails(trouble: Trouble) async throws {
        try await save(through: trouble.behavior) { home, proxy, terminal in
            try await terminal.wait(for: "a sentence about it") { screen in
                screen.contains("OK") && trouble.words.contains { screen.contains($0) }
            }
            terminal.press(.enter)
            try await terminal.wait(untilGone: "OK")
            #expect(terminal.screen.contains("typed with care old"))
            #expect(try home.text(ofNote: "a.txt") == "old\n")

            proxy.stop()
            try await terminal.waitUntilIdle()
            terminal.press(.function(2))
            try await eventually("the second attempt") {
                try home.text(ofNote: "a.txt") == "typed with care old\n"
            }
        }
    }

    @Test func aSilentServerCanBeLeftWithOneKey() async throws {
        try await save(through: .silence) { _, proxy, terminal in
            try await proxy.waitForRequest(to: "files/upload", bodyByteCount: 1)
            terminal.press(.escape)
            _ = try await proxy.waitForAbandonment(of: "files/upload")
            let screen = try await terminal.waitUntilIdle()
            #expect(screen.contains("typed with care old"))
        }
    }

    @Test func asksWhenSomeoneElseChangedTheNote() async throws {
        try await withApp(notes: ["a.txt": "mine\n"]) { home, terminal in
            try await terminal.openNote(showing: "mine")
            terminal.type("really ")
            try home.write("theirs\n", toNote: "a.txt")
            terminal.press(.function(2))
            try await terminal.wait(forText: "Changed by someone else")
            #expect(try home.text(ofNote: "a.txt") == "theirs\n")
            try await terminal.waitUntilIdle()
            terminal.type("c")
            try await terminal.wait(for: "the comparison") { screen in
                ["in the club's alone", "- really mine", "+ theirs"]
                    .allSatisfy { screen.contains($0) }
            }
            terminal.press(.escape)
            try await terminal.wait(forText: "Changed by someone else")
            try await terminal.waitUntilIdle()
            terminal.type("b")
            try await eventually("both versions") { home.noteNames.count == 2 }
            #expect(try home.text(ofNote: "a.txt") == "theirs\n")
            let copy = try #require(home.noteNames.first { $0 != "a.txt" })
            #expect(try home.text(ofNote: copy) == "really mine\n")
        }
    }

    @Test func aThirdVersionIsAskedAboutAgain() async throws {
        try await withApp(notes: ["a.txt": "mine\n"]) { home, terminal in
            try await terminal.openNote(showing: "mine")
            terminal.type("really ")
            try home.write("theirs\n", toNote: "a.txt")
            terminal.press(.function(2))
            try await terminal.wait(forText: "Changed by someone else")
            try home.write("a third one\n", toNote: "a.txt")
            try await terminal.waitUntilIdle()
            terminal.type("r")
            // Only now is the first question off the screen.
            try await terminal.waitUntilIdle()
            try await terminal.wait(forText: "Changed by someone else")
            try await terminal.waitUntilIdle()
            #expect(try home.text(ofNote: "a.txt") == "a third one\n")
            terminal.type("c")
            try await terminal.wait(forText: "+ a third one")
            try await terminal.waitUntilIdle()
            terminal.type("e")
            try await terminal.wait(for: "both texts") { screen in
                ["<<<<<<< mine", "really mine", "=======", "a third one", ">>>>>>> the club's"]
                    .allSatisfy { screen.contains($0) }
            }
            try await terminal.waitUntilIdle()
            terminal.press(.function(2))
            // The marks are not saved unasked.
            try await terminal.wait(forText: "The marks are still there")
            try await terminal.waitUntilIdle()
            terminal.type("s")
            try await eventually("both in one") {
                try home.text(ofNote: "a.txt")
                    == "<<<<<<< mine\nreally mine\n=======\na third one\n>>>>>>> the club's\n"
            }
        }
    }

    @Test func theMarksOfADraftAreNotSavedUnaskedEither() async throws {
        try await withApp(notes: ["a.txt": "old\n"]) { home, terminal in
            try await terminal.openNote(showing: "old")
            terminal.type("really ")
            try home.write("theirs\n", toNote: "a.txt")
            terminal.press(.function(2))
            try await terminal.wait(forText: "Changed by someone else")
            try await terminal.waitUntilIdle()
            terminal.type("c")
            try await terminal.wait(forText: "+ theirs")
            try await terminal.waitUntilIdle()
            terminal.type("e")
            try await terminal.wait(forText: ">>>>>>> the club's")
            try await terminal.waitUntilIdle()
            terminal.press(.escape)
            try await terminal.wait(forText: "Keep as draft")
            try await terminal.waitUntilIdle()
            terminal.type("d")
            try await terminal.wait(forText: "a.txt draft")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(forText: ">>>>>>> the club's")
            try await terminal.waitUntilIdle()
            terminal.press(.function(2))
            try await terminal.wait(forText: "The marks are still there")
            #expect(try home.text(ofNote: "a.txt") == "theirs\n")
        }
    }

    @Test func savesAfterTheClubHasDied() async throws {
        try await withApp(notes: ["a.txt": "old\n"]) { home, terminal in
            try await terminal.openNote(showing: "old")
            terminal.type("very ")
            try await terminal.wait(forText: "very old")
            for server in home.servers { kill(server, SIGKILL) }
            terminal.press(.function(2))
            try await terminal.wait(for: "a save or a sentence") {
                $0.contains(Label.photos) || $0.contains("OK")
            }
            if terminal.screen.contains("OK") {
                terminal.press(.enter)
                try await terminal.waitUntilIdle()
                #expect(terminal.screen.contains("very old"))
                terminal.press(.function(2))
            }
            try await eventually("the save") { try home.text(ofNote: "a.txt") == "very old\n" }
        }
    }

    @Test(.disabled(if: getuid() == 0, "root may write anywhere"))
    func keepsTheTextWhenTheFolderMayNotBeWritten() async throws {
        try await withApp(notes: ["a.txt": "old\n"]) { home, terminal in
            try await terminal.openNote(showing: "old")
            terminal.type("very ")
            chmod(home.club.path, 0o500)
            terminal.press(.function(2))
            try await terminal.wait(forText: "OK")
            terminal.press(.enter)
            try await terminal.wait(untilGone: "OK")
            #expect(terminal.screen.contains("very old"))
            chmod(home.club.path, 0o700)
            terminal.press(.function(2))
            try await eventually("the save") { try home.text(ofNote: "a.txt") == "very old\n" }
        }
    }

    @Test func offersWhatAKilledAppHadUnsaved() async throws {
        try await inFreshHome { home in
            let first = try await home.open()
            first.type("n")
            try await first.wait(forText: Label.nameField)
            first.type("Idea\n")
            first.type("do not lose me")
            try await first.wait(forText: "do not lose me")
            try await eventually("a draft on disk") {
                let state = home.folder.appending(path: "state")
                let files = FileManager.default.enumerator(atPath: state.path)
                // Written aside first: only under its own name is it safe.
                return files?.compactMap { $0 as? String }.contains { name in
                    guard name.hasSuffix(".draft") else { return false }
                    let data = try? Data(contentsOf: state.appending(path: name))
                    return data?.range(of: Data("do not lose me".utf8)) != nil
                } ?? false
            }
            first.signal(SIGKILL)
            try await first.waitForEnd()
            first.close()

            let second = try await home.open()
            defer { second.close() }
            try await second.wait(forText: "unsaved note")
            second.type("o")
            let screen = try await second.wait(forText: "do not lose me")
            #expect(screen.contains("Idea"))
            second.press(.function(2))
            try await eventually("the note") {
                home.noteNames == ["Idea.txt"]
            }
            #expect(try home.text(ofNote: "Idea.txt") == "do not lose me")
        }
    }

    /// What is typed goes on under the name that the note has by then.
    @Test func aNoteThatIsRenamedWhileItIsOpenIsFollowed() async throws {
        try await withApp(notes: ["plan.txt": "words\n", "copy.txt": "words\n"]) { home, terminal in
            terminal.press(.down)
            try await terminal.openNote(showing: "words")
            terminal.type("typed ")
            let moved = try await home.run("notes", "mv", "plan", "drafts/later")
            #expect(moved.status == 0, "\(moved.errorText)")
            try await terminal.wait(forText: "renamed just now")
            try await terminal.wait(forText: "later.txt")
            terminal.press(.function(2))
            try await eventually("the note under its new name") {
                (try? home.text(ofNote: "drafts/later.txt")) == "typed words\n"
            }
            #expect(home.noteNames == ["copy.txt", "drafts"])
            #expect(try home.text(ofNote: "copy.txt") == "words\n")
        }
    }

    /// A copy that was there before is not the note.
    @Test func aNoteThatIsDeletedWhileItIsOpenIsNotTakenForItsCopy() async throws {
        try await withApp(notes: ["plan.txt": "words\n", "copy.txt": "words\n"]) { home, terminal in
            terminal.press(.down)
            try await terminal.openNote(showing: "words")
            terminal.type("typed ")
            try FileManager.default.removeItem(at: home.club.appending(path: "plan.txt"))
            try await terminal.wait(forText: "deleted meanwhile")
            terminal.press(.function(2))
            // Saving would bring it back, so it is asked first.
            try await terminal.wait(forText: "Deleted meanwhile")
            try await terminal.waitUntilIdle()
            #expect(home.noteNames == ["copy.txt"])
            terminal.type("s")
            try await eventually("the note again") {
                (try? home.text(ofNote: "plan.txt")) == "typed words\n"
            }
            #expect(try home.text(ofNote: "copy.txt") == "words\n")
        }
    }
}
