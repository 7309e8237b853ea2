import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// What was done without the club, and waits for it.
@MainActor @Suite(.timeLimit(.minutes(1))) struct OutboxScreenTests {
    private static let title = "Waiting for the club"

    /// The app without its club, which it has seen before; a new note waits.
    private func startOffline() async throws -> (CoordinatorHome, CoordinatorHome.Run) {
        let home = try CoordinatorHome()
        try home.store.plant("plans", at: "/plan.txt")
        var run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        // Once read, its text is here.
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.press("Esc")
        await run.end()

        home.clubs.refuse("embedded", with: .offline)
        run = try await home.start(width: 100)
        await run.screen.wait { $0.lines[0].contains("embedded club · offline") }
        await run.screen.wait(for: "plan.txt")
        run.screen.press("n")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("idea\nwords")
        run.screen.press("F2")
        await run.screen.wait(for: "Kept here; it goes to the club when it is reachable.")
        await run.screen.wait { $0.lines[0].contains("1 change waiting") }
        return (home, run)
    }

    private func open(_ run: CoordinatorHome.Run) async {
        await run.command("outbox")
        await run.screen.wait(for: OutboxViewController.self)
    }

    @Test func aChangeIsTakenBack() async throws {
        let (home, run) = try await startOffline()
        let screen = run.screen
        await open(run)
        let rows = screen.box(Self.title).filter { !$0.isEmpty }
        try #require(rows.count == 1)
        #expect(rows[0].hasPrefix("Add “idea.txt”"))
        #expect(rows[0].contains("waiting"))
        screen.press("Enter")
        await screen.wait(for: "Taken back, it never happens")
        #expect(
            screen.message(of: "Add “idea.txt”")
                == "Taken back, it never happens in the club. "
                + "A text stays among the note's versions (H), that of a new note in the trash (Z)."
        )
        // Enter takes nothing back.
        screen.press("Enter")
        await screen.wait(for: OutboxViewController.self)
        screen.press("Enter", "b")
        await screen.wait(for: "Taken back: Add “idea.txt”.")
        await screen.wait(for: "Nothing waits: all your changes are in the club.")
        screen.press("Esc")
        await screen.wait(untilGone: Self.title)
        #expect(!screen.text.contains("idea.txt"))
        #expect(!run.status.contains("waiting"))
        await run.end()
        #expect(home.store.contents(of: "/idea.txt") == nil)
    }

    /// The club never hears of the first name.
    @Test func anotherNameIsPartOfTheSameChange() async throws {
        let (home, run) = try await startOffline()
        let screen = run.screen
        screen.press("Home")
        await rename("idea.txt", to: "thought", on: screen)
        await open(run)
        let rows = screen.box(Self.title).filter { !$0.isEmpty }
        #expect(rows.count == 1 && rows[0].hasPrefix("Add “thought.txt”"), "\(rows)")
        screen.press("Esc")
        home.clubs.refuse("embedded", with: nil)
        screen.press("R")
        await screen.wait(for: "All your changes are in the club.")
        #expect(home.store.contents(of: "/thought.txt") == Data("words".utf8))
        #expect(!home.store.calls.contains { $0.path?.string == "/idea.txt" })
        await run.end()
    }

    @Test func whatFollowsAChangeIsTakenBackWithIt() async throws {
        let (_, run) = try await startOffline()
        let screen = run.screen
        screen.press("End")
        await rename("plan.txt", to: "draft", on: screen)
        screen.press("Home", "Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        screen.type("X")
        screen.press("F2")
        await screen.wait { $0.lines[0].contains("3 changes waiting") }
        await open(run)
        let rows = screen.box(Self.title)
        try #require(rows.count == 3)
        for (row, words) in zip(
            rows, ["Add “idea.txt”", "Rename “plan.txt” to “draft.txt”", "Change “draft.txt”"])
        {
            #expect(row.hasPrefix(words), "\(row)")
        }
        screen.press("Down", "Enter")
        await screen.wait(for: "Taken back, it never happens")
        #expect(
            screen.message(of: "Rename “plan.txt” to “draft.txt”").hasSuffix(
                "What was done to it afterwards is taken back too."))
        screen.press("b")
        await screen.wait { $0.lines[0].contains("1 change waiting") }
        screen.press("Esc")
        await screen.wait { $0.text.contains("plan.txt") && !$0.text.contains("draft.txt") }
        await run.end()
    }

    private func rename(_ name: String, to other: String, on screen: AppScreen) async {
        screen.press("r")
        await screen.wait(for: PromptViewController.self)
        #expect(screen.text.contains(name))
        screen.press("^A", "^K")
        screen.type(other + "\n")
        await screen.wait(for: "The note is named “\(other).txt” now.")
    }

    @Test func whatIsRefusedCanBeTriedAgain() async throws {
        let (home, run) = try await startOffline()
        let screen = run.screen
        home.store.failNext(.put, with: .forbidden)
        home.clubs.refuse("embedded", with: nil)
        screen.press("R")
        await screen.wait(for: "The club refused a change of “idea.txt”: :outbox shows why.")
        await screen.wait { $0.lines[0].contains("1 change refused, see :outbox") }
        await open(run)
        await screen.wait { $0.box(Self.title).contains { $0.contains("refused") } }
        screen.press("Enter")
        await screen.wait(for: "Try again")
        #expect(
            screen.message(of: "Add “idea.txt”").hasPrefix(
                "The club's folder on this computer does not let you do that."))
        #expect(screen.buttons(of: "Add “idea.txt”") == ["Try again", "Take back", "Leave it"])
        screen.press("t")
        await screen.wait(for: "Nothing waits: all your changes are in the club.")
        #expect(home.store.contents(of: "/idea.txt") == Data("words".utf8))
        await run.end()
    }

    @Test func whatIsOnItsWayIsNotTakenBack() async throws {
        let (home, run) = try await startOffline()
        let screen = run.screen
        home.store.hold(.put)
        home.clubs.refuse("embedded", with: nil)
        screen.press("R")
        await open(run)
        await screen.wait { $0.box(Self.title).contains { $0.contains("sending") } }
        screen.press("Enter")
        await screen.wait(for: "“idea.txt” is being sent right now.")
        #expect(screen.isShowing(OutboxViewController.self))
        home.store.release(.put)
        await screen.wait(for: "All your changes are in the club.")
        await screen.wait(for: "Nothing waits")
        #expect(home.store.contents(of: "/idea.txt") == Data("words".utf8))
        await run.end()
    }
}
