import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

/// The editor on a screen in memory: what becomes of a text that is saved, is not saved, or is left.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EditorScreenTests {
    private let home = ListHome()

    /// The app with a note open and one letter typed before its text.
    private func type(
        _ letter: String, into text: String = "old", of home: ListHome? = nil
    ) async throws -> ListHome.Run {
        let home = home ?? self.home
        try home.store.plant(text, at: "/plan.txt")
        let run = try await home.start()
        await run.screen.wait(for: "plan.txt")
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.type(letter)
        await run.screen.wait(for: "modified")
        return run
    }

    private func newNote(_ name: String, _ text: String) async throws -> ListHome.Run {
        let run = try await home.start()
        run.screen.press("n")
        await run.screen.wait(for: "New note")
        run.screen.type(name + "\n" + text)
        await run.screen.wait(for: text)
        return run
    }

    private var drafts: [Draft] {
        DraftStore(folder: home.folder.appending(path: "drafts")).drafts()
    }

    // MARK: - Saving

    @Test func savesAndStays() async throws {
        let run = try await type("X")
        let screen = run.screen
        #expect(screen.box("plan.txt").first == "Xold")
        screen.press("^S")
        await screen.wait(for: "“plan.txt” is in the club.")
        await screen.wait(untilGone: "modified")
        #expect(screen.isShowing(NoteDetailsViewController.self))
        #expect(try home.note("plan.txt") == "Xold")
        // Nothing is unsaved any more: nothing is asked.
        screen.press("Esc")
        await screen.wait(for: "1 · by name")
        await run.end()
    }

    @Test func doneWithoutAChangeSendsNothing() async throws {
        try home.store.plant("old", at: "/plan.txt")
        let run = try await home.start()
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        run.screen.press("F2")
        await run.screen.wait(for: "1 · by name")
        #expect(!home.store.calls.contains { $0.operation == .put })
        await run.end()
    }

    @Test func aSaveThatFailsLeavesTheTextAndTheEditor() async throws {
        let run = try await type("X")
        let screen = run.screen
        home.store.failNext(.put, with: .overQuota)
        screen.press("F2")
        await screen.wait(for: "The club is full")
        #expect(
            screen.message(of: "The club is full")
                == "The disk that the club lives on is full. Make some room on it and try again. "
                + "Your text is still here.")
        screen.press("Enter")
        await screen.wait(untilGone: "The club is full")
        #expect(screen.box("plan.txt").first == "Xold")
        #expect(screen.text.contains("modified"))
        #expect(try home.note("plan.txt") == "old")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }

    @Test func escStopsASaveThatTakesLong() async throws {
        let run = try await type("X")
        let screen = run.screen
        home.store.hold(.put)
        screen.press("F2")
        await screen.wait(for: "Saving “plan.txt”…")
        #expect(screen.isShowing(NoteDetailsViewController.self))
        screen.press("Esc")
        await screen.wait(for: "Stopped saving. The text is still here.")
        home.store.release(.put)
        #expect(try home.note("plan.txt") == "old")
        #expect(screen.box("plan.txt").first == "Xold")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }

    @Test func whatIsTypedDuringASaveStays() async throws {
        let run = try await type("X")
        let screen = run.screen
        home.store.hold(.put)
        screen.press("F2")
        await screen.wait(for: "Saving “plan.txt”…")
        screen.type("Y")
        home.store.release(.put)
        await screen.wait(for: "“plan.txt” is in the club.")
        #expect(try home.note("plan.txt") == "Xold")
        // It would have closed the note, but for this letter.
        #expect(screen.box("plan.txt").first == "XYold")
        #expect(screen.text.contains("modified"))
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "XYold")
        await run.end()
    }

    @Test func aClubThatIsAwayTakesTheTextLater() async throws {
        let home = ListHome(keepsCopy: true)
        let run = try await type("X", of: home)
        home.store.failNext(.put, with: .offline)
        run.screen.press("^S")
        await run.screen.wait(for: "Kept here; it goes to the club when it is reachable.")
        #expect(!run.screen.text.contains("modified"))
        run.screen.press("Esc", "R")
        await run.screen.wait { _ in (try? home.note("plan.txt")) == "Xold" }
        await run.end()
    }

    @Test func withoutALocalCopyNothingWaits() async throws {
        let run = try await type("X")
        home.store.failNext(.put, with: .offline)
        run.screen.press("^S")
        await run.screen.wait(for: "No connection to the club")
        #expect(
            run.screen.message(of: "No connection to the club")
                .hasSuffix("Your text is still here."))
        run.screen.press("Enter")
        await run.screen.wait(for: "modified")
        await run.end()
    }

    // MARK: - Names

    @Test func aNameThatIsTakenIsAskedForAgain() async throws {
        try home.store.plant("old", at: "/plan.txt")
        let run = try await newNote("plan", "new words")
        let screen = run.screen
        screen.press("F2")
        await screen.wait(for: "The name is taken")
        #expect(
            screen.message(of: "The name is taken")
                == "There is a note named “plan.txt” already. Give this one another name.")
        #expect(try home.note("plan.txt") == "old")
        screen.press("Enter")
        await screen.wait(untilGone: "The name is taken")
        // The name has the keys.
        screen.press("End")
        screen.type(" B")
        screen.press("F2")
        await screen.wait(for: "2 · by name")
        #expect(try home.note("plan B.txt") == "new words")
        await run.end()
    }

    @Test(arguments: ["", "a/b", ".."])
    func aNameThatNoFileCanHaveIsRefused(name: String) async throws {
        let run = try await newNote(name, "new words")
        let screen = run.screen
        screen.press("F2")
        await screen.wait(for: "Invalid name")
        #expect(!screen.message(of: "Invalid name").isEmpty)
        screen.press("Enter")
        await screen.wait(untilGone: "Invalid name")
        #expect(screen.text.contains("new words"))
        #expect(!home.store.calls.contains { $0.operation == .put })
        await run.end()
    }

    // MARK: - Leaving

    @Test func escAsksWhatBecomesOfTheChanges() async throws {
        let run = try await type("X")
        let screen = run.screen
        screen.press("Esc")
        await screen.wait(for: "Save the changes?")
        #expect(
            screen.message(of: "Save the changes?")
                == "“plan.txt” has changes that are not in the club yet.")
        #expect(
            screen.buttons(of: "Save the changes?")
                == ["Save", "Discard", "Keep as draft", "Keep editing"])
        // Enter gives nothing away.
        screen.press("Enter")
        await screen.wait(untilGone: "Save the changes?")
        #expect(screen.box("plan.txt").first == "Xold")
        screen.press("Esc", "Esc")
        #expect(screen.isShowing(NoteDetailsViewController.self))
        screen.press("Esc", "s")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }

    @Test func discardedTextIsGone() async throws {
        let run = try await type("X")
        let screen = run.screen
        screen.press("Esc", "D")
        await screen.wait(for: "1 · by name")
        screen.press("Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        await screen.wait { $0.box("plan.txt").first == "old" }
        #expect(try home.note("plan.txt") == "old")
        screen.press("Esc")
        await run.end()
        #expect(drafts.isEmpty)
    }

    @Test func aDraftWaitsForItsNote() async throws {
        var run = try await type("X")
        run.screen.press("Esc", "d")
        await run.screen.wait(for: "Kept as a draft: it opens with “plan.txt”.")
        await run.screen.wait(for: "plan.txt draft")
        #expect(try home.note("plan.txt") == "old")
        await run.end()

        // Also in another run.
        run = try await home.start()
        await run.screen.wait(for: "plan.txt draft")
        run.screen.press("Enter")
        await run.screen.wait(for: "This is your draft of “plan.txt”. ^S saves it.")
        #expect(run.screen.box("plan.txt").first == "Xold")
        // It is in the club no more than before.
        #expect(run.screen.text.contains("modified"))
        run.screen.press("F2")
        await run.screen.wait { $0.text.contains("1 · by name") && !$0.text.contains(" draft") }
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
        #expect(drafts.isEmpty)
    }

    @Test func aDraftOfANewNoteIsOfferedByN() async throws {
        let run = try await newNote("idea", "words")
        let screen = run.screen
        screen.press("Esc", "d")
        await screen.wait(for: "Kept as a draft: n opens it again.")
        screen.press("n")
        await screen.wait(for: "A draft is waiting")
        #expect(
            screen.message(of: "A draft is waiting").hasPrefix(
                "The new note “idea” was kept as a draft:"))
        screen.press("o")
        await screen.wait { $0.isShowing(NoteDetailsViewController.self) }
        #expect(screen.text.contains("words"))
        // What is deleted is asked for twice.
        screen.press("Esc", "d")
        await screen.wait(for: "Kept as a draft")
        screen.press("n")
        await screen.wait(for: "A draft is waiting")
        screen.press("D")
        await screen.wait(for: "Delete this text?")
        screen.press("Enter")
        await screen.wait(untilGone: "Delete this text?")
        #expect(drafts.count == 1)
        screen.press("n")
        await screen.wait(for: "A draft is waiting")
        screen.press("D", "D")
        await screen.wait(for: "The unsaved text was deleted.")
        #expect(drafts.isEmpty)
        screen.press("n")
        await screen.wait(for: NoteDetailsViewController.self)
        #expect(!screen.text.contains("words"))
        await run.end()
    }

    @Test func aDraftThatCannotBeWrittenLeavesTheNoteOpen() async throws {
        // A file where the folder is to be: for root, too, nothing can be written there.
        try FileManager.default.createDirectory(
            at: home.folder, withIntermediateDirectories: true)
        try Data().write(to: home.folder.appending(path: "drafts"))
        let run = try await type("X")
        let screen = run.screen
        // Said in the frame as long as it is so, keys or not.
        await screen.wait(for: "modified, not kept on the disk")
        screen.press("Esc", "d")
        await screen.wait(for: "Not kept as a draft")
        #expect(
            screen.message(of: "Not kept as a draft").contains("the text is not kept as a draft."))
        screen.press("Enter")
        await screen.wait(untilGone: "Not kept as a draft")
        #expect(screen.isShowing(NoteDetailsViewController.self))
        #expect(screen.box("plan.txt").first == "Xold")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }

    // MARK: - Others

    @Test func anUntouchedNoteFollowsTheClub() async throws {
        try home.store.plant("old", at: "/plan.txt")
        let run = try await home.start()
        run.screen.press("Enter")
        await run.screen.wait(for: NoteDetailsViewController.self)
        try home.store.plant("new words", at: "/plan.txt")
        await run.screen.wait(for: "updated just now")
        #expect(run.screen.lines.contains { $0.contains("new words") })
        run.screen.press("Esc")
        await run.screen.wait(for: "1 · by name")
        // It was read here.
        #expect(!run.screen.lines.contains { $0.contains("1 new") })
        await run.end()
    }

    /// A changed note, and what somebody else has made of it meanwhile; shows the question.
    private func conflict(
        theirs: String?, over text: String = "old"
    ) async throws -> ListHome.Run {
        let run = try await type("X", into: text)
        if let theirs {
            try home.store.plant(theirs, at: "/plan.txt")
            await run.screen.wait(for: "changed by someone else")
        } else {
            try home.store.uproot("/plan.txt")
            await run.screen.wait(for: "deleted meanwhile")
        }
        run.screen.press("F2")
        await run.screen.wait(for: theirs == nil ? "Deleted meanwhile" : "Changed by someone")
        return run
    }

    @Test func twoVersionsAreAskedAboutAndBothCanStay() async throws {
        let run = try await conflict(theirs: "theirs")
        let screen = run.screen
        let title = "Changed by someone else"
        #expect(
            screen.message(of: title)
                == "“plan.txt” was changed in the club after you opened it. Nothing is lost: "
                + "keep both, or replace the other version with yours.")
        #expect(
            screen.buttons(of: title) == ["Compare", "Keep both", "Replace", "Keep editing"])
        screen.press("Esc")
        await screen.wait(untilGone: title)
        #expect(try home.note("plan.txt") == "theirs")
        screen.press("F2")
        await screen.wait(for: title)
        screen.press("b")
        await screen.wait(for: "2 · by name")
        #expect(try home.note("plan.txt") == "theirs")
        #expect(try home.note("plan (my version).txt") == "Xold")
        await run.end()
    }

    @Test func theOtherVersionCanBeReplacedKnowingly() async throws {
        let run = try await conflict(theirs: "theirs")
        run.screen.press("r")
        await run.screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }

    @Test func aThirdVersionIsNotReplacedUnseen() async throws {
        let run = try await conflict(theirs: "theirs")
        home.store.hold(.put)
        run.screen.press("r")
        await run.screen.wait(for: "Saving “plan.txt”…")
        try home.store.plant("third", at: "/plan.txt")
        home.store.release(.put)
        await run.screen.wait(for: "Changed by someone else")
        #expect(try home.note("plan.txt") == "third")
        await run.end()
    }

    @Test func changesThatFitTogetherBecomeOneText() async throws {
        let run = try await conflict(theirs: "old\nsame\nNEW\n", over: "old\nsame\nlast\n")
        let screen = run.screen
        #expect(
            screen.message(of: "Changed by someone else").contains(
                "Your changes and theirs fit together: 1 line added"))
        screen.press("m")
        await screen.wait(for: "Merged.")
        #expect(Array(screen.box("plan.txt").prefix(3)) == ["Xold", "same", "NEW"])
        // The next key belongs where the person was typing, and takes nothing of the others away.
        screen.type("Z")
        await screen.wait(for: "XZold")
        #expect(Array(screen.box("plan.txt").prefix(3)) == ["XZold", "same", "NEW"])
        // Only Done sends it.
        #expect(try home.note("plan.txt") == "old\nsame\nNEW\n")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "XZold\nsame\nNEW\n")
        await run.end()
    }

    @Test func whatIsTypedWhileTheOtherVersionIsFetchedIsInTheMerge() async throws {
        let run = try await type("X", into: "old\nsame\nlast\n")
        let screen = run.screen
        try home.store.plant("old\nsame\nNEW\n", at: "/plan.txt")
        await screen.wait(for: "changed by someone else")
        home.store.hold(.fetch)
        let count = home.store.calls.count { $0.operation == .fetch }
        screen.press("F2")
        await home.store.waitForCalls(of: .fetch, count: count + 1)
        screen.type("Y")
        await screen.wait(for: "XYold")
        home.store.release(.fetch)
        await screen.wait(for: "fit together")
        home.store.hold(.fetch)
        screen.press("m")
        await screen.wait(untilGone: "fit together")
        // Once more, with what was typed.
        home.store.release(.fetch)
        await screen.wait(for: "fit together")
        screen.press("m")
        await screen.wait(for: "Merged.")
        #expect(Array(screen.box("plan.txt").prefix(3)) == ["XYold", "same", "NEW"])
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "XYold\nsame\nNEW\n")
        await run.end()
    }

    /// With the merge undone, the text is older than the club's: saving it must ask again.
    @Test func undoingAMergeTakesItsBaseBackToo() async throws {
        let run = try await conflict(theirs: "old\nsame\nNEW\n", over: "old\nsame\nlast\n")
        let screen = run.screen
        screen.press("m")
        await screen.wait(for: "Merged.")
        screen.press("^Z")
        await screen.wait(for: "last")
        screen.press("F2")
        await screen.wait(for: "fit together")
        #expect(try home.note("plan.txt") == "old\nsame\nNEW\n")
        screen.press("m")
        await screen.wait(for: "Merged.")
        screen.press("^Z")
        await screen.wait(for: "last")
        // Done again: so is its base.
        screen.press("^Y")
        await screen.wait(for: "NEW")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold\nsame\nNEW\n")
        await run.end()
    }

    /// Undo is about what was typed here. What somebody else has added meanwhile leaves the text on the screen with it,
    /// but not the club without a question.
    @Test func anUndoneReloadIsNotSavedUnasked() async throws {
        let run = try await type("X", into: "old\nlast\n")
        let screen = run.screen
        screen.press("^S")
        await screen.wait(untilGone: "modified")
        try home.store.plant("Xold\nlast\nTHEIRS\n", at: "/plan.txt")
        await screen.wait(for: "updated just now")
        screen.press("^Z")
        await screen.wait(for: "modified")
        #expect(Array(screen.box("plan.txt").prefix(3)) == ["Xold", "last", ""])
        screen.press("F2")
        await screen.wait(for: "fit together")
        #expect(try home.note("plan.txt") == "Xold\nlast\nTHEIRS\n")
        screen.press("Esc")
        await screen.wait(untilGone: "fit together")
        // Done again, it is the club's version.
        screen.press("^Y")
        await screen.wait(untilGone: "modified")
        screen.press("Esc")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold\nlast\nTHEIRS\n")
        await run.end()
    }

    /// What was saved meanwhile has their change: undone beyond it, the text is older than the club's again.
    @Test func undoneBeyondASaveAReloadIsStillAskedAbout() async throws {
        let run = try await type("X", into: "old\nlast\n")
        let screen = run.screen
        screen.press("^S")
        await screen.wait(untilGone: "modified")
        try home.store.plant("Xold\nlast\nTHEIRS\n", at: "/plan.txt")
        await screen.wait(for: "updated just now")
        screen.type("Y")
        await screen.wait(for: "modified")
        screen.press("^S")
        await screen.wait(untilGone: "modified")
        #expect(try home.note("plan.txt") == "XYold\nlast\nTHEIRS\n")
        screen.press("^Z")
        await screen.wait { $0.box("plan.txt").first == "Xold" }
        // This far the text is a change of what was saved.
        screen.press("^S")
        await screen.wait(untilGone: "modified")
        #expect(try home.note("plan.txt") == "Xold\nlast\nTHEIRS\n")
        screen.press("^Z")
        await screen.wait { !$0.text.contains("THEIRS") }
        screen.press("^S")
        await screen.wait(for: "fit together")
        #expect(try home.note("plan.txt") == "Xold\nlast\nTHEIRS\n")
        await run.end()
    }

    /// The others' change is in the draft already: the merge changes nothing in it, and must not make it saved.
    @Test func aDraftThatHasTheOthersChangeIsStillUnsavedWhenMerged() async throws {
        let home = ListHome(keepsCopy: true)
        try home.store.plant("old\nsame\nlast\n", at: "/plan.txt")
        let run = try await home.start()
        let screen = run.screen
        screen.press("Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        screen.type("A")
        await screen.wait(for: "Aold")
        screen.press("Down", "Down", "End")
        screen.type("B")
        await screen.wait(for: "lastB")
        screen.press("Esc", "d")
        await screen.wait(for: "Kept as a draft")
        try home.store.plant("Aold\nsame\nlast\n", at: "/plan.txt")
        screen.press("Enter")
        await screen.wait(for: NoteDetailsViewController.self)
        await screen.wait(for: "lastB")
        screen.press("F2")
        await screen.wait(for: "fit together")
        screen.press("m")
        await screen.wait(untilGone: "fit together")
        await screen.wait(for: "modified")
        screen.press("F2")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Aold\nsame\nlastB\n")
        await run.end()
    }

    @Test func aNoteThatSomebodyDeletedComesBackOnlyWhenAsked() async throws {
        let run = try await conflict(theirs: nil)
        let screen = run.screen
        let title = "Deleted meanwhile"
        #expect(
            screen.message(of: title)
                == "“plan.txt” was deleted in the club after you opened it. Your text is still here."
        )
        screen.press("Esc")
        await screen.wait(untilGone: title)
        #expect(try home.note("plan.txt") == nil)
        screen.press("F2")
        await screen.wait(for: title)
        screen.press("s")
        await screen.wait(for: "1 · by name")
        #expect(try home.note("plan.txt") == "Xold")
        await run.end()
    }
}
