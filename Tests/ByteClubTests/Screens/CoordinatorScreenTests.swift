import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The whole app on a screen in memory: from club to club, signed out, and left with work that is not done.
@MainActor @Suite(.timeLimit(.minutes(1))) struct CoordinatorScreenTests {
    /// A club on this computer and one on a server, with a note each.
    private func makeHome() throws -> CoordinatorHome {
        let home = try CoordinatorHome(settings: CoordinatorHome.work)
        try home.store.plant("near", at: "/Near.txt")
        try home.clubs.store(of: "work").plant("far", at: "/Far.txt")
        return home
    }

    // MARK: - Clubs

    @Test func goesToAnotherClubAndBack() async throws {
        let home = try makeHome()
        try await home.signIn(to: "work")
        let run = try await home.start()
        let screen = run.screen
        await screen.wait(for: "Near.txt")
        #expect(run.status.contains("embedded club"))
        await run.command("club work")
        await screen.wait { $0.text.contains("Far.txt") && !$0.text.contains("Near.txt") }
        await screen.wait { $0.lines[0].contains("work · Test Member") }
        // What is written now is there.
        screen.press("n")
        await screen.wait(for: NoteDetailsViewController.self)
        screen.type("Both\nwords")
        screen.press("F2")
        await screen.wait(for: "Both.txt")
        #expect(home.clubs.store(of: "work").contents(of: "/Both.txt") == Data("words".utf8))
        await run.command("club work")
        await screen.wait(for: "This club is open.")
        await run.command("club embedded")
        await screen.wait { $0.text.contains("Near.txt") && !$0.text.contains("Far.txt") }
        #expect(home.store.contents(of: "/Both.txt") == nil)
        await run.end()
        // The next start is in the club opened last.
        #expect(try home.registry.club(named: nil) == .embedded)
    }

    @Test func whatIsOpenIsNotTakenAway() async throws {
        let home = try makeHome()
        try await home.signIn(to: "work")
        let run = try await home.start()
        await run.screen.wait(for: "Near.txt")
        await run.command("transfers")
        await run.screen.wait(for: TransfersViewController.self)
        for words in ["club work", "login", "settings", "outbox", "quit"] {
            await run.command(words)
            await run.screen.wait(for: "Close what is open first: Esc leads back to the lists.")
            #expect(run.screen.isShowing(TransfersViewController.self))
            run.screen.application.dismissMessage()
            await run.screen.wait(untilGone: "Close what is open first")
        }
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        #expect(run.screen.screen.memory.isOpen)
        await run.end()
    }

    @Test func aClubThatCannotBeReachedSaysSoAndComesBack() async throws {
        let home = try makeHome()
        try await home.signIn(to: "work")
        home.clubs.refuse("work", with: .offline)
        let run = try await home.start()
        await run.command("club work")
        await run.screen.wait { $0.lines[0].contains("work · offline") }
        #expect(!run.screen.text.contains("Near.txt"))
        home.clubs.refuse("work", with: nil)
        run.screen.press("R")
        await run.screen.wait { $0.text.contains("Far.txt") && $0.lines[0].contains("work · ") }
        #expect(!run.status.contains("offline"))
        await run.end()
    }

    // MARK: - Signing in and out

    @Test func aSignInThatIsRefusedIsAskedForOnceForEachLook() async throws {
        let home = try makeHome()
        home.clubs.refuse("work", with: .unauthorized)
        let run = try await home.start(in: "work")
        let screen = run.screen
        await screen.wait(for: "Sign in again")
        #expect(
            screen.message(of: "Sign in again")
                == "The club no longer accepts this sign-in. Sign in again. "
                + "Everything you have typed is kept.")
        #expect(screen.buttons(of: "Sign in again") == ["Sign in", "Later"])
        screen.press("l")
        await screen.wait(untilGone: "Everything you have typed")
        #expect(run.status.contains("signed out of work"))
        screen.press("R")
        await screen.wait(for: "Everything you have typed is kept.")
        screen.press("s")
        await screen.wait(for: PromptViewController.self)
        #expect(screen.text.contains("Password of ada"))
        screen.press("Esc")
        await screen.wait(untilGone: "Password of ada")
        await run.end()
    }

    @Test func aSaveWithoutASignInKeepsTheText() async throws {
        let home = try makeHome()
        try await home.signIn(to: "work")
        let run = try await home.start(in: "work")
        let screen = run.screen
        await screen.wait(for: "Far.txt")
        screen.press("Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        screen.type("X")
        home.clubs.store(of: "work").failNext(.put, with: .unauthorized)
        screen.press("F2")
        await screen.wait(for: "Your text is still here.")
        #expect(screen.buttons(of: "Sign in again") == ["Sign in", "Keep editing"])
        screen.press("s")
        await screen.wait(for: "Password of ada")
        // Given up, the note is as it was.
        screen.press("Esc")
        await screen.wait(for: NoteDetailsViewController.self)
        #expect(screen.box("Far.txt").first == "Xfar")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(home.clubs.store(of: "work").contents(of: "/Far.txt") == Data("Xfar".utf8))
        await run.end()
    }

    @Test func signingOutLeadsToTheClubOnThisComputer() async throws {
        let home = try makeHome()
        try await home.signIn(to: "work")
        let run = try await home.start(in: "work")
        await run.screen.wait(for: "Far.txt")
        await run.command("logout")
        await run.screen.wait { $0.text.contains("Near.txt") && !$0.text.contains("Far.txt") }
        await run.screen.wait(for: "Signed out of “work”.")
        let work = try home.registry.club(named: "work")
        #expect(home.registry.secretPlace(of: work) == nil)
        await run.command("logout")
        await run.screen.wait(for: "The club on this computer needs no sign-in.")
        await run.end()
    }

    // MARK: - Leaving

    @Test func quitLeavesAtOnceWhereNothingIsUnsaved() async throws {
        let home = try makeHome()
        let run = try await home.start()
        await run.screen.wait(for: "Near.txt")
        await run.command("quit")
        #expect(!run.screen.screen.memory.isOpen)
        #expect(await run.screen.application.wait() == 0)
        await run.end()
    }

    @Test func inTheEditorALetterIsALetter() async throws {
        let home = try makeHome()
        let run = try await home.start()
        await run.screen.wait(for: "Near.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("q:q")
        await run.screen.wait { $0.box("Near.txt").first == "q:qnear" }
        #expect(run.screen.screen.memory.isOpen)
        await run.end()
    }

    /// A signal ends the program, or the terminal is closed.
    @Test func unsavedTextIsOfferedAtTheNextStart() async throws {
        let home = try makeHome()
        var run = try await home.start()
        await run.screen.wait(for: "Near.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        await run.screen.wait(for: "modified")
        run.coordinator.applicationWillTerminate(run.screen.application)
        run.screen.application.terminate(143)
        await run.end()
        #expect(home.store.contents(of: "/Near.txt") == Data("near".utf8))

        run = try await home.start()
        let screen = run.screen
        let title = "An unsaved note was kept"
        await screen.wait(for: title)
        #expect(
            screen.message(of: title).hasPrefix(
                "The text of “Near.txt” did not reach the club last time. It is safe here:"))
        #expect(screen.buttons(of: title) == ["Open it", "Later", "Delete it…"])
        screen.press("o")
        await screen.wait(for: NoteDetailsViewController.self)
        #expect(screen.box("Near.txt").first == "Xnear")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/Near.txt") == Data("Xnear".utf8))
        await run.end()
        #expect(run.coordinator.session.drafts.drafts().isEmpty)
    }

    @Test func twoUnsavedTextsAreOfferedOneAfterTheOther() async throws {
        let home = try makeHome()
        let drafts = DraftStore(folder: home.registry.drafts(of: .embedded))
        for name in ["one", "two"] {
            let draft = Draft(
                name: name, path: nil, baseRevision: nil, savedAt: Date(),
                text: Data("text of \(name)".utf8))
            try drafts.save(draft, sequence: 1)
            drafts.release(draft.id)
        }
        let run = try await home.start()
        let screen = run.screen
        await screen.wait(for: "An unsaved note was kept")
        let first = screen.text.contains("“two”") ? "two" : "one"
        let second = first == "two" ? "one" : "two"
        screen.press("l")
        await screen.wait(for: "The text of “\(second)”")
        // Deleting asks again.
        screen.press("D")
        await screen.wait(for: "Delete this text?")
        screen.press("D")
        await screen.wait(for: "The unsaved text was deleted.")
        #expect(run.coordinator.session.drafts.drafts().map(\.name) == [first])
        await run.end()
    }

    @Test func transfersGoOnWhenTheAppIsLeft() async throws {
        let home = try makeHome()
        let photos = home.folder.appending(path: "pictures")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        try Photos.corners().write(to: photos.appending(path: "sea.jpg"))
        home.store.hold(.upload)
        var run = try await home.start()
        run.coordinator.session.photos.pickerFolder = photos.path
        run.screen.press("2")
        await run.screen.wait(for: "No panoramas yet")
        run.screen.press("u")
        await run.screen.wait(for: "sea.jpg")
        run.screen.press("Enter")
        await run.screen.wait(for: UploadViewController.self)
        run.screen.press("Enter")
        await run.screen.wait(untilGone: "In the background")
        await run.screen.wait { $0.lines[0].contains("↑") }
        // Nothing is asked: it goes on by a process of its own.
        run.screen.press("q")
        #expect(!run.screen.screen.memory.isOpen)
        let orders = run.coordinator.session.transfers.items.map(\.order)
        #expect(orders.map(\.intent) == [.run])
        await run.end()

        home.store.release(.upload)
        run = try await home.start()
        await run.screen.wait { _ in home.store.contents(of: "/photos/sea.jpg") != nil }
        run.screen.press("2")
        await run.screen.wait(for: "sea.jpg")
        await run.end()
    }

    // MARK: - Words at the start

    @Test func saysWhatIsWrongInTheSettings() async throws {
        let home = try CoordinatorHome(settings: "editor:\n  wrap: perhaps\n")
        let run = try await home.start()
        run.coordinator.warn(of: ScreenSettings(run.coordinator.settings).problems)
        await run.screen.wait(for: "config.yml, line 2: ")
        run.coordinator.announce("Another club was expected.")
        await run.screen.wait(for: "Another club was expected.")
        #expect(
            run.screen.message(of: "The club on this computer") == "Another club was expected.")
        await run.end()
    }

    @Test func welcomesWhoeverIsHereForTheFirstTime() async throws {
        let run = try await CoordinatorHome().start()
        run.coordinator.welcome()
        await run.screen.wait(for: "To join a club on Dropbox or WebDAV, press : and type login.")
        await run.command("login")
        await run.screen.wait(for: ClubChooserViewController.self)
        #expect(!run.screen.text.contains("To join a club on Dropbox"))
        await run.end()
    }
}
