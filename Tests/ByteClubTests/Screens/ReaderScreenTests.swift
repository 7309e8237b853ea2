import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// Notes that are not UTF-8.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ReaderScreenTests {
    private let home = ListHome()

    private func open(_ bytes: [UInt8]) async throws -> ListHome.Run {
        try home.store.plant(Data(bytes), at: "/menu.txt")
        let run = try await home.start()
        await run.screen.wait(for: "menu.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteReaderViewController.self)
        return run
    }

    /// `café` in Latin-1.
    private static let latin1: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x0A]

    @Test func latin1IsReadAndNotChanged() async throws {
        let run = try await open(Self.latin1)
        #expect(run.screen.box("menu.txt").first == "café")
        #expect(run.screen.text.contains("Latin-1 · read only"))
        run.screen.type("X")
        #expect(run.screen.box("menu.txt").first == "café")
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/menu.txt") == Data(Self.latin1))
        await run.end()
    }

    @Test(arguments: ["/", "^F"] as [KeySequence]) func wordsAreFoundInIt(key: KeySequence)
        async throws
    {
        let run = try await open(Self.latin1 + Array("two cafes\n".utf8))
        run.screen.press(key)
        run.screen.type("caf")
        await run.screen.wait(for: "1 of 2")
        run.screen.press("Enter")
        await run.screen.wait(for: "2 of 2")
        run.screen.press("Esc")
        run.screen.press("n")
        #expect(run.screen.text.contains("read only"))
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/menu.txt")?.count == 15)
        await run.end()
    }

    @Test func aMatchFarBelowIsScrolledTo() async throws {
        let lines = (1...200).map { "line \($0)\n" }.joined()
        let run = try await open(Self.latin1 + Array(lines.utf8))
        run.screen.press("/")
        run.screen.type("line 150")
        await run.screen.wait(for: "line 149")
        run.screen.press("Esc")
        await run.screen.wait(for: "line 1 ")
        #expect(run.screen.box("menu.txt").first == "café")
        await run.end()
    }

    @Test func convertedItIsSavedAsUTF8() async throws {
        let run = try await open(Self.latin1)
        run.screen.press("c")
        await run.screen.wait(for: NoteDetailsViewController.self)
        // Nothing was typed, and it is another file all the same.
        #expect(run.screen.text.contains("modified"))
        run.screen.press("Esc")
        await run.screen.wait(for: "Save the changes?")
        run.screen.press("D")
        await run.screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/menu.txt") == Data(Self.latin1))
        run.screen.press("Enter")
        await run.screen.wait(for: NoteReaderViewController.self)
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.press("F2")
        await run.screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/menu.txt") == Data("café\n".utf8))
        await run.end()
    }

    @Test func whatIsNoTextIsOnlyShown() async throws {
        let bytes: [UInt8] = [0x89, 0x50, 0x00, 0xFF, 0x1B, 0x5B, 0x00, 0x81]
        let run = try await open(bytes)
        #expect(run.screen.text.contains("not text · read only"))
        run.screen.press("c")
        await run.screen.wait(for: "This is not text, so there is nothing to convert.")
        #expect(run.screen.isShowing(NoteReaderViewController.self))
        run.screen.press("q")
        await run.screen.wait(for: "1 · by name")
        #expect(home.store.contents(of: "/menu.txt") == Data(bytes))
        await run.end()
    }
}
