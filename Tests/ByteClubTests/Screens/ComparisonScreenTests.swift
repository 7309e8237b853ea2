import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// A note as it was typed beside the club's version of it.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ComparisonScreenTests {
    private let home = ListHome()

    /// The comparison of `X` and a text with what somebody else has made of that.
    private func compare(
        _ text: String = "first\nold\nlast", with theirs: String = "first\ntheirs\nlast"
    ) async throws -> ListHome.Run {
        try home.store.plant(text, at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.press("Down")
        run.screen.type("X")
        try home.store.plant(theirs, at: "/plan.txt")
        await run.screen.wait(for: "changed by someone else")
        run.screen.press("F2")
        await run.screen.wait(for: "Changed by someone else")
        run.screen.press("c")
        await run.screen.wait(for: NoteComparisonViewController.self)
        return run
    }

    private static let title = "“plan.txt”: yours and the club's"

    @Test func showsWhatIsInOneOfThemAlone() async throws {
        let run = try await compare()
        #expect(run.screen.isShowing(TextPageViewController.self))
        #expect(
            Array(run.screen.box(Self.title).prefix(4)) == ["first", "- Xold", "+ theirs", "last"])
        #expect(run.screen.text.contains("- in yours alone · + in the club's alone"))
        // Esc leads back to the question, and changes nothing.
        run.screen.press("Esc")
        await run.screen.wait(for: "Changed by someone else")
        run.screen.press("Esc")
        await run.screen.wait(for: NoteDetailsViewController.self)
        #expect(run.screen.text.contains("modified"))
        #expect(try home.note("plan.txt") == "first\ntheirs\nlast")
        await run.end()
    }

    @Test func bothAreKept() async throws {
        let run = try await compare()
        run.screen.press("b")
        await run.screen.wait(for: "2 · by name")
        #expect(try home.note("plan.txt") == "first\ntheirs\nlast")
        #expect(try home.note("plan (my version).txt") == "first\nXold\nlast")
        await run.end()
    }

    @Test func theClubsIsReplaced() async throws {
        let run = try await compare()
        run.screen.press("r")
        await run.screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "first\nXold\nlast")
        await run.end()
    }

    @Test func whatChangedAfterTheComparisonIsNotReplaced() async throws {
        let run = try await compare()
        try home.store.plant("third", at: "/plan.txt")
        run.screen.press("r")
        await run.screen.wait(for: "Changed by someone else")
        #expect(try home.note("plan.txt") == "third")
        await run.end()
    }

    @Test func bothAreEditedInOneText() async throws {
        let run = try await compare()
        run.screen.press("e")
        await run.screen.wait(for: "Where they differ, yours is first, then theirs.")
        #expect(
            Array(run.screen.box("plan.txt").prefix(7)) == [
                "first", "<<<<<<< mine", "Xold", "=======", "theirs", ">>>>>>> the club's", "last",
            ])
        // What marks them is not saved by mistake.
        run.screen.press("F2")
        await run.screen.wait(for: "The marks are still there")
        run.screen.press("s")
        await run.screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt")?.contains("=======\ntheirs") == true)
        await run.end()
    }

    @Test func whatIsNotUTF8IsOnlyCompared() async throws {
        try home.store.plant("old", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        try home.store.plant(Data([0x63, 0x61, 0x66, 0xE9]), at: "/plan.txt")
        await run.screen.wait(for: "changed by someone else")
        run.screen.press("F2")
        await run.screen.wait(for: "Changed by someone else")
        run.screen.press("c")
        await run.screen.wait(for: NoteComparisonViewController.self)
        run.screen.press("e")
        await run.screen.wait(for: "The club's version is not UTF-8: it cannot be edited here.")
        #expect(run.screen.isShowing(NoteComparisonViewController.self))
        await run.end()
    }

    @Test func aFetchThatFailsLeavesTheText() async throws {
        try home.store.plant("old", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        try home.store.plant("theirs", at: "/plan.txt")
        await run.screen.wait(for: "changed by someone else")
        run.screen.press("F2")
        await run.screen.wait(for: "Changed by someone else")
        home.store.hold(.fetch)
        home.store.failNext(.fetch, with: .serverError)
        run.screen.press("c")
        await run.screen.wait(for: "Fetching the other version of “plan.txt”…")
        #expect(run.screen.isShowing(WaitingViewController.self))
        home.store.release(.fetch)
        await run.screen.wait(for: "text is still here.")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        #expect(run.screen.box("plan.txt").first == "Xold")
        // Given up, it leads back to the question.
        run.screen.press("F2")
        await run.screen.wait(for: "Changed by someone else")
        home.store.hold(.fetch)
        run.screen.press("c")
        await run.screen.wait(for: WaitingViewController.self)
        run.screen.press("Esc")
        await run.screen.wait(for: "Changed by someone else")
        home.store.release(.fetch)
        await run.end()
    }
}
