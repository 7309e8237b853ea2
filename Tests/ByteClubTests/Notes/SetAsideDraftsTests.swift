import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub

/// Drafts that wait for their notes, on a screen in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct SetAsideDraftsTests {
    private let home = ListHome(InMemoryStore(hasHashes: true))

    /// Starts with a note, types a word in it and keeps that as a draft.
    private func startWithDraft(_ home: ListHome) async throws -> ListHome.Run {
        try home.store.plant("club's\n", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("e")
        await run.screen.wait(for: "save")
        await setAside("mine ", in: run)
        return run
    }

    /// Types into the open editor, and keeps the text as a draft.
    private func setAside(_ text: String, in run: ListHome.Run) async {
        run.screen.type(text)
        run.screen.press("Esc")
        await run.screen.wait(for: "Keep as draft")
        run.screen.press("d")
        await run.screen.wait(for: "plan.txt draft")
    }

    private func rename(to name: String, in run: ListHome.Run) async {
        run.screen.press("r")
        await run.screen.wait(for: "New name")
        for _ in 0..<40 { run.screen.press("Backspace") }
        run.screen.type(name)
        run.screen.press("Enter")
        await run.screen.wait(for: name + ".txt draft")
    }

    /// The next key may ask for a draft before the folder was looked at again.
    @Test func isKnownAtOnce() async throws {
        let run = try await home.start()
        let drafts = SetAsideDrafts(DraftStore(folder: home.folder), club: run.club)
        let path = try RemotePath(validating: "/a.txt")
        var changeCount = 0
        drafts.didChange = { changeCount += 1 }
        #expect(!drafts.hasOneWithoutNote && drafts.paths.isEmpty)
        drafts.add(UUID(), of: nil)
        drafts.add(UUID(), of: path)
        #expect(drafts.hasOneWithoutNote && drafts.paths == ["/a.txt"])
        #expect(changeCount == 2)
        // What is on the disk counts in the end.
        await drafts.reload().value
        #expect(!drafts.hasOneWithoutNote && drafts.paths.isEmpty)
        await run.end()
    }

    @Test(arguments: [false, true]) func followsItsNoteToANewName(hasHashes: Bool) async throws {
        let home = ListHome(InMemoryStore(hasHashes: hasHashes))
        var run = try await startWithDraft(home)
        await rename(to: "other", in: run)
        await run.end()
        // After a restart it is opened with the note.
        run = try await home.start()
        await run.screen.wait(for: "other.txt draft")
        run.screen.press("e")
        await run.screen.wait(for: "mine club's")
        run.screen.press("F2")
        await run.screen.wait(for: "12 B")
        #expect(try home.note("other.txt") == "mine club's\n")
        #expect(try home.note("plan.txt") == nil)
        await run.end()
    }

    @Test func followsItsNoteThatAnotherMemberRenames() async throws {
        let run = try await startWithDraft(home)
        let (old, new) = try (path("/plan.txt"), path("/theirs.txt"))
        _ = try await home.store.move(old, to: new)
        await run.screen.wait(for: "theirs.txt draft")
        run.screen.press("e")
        await run.screen.wait(for: "mine club's")
        await run.end()
    }

    /// A note with the same bytes that was there before is another note.
    @Test(arguments: 1...2) func followsNoCopy(count: Int) async throws {
        let run = try await startWithDraft(home)
        for number in 1...count {
            try home.store.plant("club's\n", at: "/copy \(number).txt")
            await run.screen.wait(for: "copy \(number).txt")
        }
        try await home.store.delete(path("/plan.txt"))
        await run.screen.wait(untilGone: "plan.txt draft")
        #expect(!run.screen.text.contains("txt draft"))
        run.screen.press("n")
        await run.screen.wait(for: "“plan.txt” is no longer in the club.")
        await run.end()
    }

    /// What is typed after it was opened again is newer than what was typed before.
    @Test func keepsWhatIsAddedInTheSameRun() async throws {
        var run = try await startWithDraft(home)
        run.screen.press("e")
        await run.screen.wait(for: "mine club's")
        run.screen.press("Home")
        await setAside("more ", in: run)
        await run.end()
        run = try await home.start()
        await run.screen.wait(for: "plan.txt draft")
        run.screen.press("e")
        await run.screen.wait(for: "more mine club's")
        await run.end()
    }

    /// Writing a draft takes as long as the disk does, and the editor is open until it is done.
    @Test func keepsWhatIsTypedWhileItIsWritten() async throws {
        try home.store.plant("club's\n", at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("e")
        await run.screen.wait(for: "save")
        run.screen.type("mine ")
        run.screen.press("Esc")
        await run.screen.wait(for: "Keep as draft")
        run.screen.press("d")
        run.screen.type("late ")
        await run.screen.wait(for: "plan.txt draft")
        run.screen.press("e")
        await run.screen.wait(for: "mine late club's")
        await run.end()
    }

    @Test func isOpenedByNAfterItsNoteWasDeleted() async throws {
        let run = try await startWithDraft(home)
        run.screen.press("d")
        await run.screen.wait(for: "What you wrote in a draft of it stays here")
        run.screen.press("d")
        await run.screen.wait(for: "was deleted")
        run.screen.press("n")
        await run.screen.wait(for: "A draft is waiting")
        run.screen.press("o")
        await run.screen.wait(for: "mine club's")
        await run.end()
    }

    @Test func thoseInAFolderFollowIt() throws {
        let drafts = DraftStore(folder: home.folder)
        let inside = Draft(
            name: "a.txt", path: "/old/a.txt", baseRevision: "1", savedAt: Date(),
            text: Data("a".utf8))
        let new = Draft(
            name: "new", path: nil, folder: "/old", baseRevision: nil, savedAt: Date(),
            text: Data("b".utf8))
        let beside = Draft(
            name: "c.txt", path: "/older/c.txt", baseRevision: "1", savedAt: Date(),
            text: Data("c".utf8))
        for draft in [inside, new, beside] {
            try drafts.save(draft, sequence: 1)
            drafts.release(draft.id)
        }
        // One that is being edited is its editor's.
        let edited = Draft(
            name: "d.txt", path: "/old/d.txt", baseRevision: "1", savedAt: Date(), text: Data())
        try drafts.save(edited, sequence: 1)
        try drafts.moveDrafts(of: .folder(path("/old")), to: .folder(path("/new")))
        let found = Dictionary(uniqueKeysWithValues: drafts.drafts().map { ($0.id, $0) })
        #expect(found[inside.id]?.path == "/new/a.txt")
        #expect(found[inside.id]?.text == inside.text)
        #expect(found[new.id]?.folder == "/new" && found[new.id]?.path == nil)
        #expect(found[beside.id]?.path == "/older/c.txt")
        #expect(found[edited.id]?.path == "/old/d.txt")
    }

    private func path(_ text: String) throws -> RemotePath { try RemotePath(validating: text) }
}
