import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// Names of notes and folders on the screen, and where notes go.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotesListMovingTests {
    @Test func noFolderGetsTheNameOfThePhotos() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/drafts/a.txt")
        try home.store.plant("b", at: "/drafts/photos/b.txt")
        let run = try await home.start()
        run.screen.press("r")
        await run.screen.wait(for: "Rename folder")
        run.screen.press("^A", "^K")
        run.screen.type("Photos\n")
        await run.screen.wait(for: "The photos folder is for photos")
        run.screen.press("Esc")
        run.screen.press("Enter")
        await run.screen.wait(for: "Notes / drafts")
        run.screen.press("g g", "m")
        await run.screen.wait(for: "Move “photos”")
        run.screen.press("^A", "^K")
        run.screen.type("/\n")
        await run.screen.wait(for: "The photos folder is for photos")
        #expect(try home.note("drafts/a.txt") == "a")
        #expect(try home.note("drafts/photos/b.txt") == "b")
        await run.end()
    }

    @Test func aNameThatIsLeftAsItIsStaysAsItIs() async throws {
        let home = ListHome()
        try home.store.plant("all:", at: "/Makefile")
        let run = try await home.start()
        run.screen.press("r")
        await run.screen.wait(for: "Rename note")
        run.screen.type("\n")
        await run.screen.wait(untilGone: "Rename note")
        #expect(!home.store.calls.contains { $0.operation == .move })
        #expect(try home.note("Makefile") == "all:")
        await run.end()
    }

    @Test func movesIntoAFolderAndGoesThere() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/a.txt")
        try home.store.plant("b", at: "/b.txt")
        try home.store.plant("p", at: "/photos/sea.jpg")
        let run = try await home.start()
        let screen = run.screen
        #expect(!screen.text.contains("photos/"))
        screen.press("m")
        await screen.wait(for: "Move “a.txt”")
        screen.type("drafts\n")
        await screen.wait(for: "drafts/")
        #expect(try home.note("drafts/a.txt") == "a")
        screen.press("g g", "Enter")
        await screen.wait(for: "Notes / drafts")
        #expect(screen.order(of: ["a.txt", "b.txt"]) == ["a.txt"])
        screen.press("Backspace")
        await screen.wait(untilGone: "Notes / drafts")
        #expect(screen.order(of: ["drafts/", "b.txt"]) == ["drafts/", "b.txt"])
        await run.end()
    }

    @Test func aNewNoteGoesIntoTheFolderShown() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/drafts/a.txt")
        let run = try await home.start()
        run.screen.press("Enter")
        await run.screen.wait(for: "Notes / drafts")
        run.screen.press("n")
        await run.screen.wait(for: "New note")
        run.screen.type("here\n")
        run.screen.type("text")
        run.screen.press("F2")
        await run.screen.wait { $0.text.contains("Notes / drafts") && $0.text.contains("here.txt") }
        #expect(try home.note("drafts/here.txt") == "text")
        await run.end()
    }

    /// Dropbox, for one, gives a moved file another revision.
    @Test func renamingAFolderMakesNothingUnread() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/sub/a.txt")
        try home.store.plant("b", at: "/sub/deep/b.txt")
        let run = try await home.start(width: 120)
        await run.screen.wait(for: "sub/")
        try home.store.plant("bb", at: "/sub/deep/b.txt")
        await run.screen.wait(for: "• sub/")
        run.screen.press("g g", "r", "^U")
        run.screen.type("new\n")
        await run.screen.wait(for: "• new/")
        run.screen.press("Enter")
        await run.screen.wait(for: "Notes / new")
        await run.screen.wait { $0.text.contains("• deep/") && $0.text.contains("a.txt") }
        #expect(!run.screen.text.contains("• a.txt"))
        await run.end()
    }
}
