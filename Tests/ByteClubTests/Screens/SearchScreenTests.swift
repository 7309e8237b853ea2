import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// The search of all texts; `NotesListTests` opens what it finds.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SearchScreenTests {
    private let home = ListHome()

    private func search(_ words: String) async throws -> ListHome.Run {
        let run = try await home.start()
        await run.screen.wait(for: "by name")
        run.screen.press("g /")
        await run.screen.wait(for: NoteSearchViewController.self)
        #expect(run.screen.text.contains("Lines that have all the words are found."))
        run.screen.type(words)
        return run
    }

    @Test func everyHitHasItsPlaceBelowIt() async throws {
        try home.store.plant("one\n  two fish\n", at: "/a.txt")
        try home.store.plant("Fish and two birds", at: "/drafts/b.txt")
        try home.store.plant("two whales", at: "/c.txt")
        let run = try await search("two fish")
        await run.screen.wait(for: "Search all notes: 2")
        let rows = run.screen.box("Search all notes: 2").filter { !$0.isEmpty }
        #expect(rows.contains("two fish"))
        #expect(rows.contains("a.txt:2"))
        #expect(rows.contains("Fish and two birds"))
        #expect(rows.contains("drafts/b.txt:1"))
        #expect(!rows.contains { $0.contains("whales") })
        run.screen.press("Esc")
        await run.screen.wait(for: "by name")
        await run.end()
    }

    @Test func nothingFoundIsSaid() async throws {
        try home.store.plant("whale", at: "/a.txt")
        let run = try await search("fish")
        await run.screen.wait(for: "No note has a line with all these words.")
        // Enter opens nothing.
        run.screen.press("Enter")
        #expect(run.screen.isShowing(NoteSearchViewController.self))
        for _ in "fish" { run.screen.press("Backspace") }
        await run.screen.wait(for: "Lines that have all the words are found.")
        await run.end()
    }

    @Test func whatCannotBeReadIsCounted() async throws {
        try home.store.plant("fish", at: "/a.txt")
        try home.store.plant("fish", at: "/b.txt")
        let run = try await home.start()
        await run.screen.wait(for: "by name")
        home.store.failNext(.fetch, with: .forbidden)
        run.screen.press("g /")
        await run.screen.wait(for: NoteSearchViewController.self)
        run.screen.type("f")
        await run.screen.wait(for: "Search all notes: 1 · 1 note not searched")
        await run.end()
    }

    @Test func largeNotesAreSearchedOnRequest() async throws {
        try home.store.plant("fish", at: "/a.txt")
        let large = String(repeating: "water\n", count: 200_000) + "a fish below\n"
        try home.store.plant(large, at: "/sea.txt")
        let run = try await search("fish")
        await run.screen.wait(for: "Search all notes: 1 · 1 note not searched")
        #expect(run.screen.text.contains("large notes too"))
        run.screen.press("M-l")
        await run.screen.wait(for: "Search all notes: 2")
        #expect(run.screen.text.contains("sea.txt:200001"))
        #expect(!run.screen.text.contains("not searched"))
        #expect(!run.screen.text.contains("large notes too"))
        await run.end()
    }

    @Test func aClubThatIsAwayIsSaid() async throws {
        try home.store.plant("fish", at: "/a.txt")
        let run = try await home.start()
        await run.screen.wait(for: "by name")
        home.store.failNext(.fetch, with: .offline)
        run.screen.press("g /")
        await run.screen.wait(for: NoteSearchViewController.self)
        run.screen.type("f")
        await run.screen.wait(for: "The club on this computer is not answering.")
        await run.end()
    }

    /// The search of before must not fill the list of the one now.
    @Test func anotherLetterStartsAnotherSearch() async throws {
        try home.store.plant("fish", at: "/a.txt")
        try home.store.plant("fig", at: "/b.txt")
        let run = try await search("fi")
        await run.screen.wait(for: "Search all notes: 2")
        home.store.hold(.fetch)
        run.screen.type("s")
        home.store.release(.fetch)
        await run.screen.wait(for: "Search all notes: 1")
        #expect(!run.screen.box("Search all notes: 1").contains("fig"))
        await run.end()
    }
}
