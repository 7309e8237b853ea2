import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TestSupport
import Testing
import TextEditing

@testable import ByteClub

@MainActor @Suite struct OfflineTests {
    let store = InMemoryStore()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("offline-\(UUID().uuidString)", isDirectory: true)

    private func makeClub() -> TestClub { TestClub(store, library: folder) }

    private func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    /// So many attempts fail that no test sees the end of them.
    private func cutOff() {
        let operations: [StoreError.Operation] = [
            .list, .changes, .put, .fetch, .delete, .move, .metadata,
        ]
        for operation in operations {
            for _ in 0..<200 { store.failNext(operation, with: .offline) }
        }
    }

    private func text(_ path: String) -> String? {
        store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func isConnected(_ club: Club) -> Bool {
        if case .connected = club.connection { true } else { false }
    }

    private func isFailed(_ club: Club) -> Bool {
        if case .failed = club.connection { true } else { false }
    }

    /// A command that has found no connection leaves a change in the outbox of an app that has one.
    @Test func whatTheShellQueuesIsSentByTheApp() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        do {
            let shell = LocalCopy(folder: folder)
            let path = try RemotePath(validating: "/a.txt")
            _ = try shell.enqueue(.write(Data("words".utf8), at: path, mode: .add))
        }
        await test.waitUntil {
            $0.contents.notes.first?.revision.waitingChange == nil && text("/a.txt") != nil
        }
        #expect(text("/a.txt") == "words")
        test.club.stop()
    }

    /// The club says so only minutes later: until then the list would show what was there before, and the next save
    /// would replace what was sent.
    @Test func whatAnotherProgramHasSentIsShownAtOnce() async throws {
        defer { cleanUp() }
        try store.plant("old", at: "/a.txt")
        await visit()
        cutOff()
        let test = makeClub()
        await test.waitUntil { isFailed($0) }
        let note = try #require(test.club.contents.notes.first)
        _ = try await test.club.write(
            TextBuffer("mine"), at: note.path, mode: .update(note.revision, contentHash: nil))
        let waiting = try #require(test.club.waiting.first)
        do {
            let other = LocalCopy(folder: folder)
            let change = try #require(try other.beginSending(waiting.id))
            let sent = RemoteFile(
                path: note.path, revision: Revision(rawValue: "sent"), byteCount: 4,
                modified: Date(timeIntervalSince1970: 1))
            try other.complete(change, with: sent)
        }
        await test.waitUntil { $0.waiting.isEmpty }
        #expect(!isConnected(test.club))
        #expect(test.club.contents.notes.map(\.revision.rawValue) == ["sent"])
        await test.waitUntil { _ in !store.confirmed.isEmpty }
        #expect(store.confirmed == [note.path])
        test.club.stop()
    }

    /// A run of the app that has seen all and ended.
    private func visit() async {
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let texts = NoteTexts(club: test.club)
        for note in test.club.contents.notes { _ = try? await texts.text(of: note) }
        test.club.stop()
        await test.club.local?.finish()
    }

    /// A club that cannot be reached, and a note that was deleted in it.
    private func deleteWhileCutOff() async throws -> (TestClub, RemoteFile) {
        try store.plant("words", at: "/a.txt")
        await visit()
        cutOff()
        let test = makeClub()
        await test.waitUntil { isFailed($0) }
        let note = try #require(test.club.contents.notes.first)
        _ = try await test.club.deleteNote(note)
        return (test, note)
    }

    @Test func whatWasSeenIsThereBeforeTheClubIsAsked() async throws {
        defer { cleanUp() }
        try store.plant("one", at: "/a.txt")
        try store.plant("jpeg", at: "/photos/b.jpg")
        await visit()

        let test = makeClub()
        store.hold(.changes)
        await test.waitUntil { !$0.contents.notes.isEmpty }
        #expect(!isConnected(test.club))
        #expect(test.club.contents.photos.count == 1)
        let note = try #require(test.club.contents.notes.first)
        #expect(try await NoteTexts(club: test.club).text(of: note).text == TextBuffer("one"))
        store.release(.changes)
        test.club.stop()
    }

    @Test func whatIsHereIsBroughtUpToDateWithoutAList() async throws {
        defer { cleanUp() }
        for name in ["a", "b", "c"] { try store.plant(name, at: "/\(name).txt") }
        await visit()
        try store.plant("d", at: "/d.txt")
        try store.uproot("/a.txt")
        let before = store.calls.count

        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        #expect(test.club.contents.notes.map(\.name) == ["b.txt", "c.txt", "d.txt"])
        #expect(!store.calls.dropFirst(before).contains { $0.operation == .list })
        // What the person asks for is the whole list.
        test.club.refresh()
        await test.waitUntil { _ in
            store.calls.dropFirst(before).contains { $0.operation == .list }
        }
        test.club.stop()
    }

    @Test func afterALostConnectionItGoesOnWhereItWas() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let before = store.calls.count
        store.failNext(.changes, with: .offline)
        try store.plant("a", at: "/a.txt")
        await test.waitUntil { isFailed($0) }
        await test.waitUntil { isConnected($0) && $0.contents.notes.count == 1 }
        #expect(!store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    /// Dropbox has one file then, and does not say that the old name is gone.
    @Test func anotherSpellingOfANameBringsTheWholeList() async throws {
        defer { cleanUp() }
        try store.plant("a", at: "/note.txt")
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let before = store.calls.count
        try store.plant("a", at: "/Note.txt")
        await test.waitUntil { $0.contents.notes.count == 2 }
        #expect(store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    /// Another member has written after us, and that was told before our answer came.
    @Test func aLateAnswerDoesNotHideANewerState() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let ours = try store.plant("ours", at: "/a.txt")
        try await test.club.perform { _ throws(StoreError) in
            try store.plant("theirs, later", at: "/a.txt")
            await test.waitUntil { $0.contents.notes.first?.byteCount == 13 }
        }
        test.club.record(ours)
        #expect(test.club.contents.notes.first?.byteCount == 4)
        await test.waitUntil { $0.contents.notes.first?.byteCount == 13 }
        // What was deleted meanwhile does not come back.
        try await test.club.perform { _ throws(StoreError) in
            try store.uproot("/a.txt")
            await test.waitUntil { $0.contents.notes.isEmpty }
        }
        test.club.record(ours)
        await test.waitUntil { $0.contents.notes.isEmpty }
        test.club.stop()
    }

    @Test func aListThatIsDaysOldIsListedAgain() async throws {
        defer { cleanUp() }
        try store.plant("a", at: "/a.txt")
        let copy = LocalCopy(folder: folder)
        let listing = try await store.list(.root, recursive: true)
        try copy.replaceListing(with: listing, at: Date(timeIntervalSinceNow: -90_000))
        let before = store.calls.count
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        #expect(store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    @Test func aCursorThatTheClubHasForgottenIsNoLoss() async throws {
        defer { cleanUp() }
        try store.plant("a", at: "/a.txt")
        await visit()
        store.forgetCursors()
        try store.plant("b", at: "/b.txt")
        try store.uproot("/a.txt")
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        #expect(test.club.contents.notes.map(\.name) == ["b.txt"])
        test.club.stop()
    }

    @Test func textsComeHereInTheBackground() async throws {
        defer { cleanUp() }
        for number in 0..<40 { try store.plant("text \(number)", at: "/\(number).txt") }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let notes = test.club.contents.notes
        await store.waitForCalls(of: .fetch, count: notes.count)
        // The last ones are written to the disk before it ends.
        await test.club.incoming.task?.value
        #expect(notes.count == 40)
        #expect(await test.club.local?.run { try $0.missingTexts(among: notes).count } == 0)
        test.club.stop()
        #expect(test.activity.count == 0)
    }

    @Test func aNoteWrittenOfflineArrivesWhenTheClubIsBack() async throws {
        defer { cleanUp() }
        try store.plant("one", at: "/a.txt")
        await visit()
        cutOff()
        let test = makeClub()
        await test.waitUntil { isFailed($0) }

        let new = NoteDocument(club: test.club, drafts: test.drafts)
        new.name = "plan"
        try await new.save(TextBuffer("words"))
        #expect(new.isWaiting)
        try await new.save(TextBuffer("more words"))
        let old = try #require(test.club.contents.notes.first { $0.name == "a.txt" })
        let (file, seen) = try await NoteTexts(club: test.club).text(of: old)
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, file: file, text: seen)
        try await document.save(TextBuffer("two"))
        #expect(test.club.waiting.count == 2)
        #expect(test.club.contents.notes.map(\.name) == ["a.txt", "plan.txt"])
        test.club.stop()
        await test.club.local?.finish()

        // The next run shows it before anybody is asked, and sends it when somebody answers.
        let back = InMemoryStore()
        try back.plant("one", at: "/a.txt")
        back.hold(.list)
        let next = TestClub(back, library: folder)
        await next.waitUntil { $0.contents.notes.count == 2 }
        #expect(next.club.waiting.count == 2)
        back.release(.list)
        await next.waitUntil { isConnected($0) && $0.waiting.isEmpty }
        #expect(back.contents(of: "/plan.txt") == Data("more words".utf8))
        next.club.stop()
    }

    @Test func aSaveThatFindsNobodyWaits() async throws {
        defer { cleanUp() }
        try store.plant("one", at: "/a.txt")
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let found = try await NoteTexts(club: test.club).text(
            of: try #require(test.club.contents.notes.first))
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, file: found.file, text: found.text)
        store.failNext(.put, with: .offline)
        try await document.save(TextBuffer("two"))
        #expect(document.isWaiting)
        await test.waitUntil { isConnected($0) && $0.waiting.isEmpty }
        #expect(text("/a.txt") == "two")
        // The editor goes on from what the club has now.
        try await document.save(TextBuffer("three"))
        #expect(!document.isWaiting)
        #expect(text("/a.txt") == "three")
        test.club.stop()
    }

    @Test func aRefusalIsNoReasonToWait() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        store.failNext(.put, with: .overQuota)
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("words"))
        }
        #expect(test.club.waiting.isEmpty)
        test.club.stop()
    }

    @Test func whatWasDeletedComesBackAfterARestart() async throws {
        defer { cleanUp() }
        try store.plant("words", at: "/a.txt")
        await visit()
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let note = try #require(test.club.contents.notes.first)
        let deleted = try await test.club.deleteNote(note)
        #expect(deleted.isKept == true && deleted.data == nil)
        #expect(text("/a.txt") == nil)
        test.club.stop()
        await test.club.local?.finish()

        let next = makeClub()
        await next.waitUntil { isConnected($0) }
        // Somebody has taken the name meanwhile.
        try store.plant("theirs", at: "/a.txt")
        let file = try await next.club.restoreNote(at: note.path, note.revision, nil)
        #expect(file.name == "a (my version).txt")
        #expect(text("/a (my version).txt") == "words")
        next.club.stop()
    }

    @Test func whatTheShellHasQueuedMeanwhileIsSentToo() async throws {
        defer { cleanUp() }
        store.failNext(.list, with: .offline)
        let test = makeClub()
        await test.waitUntil { isFailed($0) }
        #expect(test.club.waiting.isEmpty)
        let path = try RemotePath(validating: "/own.txt")
        try LocalCopy(folder: folder).enqueue(.write(Data("words".utf8), at: path, mode: .add))
        test.club.refresh()
        await test.waitUntil {
            isConnected($0) && $0.waiting.isEmpty && $0.contents.notes.count == 1
        }
        #expect(store.contents(of: "/own.txt") == Data("words".utf8))
        test.club.stop()
    }

    @Test func whatWasDeletedOfflineIsSimplyTakenBack() async throws {
        defer { cleanUp() }
        let (test, note) = try await deleteWhileCutOff()
        #expect(test.club.waiting.count == 1)
        #expect(test.club.contents.notes.isEmpty)
        let file = try await test.club.restoreNote(at: note.path, note.revision, nil)
        #expect(file == note)
        #expect(test.club.waiting.isEmpty)
        #expect(test.club.contents.notes == [note])
        test.club.stop()
    }

    @Test func whatWaitsToBeDeletedIsInTheTrash() async throws {
        defer { cleanUp() }
        let (test, note) = try await deleteWhileCutOff()
        let items = await test.club.trash()
        #expect(items.map(\.file.path) == [note.path])
        #expect(items.first?.isOwn == true)
        let item = try #require(items.first)
        #expect(try await test.club.text(of: item) == Data("words".utf8))
        #expect(try await test.club.bringBack(item) == note)
        #expect(test.club.waiting.isEmpty)
        #expect(await test.club.trash().isEmpty)
        test.club.stop()
    }

    @Test func anEditThatWaitedComesBackWithItsNote() async throws {
        defer { cleanUp() }
        try store.plant("one", at: "/a.txt")
        await visit()
        cutOff()
        let test = makeClub()
        await test.waitUntil { isFailed($0) }
        let note = try #require(test.club.contents.notes.first)
        let edited = try await test.club.write(
            TextBuffer("two"), at: note.path, mode: .update(note.revision, contentHash: nil)
        ).file
        _ = try await test.club.deleteNote(edited)
        #expect(test.club.waiting.map(\.action) == [.delete])
        let back = try await test.club.restoreNote(at: edited.path, edited.revision, nil)
        #expect(test.club.contents[edited.path] == back)
        let text = await test.club.local?.run { copy in
            try copy.waitingChanges().last.flatMap { try copy.text(ofChange: $0.id) }
        }
        #expect(text == Data("two".utf8))
        #expect(test.club.waiting.last?.baseState?.revision == note.revision)
        test.club.stop()
    }

    /// A deletion takes the place of a save that was not sent; the text saved last is what was deleted.
    @Test(arguments: [false, true])
    func theTrashHasTheTextThatWasNotSent(isSent: Bool) async throws {
        defer { cleanUp() }
        let note = try store.plant("one", at: "/a.txt")
        await visit()
        if !isSent { cutOff() }
        let copy = LocalCopy(folder: folder)
        var shown = note
        for text in ["two", "three"] {
            let saved = try copy.enqueue(
                .write(
                    Data(text.utf8), at: note.path,
                    mode: .update(shown.revision, contentHash: shown.contentHash)))
            shown = try #require(saved)
        }
        try copy.enqueue(.delete(shown))
        let test = makeClub()
        await test.waitUntil {
            isSent ? $0.waiting.isEmpty && store.contents(of: "/a.txt") == nil : isFailed($0)
        }
        await test.club.local?.finish()
        let items = await test.club.trash()
        #expect(items.map(\.file.path) == [note.path])
        let item = try #require(items.first)
        #expect(try await test.club.text(of: item) == Data("three".utf8))
        _ = try await test.club.bringBack(item)
        if isSent {
            #expect(text("/a.txt") == "three")
        } else {
            let waiting = await test.club.local?.run { copy in
                try copy.waitingChanges().last.flatMap { try copy.text(ofChange: $0.id) }
            }
            #expect(waiting == Data("three".utf8))
        }
        test.club.stop()
    }

    @Test func aTextThatWasTakenBackIsNotInTheTrash() async throws {
        defer { cleanUp() }
        let note = try store.plant("one", at: "/a.txt")
        await visit()
        cutOff()
        let copy = LocalCopy(folder: folder)
        _ = try copy.enqueue(
            .write(
                Data("discarded".utf8), at: note.path,
                mode: .update(note.revision, contentHash: note.contentHash)))
        for change in try copy.waitingChanges() { try copy.takeBack(change.id) }
        try copy.enqueue(.delete(note))
        let test = makeClub()
        await test.waitUntil { isFailed($0) }
        let item = try #require(await test.club.trash().first)
        #expect(try await test.club.text(of: item) == Data("one".utf8))
        #expect(try await test.club.bringBack(item) == note)
        test.club.stop()
    }

    /// It comes after the sender's last look into the outbox, and before the sending has ended.
    @Test func whatIsAddedAtTheLastMomentIsSentToo() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        let folder = folder
        let late = LateWriter {
            let copy = LocalCopy(folder: folder)
            try copy.enqueue(
                .write(Data("b".utf8), at: RemotePath(validating: "/b.txt"), mode: .add))
            return try copy.waitingChanges()
        }
        test.club.handlers.didSync = { _ in late.isSent = true }
        test.club.addObserver(late)
        try await test.club.enqueue(
            .write(Data("a".utf8), at: RemotePath(validating: "/a.txt"), mode: .add), because: nil)
        await test.waitUntil { _ in late.isDone && store.contents(of: "/b.txt") != nil }
        #expect(text("/a.txt") == "a")
        test.club.stop()
    }

    @Test func aClubThatWasLeftStaysLeft() async throws {
        defer { cleanUp() }
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        store.hold(.put)
        store.failNext(.put, with: .offline)
        try await test.club.enqueue(
            .write(Data("a".utf8), at: RemotePath(validating: "/a.txt"), mode: .add), because: nil)
        let sending = try #require(test.club.outgoing.task)
        test.club.leave()
        store.release(.put)
        await sending.value
        #expect(test.club.polling.watching == nil && test.club.outgoing.task == nil)
        test.club.sendWaiting()
        test.club.connectionDidFail(StoreError(.offline, during: .put))
        #expect(test.club.polling.watching == nil && test.club.outgoing.task == nil)
        #expect(test.club.waiting.map(\.problem) == [nil])
    }

    /// A server that has just started, or whose disk is not there yet, lists nothing for a moment.
    @Test func anEmptyListingIsAskedForTwice() async throws {
        defer { cleanUp() }
        try store.plant("words", at: "/a.txt")
        let test = makeClub()
        await test.waitUntil { isConnected($0) }
        store.listNothingNext()
        test.club.refresh()
        await test.waitUntil { isConnected($0) && $0.known.listingCount > 1 }
        #expect(test.club.contents.notes.count == 1)
        let deleted = await test.club.local?.run { try $0.deletions() }
        #expect(deleted?.isEmpty == true)
        test.club.stop()
    }

    @Test func anEmptyListingTakesNoTextAway() async throws {
        defer { cleanUp() }
        try store.plant("words", at: "/a.txt")
        await visit()
        let liar = InMemoryStore()
        let test = TestClub(liar, library: folder)
        await test.waitUntil { isConnected($0) && $0.contents.notes.isEmpty }
        let path = try RemotePath(validating: "/a.txt")
        let versions = await test.club.local?.run { try $0.versions(of: path) }
        #expect(versions?.count == 1)
        test.club.stop()
    }
}

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
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
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
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
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
        await test.waitUntil { if case .connected = $0.connection { true } else { false } }
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
            await test.waitUntil { if case .connected = $0.connection { true } else { false } }
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

/// Adds a change while the sending that has just sent another one comes to its end.
@MainActor private final class LateWriter: ClubObserver {
    var isSent = false
    private(set) var isDone = false
    private let add: () throws -> [WaitingChange]

    init(_ add: @escaping () throws -> [WaitingChange]) { self.add = add }

    func clubDidChange(_ club: Club) {
        guard isSent, !isDone, club.outgoing.task != nil, let waiting = try? add() else { return }
        isDone = true
        club.waiting = waiting
        club.sendWaiting()
    }
}
