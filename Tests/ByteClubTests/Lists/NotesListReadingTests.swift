import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// What the notes' list tells: of what is new, of texts, and of itself.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotesListReadingTests {
    @Test func marksWhatOthersHaveChangedUntilItIsSeen() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/a.txt")
        try home.store.plant("b", at: "/b.txt")
        var run = try await home.start(width: 120)
        #expect(!run.screen.text.contains("•"))
        try home.store.plant("bb", at: "/b.txt")
        await run.screen.wait(for: "• b.txt")
        #expect(run.screen.text.contains("1 new"))
        await run.end()

        run = try await home.start(width: 120)
        await run.screen.wait(for: "• b.txt")
        run.screen.press("j")
        // The preview has it in sight for a while.
        await run.screen.wait(for: "bb")
        run.screen.scheduler.advance(by: .seconds(1))
        await run.screen.wait(untilGone: "•")
        try home.store.plant("aa", at: "/a.txt")
        await run.screen.wait(for: "• a.txt")
        run.screen.press("M")
        await run.screen.wait(untilGone: "•")
        await run.end()
    }

    @Test func aFolderShowsThatSomethingInItIsUnread() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/sub/a.txt")
        try home.store.plant("b", at: "/sub/deep/b.txt")
        try home.store.plant("c", at: "/other/c.txt")
        let run = try await home.start(width: 120)
        await run.screen.wait(for: "sub/")
        #expect(!run.screen.text.contains("•"))
        try home.store.plant("bb", at: "/sub/deep/b.txt")
        await run.screen.wait(for: "• sub/")
        #expect(!run.screen.text.contains("• other/") && run.screen.text.contains("1 new"))
        run.screen.press("M")
        await run.screen.wait(untilGone: "•")
        await run.end()
    }

    @Test func whatOneWritesOneselfIsNotNew() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        run.screen.press("n")
        await run.screen.wait(for: "New note")
        run.screen.type("mine\ntext")
        run.screen.press("F2")
        await run.screen.wait {
            $0.text.contains("mine.txt") && $0.text.contains(" 2 · by name")
                && !$0.text.contains("•")
        }
        await run.end()
    }

    @Test func aNoteThatIsTooLargeForTheEditorIsRead() async throws {
        let home = ListHome()
        let lines = (1...4000).map { "line \($0) of many" }
        try home.store.plant(lines.joined(separator: "\n") + "\nthe Needle\nlast", at: "/big.txt")
        let run = try await home.start(width: 70, height: 20)
        run.notes.editedByteLimit = 1000
        run.notes.largeTexts = LargeTextFolder(home.folder.appending(path: "large"))
        run.screen.press("Enter")
        await run.screen.wait {
            $0.text.contains("line 1 of many") && $0.text.contains("read only")
        }
        #expect(run.screen.text.contains("0%"))
        // It has no name any more.
        let left = try FileManager.default.contentsOfDirectory(
            atPath: home.folder.appending(path: "large").path)
        #expect(left.isEmpty)
        run.screen.press("G")
        await run.screen.wait { $0.text.contains("last") && $0.text.contains("100%") }
        run.screen.press("g g")
        await run.screen.wait(for: "line 1 of many")
        run.screen.press("/")
        await run.screen.wait(for: "Find in this note")
        run.screen.type("needle\n")
        await run.screen.wait(for: "the Needle")
        run.screen.press("n")
        await run.screen.wait(for: "Going on from the start")
        // Typing changes nothing.
        run.screen.press("Esc")
        await run.screen.wait(for: "by name")
        await run.end()
    }

    @Test func saysWhatCameOfARefresh() async throws {
        let home = ListHome()
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        run.screen.press("R")
        await run.screen.wait(for: "Up to date.")
        // Nobody reports the change: only the refresh finds it.
        home.store.hold(.waitForChanges)
        run.screen.press("R")
        await run.screen.wait(for: "Up to date.")
        try home.store.plant("aa", at: "/a.txt")
        try home.store.plant("b", at: "/b.txt")
        run.screen.press("R")
        await run.screen.wait(for: "1 new note, 1 note changed.")
        home.store.failNext(.list, with: .offline)
        run.screen.press("R")
        await run.screen.wait(for: "No connection to the club.")
        home.store.release(.waitForChanges)
        await run.end()
    }

    @Test func copiesTheTextAndTheName() async throws {
        let home = ListHome()
        try home.store.plant("text", at: "/a.txt")
        let run = try await home.start()
        run.screen.press("y")
        await run.screen.wait(for: "Copied the text of “a.txt”.")
        run.screen.press("Y")
        await run.screen.wait(for: "Copied “a.txt”.")
        let sent = String(decoding: run.screen.screen.memory.sentBytes, as: UTF8.self)
        for text in ["text", "a.txt"] {
            #expect(sent.contains("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())"))
        }
        await run.end()
    }

    @Test func agesGoOn() async throws {
        let home = ListHome()
        let file = try home.store.plant("text", at: "/a.txt")
        let run = try Clocked(try await home.start(), at: file.modified)
        await run.screen.wait(for: "now")
        run.pass(.seconds(61))
        await run.screen.wait(for: "1 min")
        run.pass(.seconds(60))
        await run.screen.wait(for: "2 min")
        await run.run.end()
    }

    @MainActor private final class Clocked {
        let run: ListHome.Run
        var screen: AppScreen { run.screen }
        private var date: Date

        init(_ run: ListHome.Run, at date: Date) throws {
            self.run = run
            self.date = date
            run.notes.files.now = { [unowned self] in self.date }
            run.notes.files.reload()
        }

        func pass(_ duration: Duration) {
            date += TimeInterval(duration.components.seconds)
            screen.scheduler.advance(by: duration)
        }
    }

    @Test func scrollsThePreview() async throws {
        let home = ListHome()
        let lines = (1...100).map { "line \($0)" }.joined(separator: "\n")
        try home.store.plant(lines, at: "/a.txt")
        let run = try await home.start(width: 120)
        await run.screen.wait(for: "line 20")
        run.screen.press("J", "J")
        await run.screen.wait(for: "line 26")
        run.screen.scroll(.scrollUp, at: Point(x: 90, y: 10))
        await run.screen.wait { $0.text.contains("line 23") && !$0.text.contains("line 24") }
        await run.end()
    }

    @Test func theFooterOfAnEmptyListOffersOnlyWhatItCanDo() async throws {
        let run = try await ListHome().start(width: 120)
        await run.screen.wait(for: "No notes yet")
        for label in ["s sort", "/ filter", "J scroll"] {
            #expect(!run.screen.text.contains(label))
        }
        #expect(run.screen.text.contains("n new"))
        await run.end()
    }

    @Test func worksOnTheSmallestScreen() async throws {
        let home = ListHome()
        try home.store.plant("text", at: "/a.txt")
        let run = try await home.start(width: 20, height: 6)
        await run.screen.wait(for: "a.txt")
        run.screen.press("Space", "s", "s", "s")
        await run.screen.wait(for: "▌")
        await run.end()
    }
}
