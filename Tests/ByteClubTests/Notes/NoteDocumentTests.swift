import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

@MainActor @Suite struct NoteDocumentTests {
    let test = TestClub()

    private func text(_ path: String) -> String? {
        test.store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func open(_ path: String) async throws -> NoteDocument {
        let fetched = try await test.store.fetch(try RemotePath(validating: path))
        return NoteDocument(
            club: test.club, drafts: test.drafts, file: fetched.file,
            text: TextBuffer(utf8: fetched.data))
    }

    @Test func savesANewNoteUnderItsName() async throws {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "Fizz buzz"
        try await document.save(TextBuffer("print it"))
        #expect(text("/Fizz buzz.txt") == "print it")
        #expect(test.club.contents.notes.map(\.name) == ["Fizz buzz.txt"])
        #expect(!document.isNew)
    }

    @Test func refusesANameThatIsTaken() async throws {
        try test.store.plant("theirs", at: "/plan.txt")
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        let failure = await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"))
        }
        guard case .nameTaken(let fileName) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(fileName == "plan.txt")
        #expect(text("/plan.txt") == "theirs")
    }

    @Test func refusesANameNoFileCanHave() async {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "a/b"
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"))
        }
    }

    @Test func savesAChange() async throws {
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        try await document.save(TextBuffer("two"))
        try await document.save(TextBuffer("three"))
        #expect(text("/a.txt") == "three")
    }

    @Test func neverOverwritesAChangeOfSomeoneElse() async throws {
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        try test.store.plant("theirs", at: "/a.txt")
        let failure = await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"))
        }
        guard case .changedMeanwhile = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text("/a.txt") == "theirs")

        try await document.saveAsCopy(TextBuffer("mine"))
        #expect(text("/a.txt") == "theirs")
        #expect(text("/a (my version).txt") == "mine")
    }

    @Test func replacesTheOtherVersionWhenAskedTo() async throws {
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        let theirs = try test.store.plant("theirs", at: "/a.txt")
        try await document.save(TextBuffer("mine"), mode: .replacing(theirs))
        #expect(text("/a.txt") == "mine")
    }

    /// The question was about another version than the one that is there by now.
    @Test func aThirdVersionIsNotReplacedUnseen() async throws {
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        try test.store.plant("theirs", at: "/a.txt")
        guard case .contradictory(let theirs) = await document.conflict(with: TextBuffer("mine"))
        else {
            Issue.record("The two changes do not fit together.")
            return
        }
        try test.store.plant("third", at: "/a.txt")
        let failure = await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"), mode: .replacing(theirs))
        }
        guard case .changedMeanwhile = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text("/a.txt") == "third")
        let now = try await document.comparison(with: TextBuffer("mine"))
        #expect(now.both == TextBuffer("<<<<<<< mine\nmine\n=======\nthird\n>>>>>>> the club's"))
        try await document.save(TextBuffer("mine"), mode: .replacing(now.file))
        #expect(text("/a.txt") == "mine")
    }

    /// Nothing is there to be replaced; who makes it again meanwhile is not overwritten.
    @Test func aNoteThatSomebodyDeletedIsSavedAgain() async throws {
        let first = try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        try await test.store.delete(first.path)
        guard case .gone = await document.conflict(with: TextBuffer("mine")) else {
            Issue.record("It is not in the club.")
            return
        }
        try test.store.plant("another", at: "/a.txt")
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"), mode: .restoring)
        }
        #expect(text("/a.txt") == "another")
        let other = try await test.store.metadata(of: first.path)
        try await test.store.delete(other.path)
        try await document.save(TextBuffer("mine"), mode: .restoring)
        #expect(text("/a.txt") == "mine")
    }

    /// Nobody may press another key.
    @Test func aDraftThatCannotBeWrittenIsTriedAgain() async throws {
        // A file where the folder should be.
        try Data().write(to: test.draftsFolder)
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, retryPauses: [.milliseconds(1)])
        let (failures, failed) = AsyncStream.makeStream(of: String.self)
        let (recoveries, recovered) = AsyncStream.makeStream(of: Void.self)
        document.draft.onFailure = { failed.yield($0) }
        document.draft.onRecovery = { recovered.yield() }
        document.draft.textDidChange { TextBuffer("words") }
        var sentences: [String] = []
        for await sentence in failures {
            sentences.append(sentence)
            if sentences.count == 3 { break }
        }
        #expect(sentences.first == "Not a directory: the text is not kept as a draft.")
        try FileManager.default.removeItem(at: test.draftsFolder)
        for await _ in recoveries { break }
        #expect(test.drafts.drafts().map(\.text) == [Data("words".utf8)])
    }

    @Test func keepsADraftUntilTheStoreHasConfirmed() async throws {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        document.draft.keepNow(TextBuffer("words"))
        #expect(test.drafts.drafts().map(\.text) == [Data("words".utf8)])
        test.store.failNext(.put, with: .offline)
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("words"))
        }
        #expect(test.drafts.drafts().count == 1)
        try await document.save(TextBuffer("words"))
        await document.draft.discard().value
        #expect(test.drafts.drafts().isEmpty)
    }

    /// Nobody waits for the removal, nor may the next start offer what is in the club.
    @Test func aDraftThatIsGivenUpIsGoneWhenTheProgramEndsAtOnce() {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        document.draft.keepNow(TextBuffer("words"))
        document.draft.discard()
        test.drafts.removeAbandoned()
        #expect(test.drafts.drafts().isEmpty)
    }

    @Test func keepsDraftsAgainAfterASave() async throws {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        document.draft.keepNow(TextBuffer("one"))
        try await document.save(TextBuffer("one"))
        await document.draft.discard().value
        document.draft.keepNow(TextBuffer("one and two"))
        #expect(test.drafts.drafts().map(\.text) == [Data("one and two".utf8)])
    }

    @Test func aDraftIsTakenUpByOneAppOnly() throws {
        let first = NoteDocument(club: test.club, drafts: test.drafts)
        first.draft.keepNow(TextBuffer("words"))
        let draft = try #require(test.drafts.drafts().first)
        let other = DraftStore(folder: test.draftsFolder)
        #expect(NoteDocument(club: test.club, drafts: other, resuming: draft) == nil)
    }

    @Test func refusesWhatCouldNotBeOpenedAgain() async {
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "huge"
        let text = TextBuffer(utf8: [UInt8](repeating: 0x61, count: NoteDocument.byteLimit + 1))
        let failure = await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(text)
        }
        guard case .tooLarge = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(test.store.contents(of: "/huge.txt") == nil)
    }

    @Test func aDraftOfANewNoteKnowsItsFolder() async throws {
        let folder = try RemotePath(validating: "/drafts/2026")
        let first = NoteDocument(club: test.club, drafts: test.drafts, folder: folder)
        first.name = "plan"
        first.draft.keepNow(TextBuffer("words"))
        let draft = try #require(test.drafts.drafts().first)
        let second = try #require(
            NoteDocument(club: test.club, drafts: test.drafts, resuming: draft))
        #expect(second.isNew)
        try await second.save(TextBuffer(utf8: draft.text))
        #expect(text("/drafts/2026/plan.txt") == "words")
    }

    @Test func takesUpADraftWhereItWasLeft() async throws {
        try test.store.plant("one", at: "/a.txt")
        let first = try await open("/a.txt")
        first.draft.keepNow(TextBuffer("one and more"))
        let draft = try #require(test.drafts.drafts().first)
        let second = try #require(
            NoteDocument(club: test.club, drafts: test.drafts, resuming: draft))
        try await second.save(TextBuffer(utf8: draft.text))
        #expect(text("/a.txt") == "one and more")
    }

    @Test(arguments: [
        ("plan.txt", 1, "plan (my version).txt"), ("plan.txt", 3, "plan (my version 3).txt"),
        ("noending", 1, "noending (my version)"), (".txt", 1, ".txt (my version)"),
    ])
    func namesCopies(name: String, number: Int, copy: String) {
        #expect(NoteDocument.copyName(of: name, number: number) == copy)
    }
}
