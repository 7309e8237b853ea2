import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing
import TextEditing

@testable import ByteClub

/// What would be lost where nothing can be kept on this computer, as on a full disk, in a club without revisions.
@MainActor @Suite(.timeLimit(.minutes(1))) struct UnkeptTextTests {
    /// A file in the place of the local copy's folder: what is kept is in memory alone.
    private func makeHome(_ text: String) throws -> ListHome {
        let home = ListHome(InMemoryStore(keepsRevisions: false), keepsCopy: true)
        try FileManager.default.createDirectory(at: home.folder, withIntermediateDirectories: true)
        try Data().write(to: home.library)
        try home.store.plant(text, at: "/a.txt")
        return home
    }

    @Test func aNoteIsDeletedOnlyAfterAnotherQuestion() async throws {
        let home = try makeHome("precious")
        let run = try await home.start()
        await run.screen.wait(for: "a.txt")
        let question = "Delete without a copy?"
        await run.delete(until: question)
        #expect(try home.note("a.txt") == "precious")
        #expect(run.screen.message(of: question).contains("nothing can after that."))
        run.screen.press("Esc")
        await run.screen.wait(untilGone: question)
        #expect(try home.note("a.txt") == "precious")

        await run.delete(until: question)
        run.screen.press("d")
        await run.screen.wait(for: "“a.txt” was deleted. z brings it back, until you quit.")
        #expect(try home.note("a.txt") == nil)
        await run.bringBack(until: "“a.txt” is back.")
        #expect(try home.note("a.txt") == "precious")
        await run.end()
    }

    @Test(arguments: [true, false])
    func theOtherVersionIsReplacedOnlyIfItCanBeHadAgain(isKept: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        if !isKept { try Data().write(to: folder) }
        let test = TestClub(InMemoryStore(keepsRevisions: false), library: folder)
        let path = try test.store.plant("one", at: "/a.txt").path
        let fetched = try await test.store.fetch(path)
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, file: fetched.file,
            text: TextBuffer(utf8: fetched.data))
        let theirs = try test.store.plant("theirs", at: "/a.txt")
        if isKept {
            try await document.save(TextBuffer("mine"), mode: .replacing(theirs))
            #expect(test.store.contents(of: "/a.txt") == Data("mine".utf8))
            let kept = await test.club.local?.run { try $0.text(of: theirs)?.data } ?? nil
            #expect(kept == Data("theirs".utf8))
        } else {
            let failure = await #expect(throws: NoteDocument.SaveFailure.self) {
                try await document.save(TextBuffer("mine"), mode: .replacing(theirs))
            }
            guard case .replacedIsNotKept = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(test.store.contents(of: "/a.txt") == Data("theirs".utf8))
            // Nothing was sent that the club may have.
            #expect(document.unanswered == nil)
            // Beside it there is no loss.
            try await document.saveAsCopy(TextBuffer("mine"))
            #expect(test.store.contents(of: "/a (my version).txt") == Data("mine".utf8))
        }
    }

    @Test func theEditorSaysWhyNothingWasReplaced() async throws {
        let home = try makeHome("one")
        let run = try await home.start()
        await run.screen.wait(for: "a.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        try home.store.plant("theirs", at: "/a.txt")
        await run.screen.wait(for: "changed by someone else")
        run.screen.press("F2")
        await run.screen.wait(for: "Changed by someone else")
        run.screen.press("r")
        await run.screen.wait(for: "Not replaced")
        #expect(try home.note("a.txt") == "theirs")
        run.screen.press("b")
        await run.screen.wait(for: "2 · by name")
        #expect(try home.note("a.txt") == "theirs")
        #expect(try home.note("a (my version).txt") == "Xone")
        await run.end()
    }

    @Test func anEarlierVersionReplacesNothingThatWouldBeLost() async throws {
        let home = try makeHome("one")
        let run = try await home.start()
        await run.screen.wait(for: "a.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type("X")
        run.screen.press("F2")
        await run.screen.wait(for: "1 · by name")
        await run.club.local?.finish()
        run.screen.press("H")
        await run.screen.wait(for: VersionsViewController.self)
        await run.screen.wait { $0.text.contains("seen here") }
        run.screen.press("End", "r")
        await run.screen.wait(for: "Not restored")
        #expect(try home.note("a.txt") == "Xone")
        await run.end()
    }
}
