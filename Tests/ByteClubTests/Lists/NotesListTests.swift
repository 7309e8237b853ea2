import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// The notes' list on a screen in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotesListTests {
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

    @Test func deletesWhatIsMarkedAndBringsItBackAfterARestart() async throws {
        let home = ListHome()
        for name in ["a", "b", "c"] { try home.store.plant("text of \(name)", at: "/\(name).txt") }
        var run = try await home.start()
        run.screen.press("Space", "Space")
        await run.screen.wait(for: "2 marked")
        run.screen.press("d")
        await run.screen.wait(for: "Delete 2 notes?")
        run.screen.press("d")
        await run.screen.wait(for: "2 notes were deleted. z brings them back.")
        #expect(run.screen.order(of: ["a.txt", "b.txt", "c.txt"]) == ["c.txt"])
        await run.end()

        run = try await home.start()
        await run.screen.wait(for: "c.txt")
        run.screen.press("z")
        await run.screen.wait(for: "2 notes are back.")
        #expect(try home.note("a.txt") == "text of a")
        #expect(try home.note("b.txt") == "text of b")
        run.screen.press("z")
        await run.screen.wait(for: "z finds no note that you have deleted here.")
        await run.end()
    }

    /// Removes a note as a command does it, beside the app.
    private func removeElsewhere(
        _ path: String, of home: ListHome, at date: Date = Date()
    ) async throws {
        let file = try await home.store.metadata(of: RemotePath(validating: path))
        try await home.store.delete(file.path, ifRevision: file.revision)
        try LocalCopy(folder: home.library).recordOwnDeletion(of: file, at: date)
    }

    @Test func bringsBackWhatACommandHasRemoved() async throws {
        let home = ListHome(keepsCopy: true)
        for name in ["a", "b"] { try home.store.plant("text of \(name)", at: "/\(name).txt") }
        let run = try await home.start()
        await run.screen.wait(for: "a.txt")
        run.screen.press("d")
        await run.screen.wait(for: "Delete note?")
        run.screen.press("d")
        await run.screen.wait(for: "z brings it back.")
        // The later deletion comes back first.
        try await removeElsewhere("/b.txt", of: home, at: Date(timeIntervalSinceNow: 5))
        run.screen.press("z")
        await run.screen.wait(for: "“b.txt” is back.")
        #expect(try home.note("b.txt") == "text of b")
        run.screen.press("z")
        await run.screen.wait(for: "“a.txt” is back.")
        #expect(try home.note("a.txt") == "text of a")
        run.screen.press("z")
        await run.screen.wait(for: "z finds no note that you have deleted here.")
        #expect(run.screen.order(of: ["a.txt", "b.txt"]) == ["a.txt", "b.txt"])
        await run.end()
    }

    /// What was edited offline and deleted then is on record with its text; the club has the text before the edit.
    @Test func whatTheWindowKnowsOfADeletionComesBeforeTheTrash() async throws {
        let home = ListHome(keepsCopy: true)
        try home.store.plant("before", at: "/a.txt")
        let run = try await home.start()
        await run.screen.wait(for: "a.txt")
        var edited = try await home.store.metadata(of: RemotePath(validating: "/a.txt"))
        edited.revision = Revision(rawValue: "waiting")
        run.memory.remember(
            DeletedFile(edited, kind: .notes, at: Date(), group: UUID()), Data("edited".utf8))
        try await removeElsewhere("/a.txt", of: home, at: Date(timeIntervalSinceNow: 5))
        run.screen.press("z")
        await run.screen.wait(for: "“a.txt” is back.")
        #expect(try home.note("a.txt") == "edited")
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

    @Test func anEmptyFolderThatWasDeletedComesBack() async throws {
        let home = ListHome()
        try home.store.plant("old", at: "/old.txt")
        try await home.store.createFolder(RemotePath(validating: "/empty"))
        let run = try await home.start()
        await run.screen.wait(for: "empty/")
        run.screen.press("Down", "d")
        await run.screen.wait(for: "Delete note?")
        run.screen.press("d")
        await run.screen.wait(for: "z brings it back.")
        run.screen.press("Home", "d")
        await run.screen.wait(for: "Delete folder?")
        run.screen.press("d")
        await run.screen.wait(for: "“empty” was deleted. z brings it back.")
        run.screen.press("z")
        await run.screen.wait(for: "“empty” is back.")
        await run.screen.wait(for: "empty/")
        #expect(try home.note("old.txt") == nil)
        run.screen.press("z")
        await run.screen.wait(for: "“old.txt” is back.")
        await run.end()
    }

    @Test func saysHowManyOfTheMarkedNotesTheFilterHides() async throws {
        let home = ListHome()
        for name in ["apple", "berry", "cherry"] { try home.store.plant("x", at: "/\(name).txt") }
        let run = try await home.start()
        run.screen.press("^A", "/")
        run.screen.type("berry\n")
        await run.screen.wait(untilGone: "cherry")
        run.screen.press("d")
        await run.screen.wait(for: "Delete 3 notes?")
        await run.screen.wait { $0.text.contains("hides 2 of them") || $0.text.contains("hides 2") }
        await run.end()
    }

    @Test func twoWindowsBringBackWhatEitherHasDeleted() async throws {
        let home = ListHome()
        for name in ["a", "b"] { try home.store.plant("text of \(name)", at: "/\(name).txt") }
        let first = try await home.start()
        let second = try await home.start()
        await second.screen.wait(for: "a.txt")
        first.screen.press("d")
        await first.screen.wait(for: "Delete note?")
        first.screen.press("d")
        await first.screen.wait(for: "z brings it back.")
        await first.memory.finish()
        second.screen.press("z")
        await second.screen.wait(for: "“a.txt” is back.")
        await second.memory.finish()
        // It is back: the first window does not bring it back once more.
        first.screen.press("z")
        await first.screen.wait(for: "z finds no note that you have deleted here.")
        #expect(try home.note("a.txt") == "text of a")
        await first.end()
        await second.end()
    }

    @Test func bringsBackFromAClubWithoutRevisions() async throws {
        let home = ListHome(InMemoryStore(keepsRevisions: false))
        try home.store.plant("precious", at: "/a.txt")
        let run = try await home.start()
        run.screen.press("d")
        await run.screen.wait(for: "Delete note?")
        run.screen.press("d")
        await run.screen.wait(for: "z brings it back.")
        try home.store.plant("another", at: "/a.txt")
        run.screen.press("z")
        await run.screen.wait(for: "is back.")
        #expect(try home.note("a.txt") == "another")
        #expect(try home.note("a (my version).txt") == "precious")
        await run.end()
    }

    @Test func doesNotDeleteWhatSomebodyHasChanged() async throws {
        let home = ListHome()
        try home.store.plant("old", at: "/a.txt")
        let run = try await home.start()
        home.store.hold(.delete)
        run.screen.press("d")
        await run.screen.wait(for: "Delete note?")
        run.screen.press("d")
        try home.store.plant("new", at: "/a.txt")
        home.store.release(.delete)
        await run.screen.wait(for: "Not deleted")
        #expect(try home.note("a.txt") == "new")
        await run.end()
    }

    @Test func escapeStopsABatchAndTheMarksStay() async throws {
        let home = ListHome()
        for name in ["a", "b", "c"] { try home.store.plant("text", at: "/\(name).txt") }
        let run = try await home.start()
        run.screen.press("Space", "Space", "d")
        await run.screen.wait(for: "Delete 2 notes?")
        home.store.hold(.delete)
        run.screen.press("d")
        await run.screen.wait(for: "Deleting 1 of 2")
        run.screen.press("Esc")
        home.store.release(.delete)
        await run.screen.wait(for: "Stopped after")
        #expect(try home.note("b.txt") == "text")
        #expect(run.screen.text.contains(" marked"))
        // Nothing is under way any more: now it is about the marks.
        run.screen.press("Esc")
        await run.screen.wait(untilGone: " marked")
        await run.end()
    }

    @Test func whatABatchHasNotDoneStaysMarked() async throws {
        let home = ListHome()
        for name in ["a", "b", "c"] { try home.store.plant("text", at: "/\(name).txt") }
        let run = try await home.start()
        run.screen.press("Space", "Space", "Space", "d")
        await run.screen.wait(for: "Delete 3 notes?")
        home.store.hold(.delete)
        run.screen.press("d")
        await run.screen.wait(for: "Deleting 1 of 3")
        try home.store.plant("new", at: "/b.txt")
        home.store.release(.delete)
        await run.screen.wait(for: "Not deleted")
        #expect(run.screen.text.contains("2 of 3 were done"))
        run.screen.press("Enter")
        await run.screen.wait(for: "1 marked")
        // The others do not wait for what somebody else has changed.
        #expect(home.store.contents(of: "/a.txt") == nil)
        #expect(home.store.contents(of: "/b.txt") == Data("new".utf8))
        #expect(home.store.contents(of: "/c.txt") == nil)
        await run.end()
    }

    /// What fails for all of them is not tried with each; a club that can only be read says so for each.
    @Test(arguments: [(StoreError.Code.unauthorized, 1), (.forbidden, 3)])
    func aBatchEndsWhereTheClubRefusesEverything(
        code: StoreError.Code, attemptCount: Int
    ) async throws {
        let home = ListHome()
        let names = ["a", "b", "c", "d", "e"]
        for name in names { try home.store.plant("text", at: "/\(name).txt") }
        let run = try await home.start()
        run.screen.press("Space", "Space", "Space", "Space", "Space", "d")
        await run.screen.wait(for: "Delete 5 notes?")
        for _ in 0..<attemptCount { home.store.failNext(.delete, with: code) }
        run.screen.press("d")
        await run.screen.wait(for: "Not deleted")
        run.screen.press("Enter")
        await run.screen.wait(for: "5 marked")
        #expect(names.allSatisfy { home.store.contents(of: "/\($0).txt") != nil })
        await run.end()
    }

    @Test func saysThatAFolderHasHiddenFilesInIt() async throws {
        let home = ListHome()
        try home.store.plant("x", at: "/drafts/.DS_Store")
        let run = try await home.start()
        await run.screen.wait(for: "0 notes")
        run.screen.press("d")
        await run.screen.wait(for: "Delete folder?")
        run.screen.press("d")
        await run.screen.wait(for: "hidden files")
        #expect(try home.note("drafts/.DS_Store") == "x")
        await run.end()
    }

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
