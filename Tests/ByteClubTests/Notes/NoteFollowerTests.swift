import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TestSupport
import Testing
import TextEditing

@testable import ByteClub

/// What becomes of an open note when others change it, and when its own changes are on their way.
@MainActor @Suite struct NoteFollowerTests {
    let test = TestClub()

    @MainActor private final class Heard {
        var reloads: [TextBuffer] = []
        var changed = 0
        var deleted = 0
        var renamed = 0
        var upToDate = 0
        var arrived = 0
        /// Looks at each piece of news.
        var waiter: Waiter<Heard>?

        func wait(until isTrue: @escaping @MainActor (Heard) -> Bool) async {
            let waiter = Waiter(isTrue)
            waiter.look(at: self)
            self.waiter = waiter
            await waiter.wait()
        }
    }

    private func open(_ path: String, in test: TestClub? = nil) async throws -> NoteDocument {
        let test = test ?? self.test
        let fetched = try await test.store.fetch(try RemotePath(validating: path))
        return NoteDocument(
            club: test.club, drafts: test.drafts, file: fetched.file,
            text: TextBuffer(utf8: fetched.data))
    }

    /// A club with a local copy, and with an outbox therefore.
    private func withLocalCopy(_ body: (TestClub) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub(library: folder)
        defer { test.club.stop() }
        try await body(test)
    }

    private func follow(
        _ document: NoteDocument, isDirty: Bool, _ heard: Heard
    ) -> NoteFollower {
        let follower = NoteFollower(document, isDirty: { isDirty }) { news in
            switch news {
            case .reload(let text, _, _): heard.reloads.append(text)
            case .changedElsewhere: heard.changed += 1
            case .deletedElsewhere: heard.deleted += 1
            case .renamed: heard.renamed += 1
            case .upToDate: heard.upToDate += 1
            case .arrived: heard.arrived += 1
            }
            heard.waiter?.look(at: heard)
        }
        follower.start()
        return follower
    }

    @Test func reloadsAnUntouchedNoteWithTheCaretKept() async throws {
        try test.store.plant("one\ntwo\n", at: "/a.txt")
        let document = try await open("/a.txt")
        let heard = Heard()
        let follower = follow(document, isDirty: false, heard)
        await test.waitUntil { $0.isConnected }
        try test.store.plant("zero\none\ntwo\n", at: "/a.txt")
        await heard.wait { !$0.reloads.isEmpty }
        #expect(heard.reloads == [TextBuffer("zero\none\ntwo\n")])
        // It is the base of what is typed next.
        try await document.save(TextBuffer("mine"))
        #expect(test.store.contents(of: "/a.txt") == Data("mine".utf8))
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    @Test func saysThatAChangedNoteWasChangedElsewhereToo() async throws {
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt")
        let heard = Heard()
        let follower = follow(document, isDirty: true, heard)
        await test.waitUntil { $0.isConnected }
        try test.store.plant("theirs", at: "/a.txt")
        await heard.wait { $0.changed > 0 }
        #expect(heard.reloads.isEmpty)
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("mine"))
        }
        try test.store.uproot("/a.txt")
        await heard.wait { $0.deleted > 0 }
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    /// Some servers know no hashes: the text of the only new note of that length tells.
    @Test(arguments: [true, false]) func aRenameByAnotherMemberIsFollowed(
        hasHashes: Bool
    ) async throws {
        let test = TestClub(InMemoryStore(hasHashes: hasHashes))
        try test.store.plant("one", at: "/a.txt")
        try test.store.plant("two", at: "/b.txt")
        let document = try await open("/a.txt", in: test)
        let heard = Heard()
        let follower = follow(document, isDirty: false, heard)
        await test.waitUntil { $0.contents.notes.count == 2 }
        _ = try await test.store.move(
            RemotePath(validating: "/a.txt"), to: RemotePath(validating: "/c.txt"))
        await heard.wait { $0.renamed > 0 }
        #expect(document.file?.path == (try RemotePath(validating: "/c.txt")))
        #expect(heard.deleted == 0)
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    /// … and another text of that length is another note.
    @Test func anotherNoteOfThatLengthIsNotTheRenamedOne() async throws {
        let test = TestClub(InMemoryStore(hasHashes: false))
        try test.store.plant("one", at: "/a.txt")
        let document = try await open("/a.txt", in: test)
        let heard = Heard()
        let follower = follow(document, isDirty: false, heard)
        await test.waitUntil { $0.contents.notes.count == 1 }
        try test.store.plant("two", at: "/c.txt")
        try test.store.uproot("/a.txt")
        await heard.wait { $0.deleted > 0 }
        #expect(heard.renamed == 0)
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    /// A listing that began before a save and ends after it reports what the save has replaced.
    @Test func whatASaveHasReplacedIsNotReloaded() async throws {
        try await withLocalCopy { test in
            try test.store.plant("one", at: "/a.txt")
            await test.waitUntil { !$0.contents.notes.isEmpty }
            let document = try await open("/a.txt", in: test)
            try await document.save(TextBuffer("first"))
            let first = try #require(document.file)
            try await document.save(TextBuffer("second"))
            let heard = Heard()
            let follower = follow(document, isDirty: false, heard)
            test.club.record(first)
            try test.store.plant("theirs", at: "/a.txt")
            await heard.wait { !$0.reloads.isEmpty }
            #expect(heard.reloads == [TextBuffer("theirs")])
            #expect(heard.upToDate == 0)
            withExtendedLifetime(follower) {}
        }
    }

    /// An upload that was stopped may have arrived: nobody else has changed the note then.
    @Test func aStoppedSaveThatArrivedIsNobodyElses() async throws {
        let document = try await {
            try test.store.plant("one", at: "/a.txt")
            return try await open("/a.txt")
        }()
        await test.waitUntil { !$0.contents.notes.isEmpty }
        let heard = Heard()
        let follower = follow(document, isDirty: true, heard)
        test.store.hold(.put)
        let saving = Task { try await document.save(TextBuffer("mine")) }
        await test.store.waitForCalls(of: .put, count: 1)
        saving.cancel()
        _ = await saving.result
        test.store.release(.put)
        try test.store.plant("mine", at: "/a.txt")
        await heard.wait { $0.arrived > 0 }
        #expect(heard.changed == 0)
        #expect(document.savedText == TextBuffer("mine"))
        try await document.save(TextBuffer("mine, too"))
        #expect(test.store.contents(of: "/a.txt") == Data("mine, too".utf8))
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    /// Who has pressed Done wants to close the note, and not to wait a minute for a server that hangs.
    @Test func aTextForASilentServerWaitsHere() async throws {
        try await withLocalCopy { test in
            try test.store.plant("one", at: "/a.txt")
            await test.waitUntil { !$0.contents.notes.isEmpty }
            let document = try await open("/a.txt", in: test)
            test.store.hold(.put)
            let saving = Task { try await document.save(TextBuffer("mine")) }
            await test.store.waitForCalls(of: .put, count: 1)
            test.store.reportSilence(of: .seconds(5))
            #expect(document.isSaving)
            test.store.reportSilence(of: .seconds(10))
            try await saving.value
            #expect(document.isWaiting)
            test.store.release(.put)
            await test.waitUntil { $0.waiting.isEmpty && !document.isSaving }
            #expect(test.store.contents(of: "/a.txt") == Data("mine".utf8))
        }
    }

    /// A call that ends does not take the message of another one along, nor leaves its own.
    @Test func theMessageOfAWaitGoesWithTheLastCallThatWaits() async throws {
        try await withLocalCopy { test in
            var reported: [String] = []
            let (events, continuation) = AsyncStream.makeStream(of: String.self)
            var heard = events.makeAsyncIterator()
            test.club.handlers.willRetry = { _ in continuation.yield("waits") }
            test.club.handlers.didStopWaiting = { continuation.yield("answered") }
            func wait(for path: String) -> Task<Void, any Error> {
                Task {
                    try await test.club.perform { store throws(StoreError) in
                        RetryNotice.observer?(RetryNotice(reason: .busy, wait: .seconds(3)))
                        _ = try await store.metadata(of: RemotePath(validating: path))
                    }
                }
            }
            try test.store.plant("one", at: "/a.txt")
            test.store.hold(.metadata)
            let first = wait(for: "/a.txt")
            reported.append(await heard.next() ?? "")
            let second = wait(for: "/a.txt")
            reported.append(await heard.next() ?? "")
            second.cancel()
            _ = await second.result
            test.store.release(.metadata)
            _ = await first.result
            reported.append(await heard.next() ?? "")
            #expect(reported == ["waits", "waits", "answered"])
        }
    }

    /// A new note “Plan” that is being sent, until the store's `put` is released.
    private func saveWithoutAnswer(
        in test: TestClub
    ) async -> (document: NoteDocument, saving: Task<Void, any Error>) {
        await test.waitUntil { $0.isConnected }
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "Plan"
        test.store.hold(.put)
        let saving = Task { try await document.save(TextBuffer("mine")) }
        await test.store.waitForCalls(of: .put, count: 1)
        return (document, saving)
    }

    /// The answer is held back, and the list shows the note that was sent: its name is not taken by somebody else.
    @Test func aNewNoteThatArrivedWithoutAnAnswerIsKept() async throws {
        try await withLocalCopy { test in
            let (document, saving) = await saveWithoutAnswer(in: test)
            try test.store.plant("mine", at: "/Plan.txt")
            await test.waitUntil { !$0.contents.notes.isEmpty }
            test.store.reportSilence(of: .seconds(10))
            try await saving.value
            #expect(document.isWaiting)
            test.store.release(.put)
            await test.waitUntil { $0.waiting.isEmpty }
            #expect(test.club.contents.notes.map(\.name) == ["Plan.txt"])
        }
    }

    /// Somebody else's note has the name meanwhile: the open text is the one beside it, and not theirs.
    @Test func aWaitingNoteThatIsSentBesideAnotherIsFollowed() async throws {
        try await withLocalCopy { test in
            let (document, saving) = await saveWithoutAnswer(in: test)
            test.store.reportSilence(of: .seconds(10))
            try await saving.value
            let heard = Heard()
            let follower = follow(document, isDirty: false, heard)
            try test.store.plant("theirs", at: "/Plan.txt")
            test.store.release(.put)
            try await eventually("the note beside it") { @MainActor in
                document.file?.name == "Plan (my version).txt"
            }
            #expect(heard.reloads.isEmpty)
            try await document.save(TextBuffer("mine, too"))
            #expect(test.store.contents(of: "/Plan.txt") == Data("theirs".utf8))
            #expect(test.store.contents(of: "/Plan (my version).txt") == Data("mine, too".utf8))
            withExtendedLifetime(follower) {}
        }
    }

    /// What one has sent oneself since the draft was kept is nobody else's change.
    @Test func aDraftOfWhatWasSentMeanwhileIsUpToDate() async throws {
        try await withLocalCopy { test in
            let old = try test.store.plant("mine", at: "/a.txt")
            await test.club.local?.run { try? $0.keep([(old, Data("mine".utf8))]) }
            // The same text under a newer state, as after an outbox that went out.
            try test.store.plant("other", at: "/a.txt")
            let now = try test.store.plant("mine", at: "/a.txt")
            #expect(now.revision != old.revision)
            let draft = Draft(
                name: "a.txt", path: "/a.txt", baseRevision: old.revision.rawValue,
                baseContentHash: old.contentHash, savedAt: Date(), text: Data("mine, typed".utf8))
            try test.drafts.save(draft, sequence: 1)
            test.drafts.release(draft.id)
            let document = try #require(
                NoteDocument(club: test.club, drafts: test.drafts, resuming: draft))
            let heard = Heard()
            let follower = follow(document, isDirty: true, heard)
            await test.waitUntil { $0.isConnected }
            await heard.wait { $0.upToDate > 0 }
            #expect(document.file?.revision == now.revision)
            #expect(heard.changed == 0)
            withExtendedLifetime(follower) {}
        }
    }

    @Test func offersOneTextOfBoth() async throws {
        try test.store.plant("a\nb\nc\n", at: "/a.txt")
        let document = try await open("/a.txt")
        try test.store.plant("a\nb\nC\nd\n", at: "/a.txt")
        guard case .mergeable(let merge) = await document.conflict(with: TextBuffer("A\nb\nc\n"))
        else {
            Issue.record("The two changes fit together.")
            return
        }
        #expect(merge.merged == TextBuffer("A\nb\nC\nd\n"))
        #expect(merge.incoming == [2..<4])
        document.adopt(merge.file, text: merge.theirs)
        try await document.save(merge.merged)
        #expect(test.store.contents(of: "/a.txt") == Data("A\nb\nC\nd\n".utf8))
    }
}
