import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// Sorts, filters and searches the notes on the screen.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotesListFilteringTests {
    @Test func sortsByNameChangeAndSizeAndRemembersIt() async throws {
        let home = ListHome()
        try home.store.plant("three", at: "/b.txt")
        try home.store.plant("seventeen letters", at: "/c.txt")
        try home.store.plant("1", at: "/a.txt")
        let names = ["a.txt", "b.txt", "c.txt"]
        var run = try await home.start()
        await run.screen.wait(for: "3 · by name")
        #expect(run.screen.order(of: names) == ["a.txt", "b.txt", "c.txt"])
        run.screen.press("s")
        await run.screen.wait(for: "3 · by change")
        #expect(run.screen.order(of: names) == ["a.txt", "c.txt", "b.txt"])
        run.screen.press("s")
        await run.screen.wait(for: "3 · by size")
        #expect(run.screen.order(of: names) == ["c.txt", "b.txt", "a.txt"])
        await run.end()

        run = try await home.start()
        await run.screen.wait(for: "3 · by size")
        #expect(run.screen.order(of: names) == ["c.txt", "b.txt", "a.txt"])
        await run.end()
    }

    @Test func filtersByWordsAndShowsTheLetters() async throws {
        let home = ListHome()
        for name in ["Grocery list", "Enlisted", "Plan", "Lions in stables"] {
            try home.store.plant("x", at: "/\(name).txt")
        }
        let run = try await home.start()
        let screen = run.screen
        screen.type("/list")
        await screen.wait(for: "3 of 4")
        #expect(
            screen.order(of: ["Enlisted", "Grocery list", "Lions in stables"])
                == ["Grocery list", "Enlisted", "Lions in stables"])
        let row = try #require(screen.rows(with: "Grocery list").first)
        let line = screen.lines[row]
        let column = try #require(line.range(of: "list")).lowerBound
        let x = line.distance(from: line.startIndex, to: column)
        #expect(
            screen.screen.memory.style(column: x, row: row)
                != screen.screen.memory.style(column: x - 1, row: row))
        screen.type(" gro")
        await screen.wait(for: "1 of 4")
        screen.press("Esc")
        await screen.wait(for: "4 · by name")
        await run.end()
    }

    @Test func aFilterFindsNotesInFoldersBelow() async throws {
        let home = ListHome()
        try home.store.plant("x", at: "/merger.txt")
        try home.store.plant("deep text", at: "/sub/2026/merged.txt")
        try home.store.plant("x", at: "/sub/other.txt")
        let run = try await home.start()
        await run.screen.wait(for: "sub/")
        #expect(!run.screen.text.contains("merged"))
        run.screen.type("/merg")
        await run.screen.wait(for: "merged.txt  sub/2026/")
        #expect(
            run.screen.order(of: ["merger.txt", "merged.txt"]) == ["merger.txt", "merged.txt"])
        run.screen.type("ed\n")
        await run.screen.wait(untilGone: "merger.txt")
        // It is the note itself: it can be read, and renamed where it is.
        run.screen.press("Enter")
        await run.screen.wait(for: "deep text")
        run.screen.press("Esc")
        run.screen.press("r", "^U")
        run.screen.type("merged2\n")
        await run.screen.wait(for: "named “merged2.txt” now")
        #expect(home.store.contents(of: "/sub/2026/merged2.txt") != nil)
        await run.screen.wait(for: "merged2.txt  sub/2026/")
        run.screen.press("Space")
        await run.screen.wait(for: "1 marked")
        run.screen.press("/")
        run.screen.press("^U")
        await run.screen.wait(for: "merger.txt")
        #expect(!run.screen.text.contains("merged2.txt  "))
        #expect(!run.screen.text.contains("marked"))
        await run.end()
    }

    @Test func aNewNoteEndsAFilterThatHidesIt() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/apple.txt")
        try home.store.plant("b", at: "/banana.txt")
        let run = try await home.start()
        run.screen.type("/app\n")
        await run.screen.wait(untilGone: "banana.txt")
        run.screen.press("n")
        await run.screen.wait(for: "New note")
        run.screen.type("cherry\ntext")
        run.screen.press("F2")
        await run.screen.wait { $0.text.contains("cherry.txt") && $0.text.contains("banana.txt") }
        await run.end()
    }

    @Test func searchesAllTextsAndOpensTheLine() async throws {
        let home = ListHome()
        try home.store.plant("one\ntwo fish\n", at: "/a.txt")
        try home.store.plant("red fish", at: "/drafts/b.txt")
        try home.store.plant("whale", at: "/c.txt")
        let run = try await home.start()
        let screen = run.screen
        screen.type("//")
        await screen.wait(for: "Search all notes")
        screen.type("fish")
        await screen.wait { $0.text.contains("two fish") && $0.text.contains("drafts/b.txt:1") }
        #expect(!screen.text.contains("whale"))
        screen.press("Enter")
        await screen.wait { !$0.text.contains("Search all notes") && $0.text.contains("Cancel") }
        screen.type("X")
        await screen.wait(for: "Xtwo fish")
        await run.end()
    }

    /// Where the note was left does not count for who has asked for a line, be it the first.
    @Test func aHitInTheFirstLineOpensThere() async throws {
        let home = ListHome()
        let text = "a fish\n" + (2...60).map { "line \($0)\n" }.joined()
        let file = try home.store.plant(text, at: "/a.txt")
        let run = try await home.start()
        let memory = EditorMemory(folder: home.folder.appending(path: "editors"))
        run.notes.editorMemory = memory
        let end = text.utf8.count
        await memory.save(
            TextView.Memory(selection: Selection(caret: end), scrollAnchor: end - 80),
            of: file.path, text: TextBuffer(text))
        let screen = run.screen
        screen.press("Enter")
        await screen.wait(for: "Ln 61, Col 1")
        screen.press("Esc")
        await screen.wait(untilGone: "Ln 61")
        screen.type("//")
        await screen.wait(for: "Search all notes")
        screen.type("fish")
        await screen.wait(for: "a.txt:1")
        screen.press("Enter")
        await screen.wait { $0.text.contains("Ln 1, Col 1") && $0.text.contains("a fish") }
        await run.end()
    }
}
