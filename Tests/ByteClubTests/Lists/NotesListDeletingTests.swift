import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// Deletes notes on the screen, and brings them back.
@MainActor @Suite(.timeLimit(.minutes(1))) struct NotesListDeletingTests {
    @Test func deletesWhatIsMarkedAndBringsItBackAfterARestart() async throws {
        let home = ListHome()
        for name in ["a", "b", "c"] { try home.store.plant("text of \(name)", at: "/\(name).txt") }
        var run = try await home.start()
        run.screen.press("Space", "Space")
        await run.screen.wait(for: "2 marked")
        await run.delete("Delete 2 notes?", until: "2 notes were deleted. z brings them back.")
        #expect(run.screen.order(of: ["a.txt", "b.txt", "c.txt"]) == ["c.txt"])
        await run.end()

        run = try await home.start()
        await run.screen.wait(for: "c.txt")
        await run.bringBack(until: "2 notes are back.")
        #expect(try home.note("a.txt") == "text of a")
        #expect(try home.note("b.txt") == "text of b")
        await run.bringBack(until: "z finds no note that you have deleted here.")
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
        await run.delete()
        // The later deletion comes back first.
        try await removeElsewhere("/b.txt", of: home, at: Date(timeIntervalSinceNow: 5))
        await run.bringBack(until: "“b.txt” is back.")
        #expect(try home.note("b.txt") == "text of b")
        await run.bringBack(until: "“a.txt” is back.")
        #expect(try home.note("a.txt") == "text of a")
        await run.bringBack(until: "z finds no note that you have deleted here.")
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
        await run.bringBack(until: "“a.txt” is back.")
        #expect(try home.note("a.txt") == "edited")
        await run.end()
    }

    @Test func anEmptyFolderThatWasDeletedComesBack() async throws {
        let home = ListHome()
        try home.store.plant("old", at: "/old.txt")
        try await home.store.createFolder(RemotePath(validating: "/empty"))
        let run = try await home.start()
        await run.screen.wait(for: "empty/")
        run.screen.press("Down")
        await run.delete()
        run.screen.press("Home")
        await run.delete("Delete folder?", until: "“empty” was deleted. z brings it back.")
        await run.bringBack(until: "“empty” is back.")
        await run.screen.wait(for: "empty/")
        #expect(try home.note("old.txt") == nil)
        await run.bringBack(until: "“old.txt” is back.")
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
        #expect(
            run.screen.message(of: "Delete 3 notes?").hasSuffix("The filter hides 2 of them."))
        await run.end()
    }

    @Test func twoWindowsBringBackWhatEitherHasDeleted() async throws {
        let home = ListHome()
        for name in ["a", "b"] { try home.store.plant("text of \(name)", at: "/\(name).txt") }
        let first = try await home.start()
        let second = try await home.start()
        await second.screen.wait(for: "a.txt")
        await first.delete()
        await first.memory.finish()
        await second.bringBack(until: "“a.txt” is back.")
        await second.memory.finish()
        // It is back: the first window does not bring it back once more.
        await first.bringBack(until: "z finds no note that you have deleted here.")
        #expect(try home.note("a.txt") == "text of a")
        await first.end()
        await second.end()
    }

    @Test func bringsBackFromAClubWithoutRevisions() async throws {
        let home = ListHome(InMemoryStore(keepsRevisions: false))
        try home.store.plant("precious", at: "/a.txt")
        let run = try await home.start()
        await run.delete()
        try home.store.plant("another", at: "/a.txt")
        await run.bringBack(until: "is back.")
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
        await run.delete("Delete folder?", until: "hidden files")
        #expect(try home.note("drafts/.DS_Store") == "x")
        await run.end()
    }
}
