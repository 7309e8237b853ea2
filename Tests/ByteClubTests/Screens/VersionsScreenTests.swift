import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// A note's versions: looked at, and brought back.
@MainActor @Suite(.timeLimit(.minutes(1))) struct VersionsScreenTests {
    private let home = ListHome()

    /// The versions of a note that was written three times.
    private func open(_ home: ListHome? = nil) async throws -> ListHome.Run {
        let home = home ?? self.home
        for text in ["one", "one\ntwo", "one\ntwo\nthree"] {
            try home.store.plant(text, at: "/plan.txt")
        }
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("H")
        await run.screen.wait(for: VersionsViewController.self)
        await run.screen.wait(untilGone: "Looking…")
        return run
    }

    private static let title = "Versions of “plan.txt”"

    @Test func listsTheNewestFirst() async throws {
        let run = try await open()
        let rows = run.screen.box(Self.title)
        try #require(rows.count == 3)
        #expect(rows[0].contains("as it is now"))
        #expect(rows.map { $0.contains("in the club") } == [true, true, true])
        #expect(
            zip(rows, ["13 B", "7 B", "3 B"]).allSatisfy { $0.contains($1) }, "\(rows)")
        run.screen.press("Esc")
        await run.screen.wait(untilGone: Self.title)
        await run.end()
    }

    @Test func aStateThatTheClubCallsByAnotherNameIsListedOnce() async throws {
        let home = ListHome(InMemoryStore(keepsEveryState: false), keepsCopy: true)
        let run = try await open(home)
        let screen = run.screen
        #expect(screen.box(Self.title).count == 3)
        screen.press("End", "Enter")
        await screen.wait(for: VersionViewController.self)
        #expect(Array(screen.box("“plan.txt”").prefix(3)) == ["one", "+ two", "+ three"])
        screen.press("r")
        await screen.wait(for: "“plan.txt” is as it was.")
        #expect(try home.note("plan.txt") == "one")
        screen.press("H")
        await screen.wait(for: VersionsViewController.self)
        await screen.wait { $0.box(Self.title).count == 4 }
        await run.end()
    }

    @Test func aVersionIsComparedAndBroughtBack() async throws {
        let run = try await open()
        let screen = run.screen
        screen.press("End", "Enter")
        await screen.wait(for: VersionViewController.self)
        #expect(screen.isShowing(TextPageViewController.self))
        #expect(Array(screen.box("“plan.txt”").prefix(3)) == ["one", "+ two", "+ three"])
        #expect(screen.text.contains("- old · + new"))
        // Back, and to the one before.
        screen.press("Esc")
        await screen.wait(for: VersionsViewController.self)
        screen.press("Up", "Enter")
        await screen.wait(for: VersionViewController.self)
        #expect(Array(screen.box("“plan.txt”").prefix(3)) == ["one", "two", "+ three"])
        screen.press("r")
        await screen.wait(for: "“plan.txt” is as it was.")
        #expect(try home.note("plan.txt") == "one\ntwo")
        // What it was is a version now.
        screen.press("H")
        await screen.wait(for: VersionsViewController.self)
        await screen.wait { $0.box(Self.title).count == 4 }
        await run.end()
    }

    @Test func whatSomebodyHasChangedMeanwhileStays() async throws {
        let run = try await open()
        run.screen.press("End", "Enter")
        await run.screen.wait(for: VersionViewController.self)
        home.store.hold(.put)
        run.screen.press("r")
        await run.screen.wait(untilGone: "- old · + new")
        try home.store.plant("theirs", at: "/plan.txt")
        home.store.release(.put)
        await run.screen.wait(for: "The name is taken, or the file has changed")
        #expect(try home.note("plan.txt") == "theirs")
        run.screen.press("Enter")
        await run.screen.wait(for: "1 · by name")
        await run.end()
    }

    @Test func aVersionThatCannotBeFetchedIsNoVersion() async throws {
        let run = try await open()
        home.store.failNext(.fetch, with: .serverError)
        run.screen.press("End", "Enter")
        await run.screen.wait(for: "Could not")
        run.screen.press("Enter")
        await run.screen.wait(for: VersionsViewController.self)
        #expect(try home.note("plan.txt") == "one\ntwo\nthree")
        await run.end()
    }

    @Test func aClubWithoutRevisionsHasWhatWasSeenHere() async throws {
        let home = ListHome(InMemoryStore(keepsRevisions: false), keepsCopy: true)
        try home.store.plant("one", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        run.screen.press("F2")
        await run.screen.wait(for: "1 · by name")
        await run.club.local?.finish()
        run.screen.press("H")
        await run.screen.wait(for: VersionsViewController.self)
        await run.screen.wait { $0.box(Self.title).contains { $0.contains("seen here") } }
        let rows = run.screen.box(Self.title)
        #expect(rows.first?.contains("as it is now") == true, "\(rows)")
        #expect(rows.first?.contains("written here") == true, "\(rows)")
        await run.end()
    }

    @Test func withoutAnyThereIsASentence() async throws {
        let home = ListHome(InMemoryStore(keepsRevisions: true))
        try home.store.plant("one", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        home.store.forgetRevisions()
        run.screen.press("H")
        await run.screen.wait(for: "No earlier version is known.")
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        await run.end()
    }
}
