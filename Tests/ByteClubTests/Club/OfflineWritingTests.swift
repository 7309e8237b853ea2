import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// What waits in the outbox for a club that cannot be reached.
@MainActor @Suite struct OfflineWritingTests {
    private let home = OfflineHome()

    /// A command that has found no connection leaves a change in the outbox of an app that has one.
    @Test func whatTheShellQueuesIsSentByTheApp() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        do {
            let shell = LocalCopy(folder: home.folder)
            let path = try RemotePath(validating: "/a.txt")
            _ = try shell.enqueue(.write(Data("words".utf8), at: path, mode: .add))
        }
        await test.waitUntil {
            $0.contents.notes.first?.revision.waitingChange == nil && home.text("/a.txt") != nil
        }
        #expect(home.text("/a.txt") == "words")
        test.club.stop()
    }

    @Test func whatTheShellHasQueuedMeanwhileIsSentToo() async throws {
        home.store.failNext(.list, with: .offline)
        let test = home.makeClub()
        await test.waitUntil { $0.hasFailed }
        #expect(test.club.waiting.isEmpty)
        let path = try RemotePath(validating: "/own.txt")
        try LocalCopy(folder: home.folder).enqueue(.write(Data("words".utf8), at: path, mode: .add))
        test.club.refresh()
        await test.waitUntil {
            $0.isConnected && $0.waiting.isEmpty && $0.contents.notes.count == 1
        }
        #expect(home.store.contents(of: "/own.txt") == Data("words".utf8))
        test.club.stop()
    }

    /// The club says so only minutes later: until then the list would show what was there before, and the next save
    /// would replace what was sent.
    @Test func whatAnotherProgramHasSentIsShownAtOnce() async throws {
        try home.store.plant("old", at: "/a.txt")
        await home.visit()
        home.cutOff()
        let test = home.makeClub()
        await test.waitUntil { $0.hasFailed }
        let note = try #require(test.club.contents.notes.first)
        _ = try await test.club.write(
            TextBuffer("mine"), at: note.path, mode: .update(note.revision, contentHash: nil))
        let waiting = try #require(test.club.waiting.first)
        do {
            let other = LocalCopy(folder: home.folder)
            let change = try #require(try other.beginSending(waiting.id))
            let sent = RemoteFile(
                path: note.path, revision: Revision(rawValue: "sent"), byteCount: 4,
                modified: Date(timeIntervalSince1970: 1))
            try other.complete(change, with: sent)
        }
        await test.waitUntil { $0.waiting.isEmpty }
        #expect(!test.club.isConnected)
        #expect(test.club.contents.notes.map(\.revision.rawValue) == ["sent"])
        await test.waitUntil { _ in !home.store.confirmed.isEmpty }
        #expect(home.store.confirmed == [note.path])
        test.club.stop()
    }

    @Test func aNoteWrittenOfflineArrivesWhenTheClubIsBack() async throws {
        try home.store.plant("one", at: "/a.txt")
        await home.visit()
        home.cutOff()
        let test = home.makeClub()
        await test.waitUntil { $0.hasFailed }

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
        let next = TestClub(back, library: home.folder)
        await next.waitUntil { $0.contents.notes.count == 2 }
        #expect(next.club.waiting.count == 2)
        back.release(.list)
        await next.waitUntil { $0.isConnected && $0.waiting.isEmpty }
        #expect(back.contents(of: "/plan.txt") == Data("more words".utf8))
        next.club.stop()
    }

    @Test func aSaveThatFindsNobodyWaits() async throws {
        try home.store.plant("one", at: "/a.txt")
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let found = try await NoteTexts(club: test.club).text(
            of: try #require(test.club.contents.notes.first))
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, file: found.file, text: found.text)
        home.store.failNext(.put, with: .offline)
        try await document.save(TextBuffer("two"))
        #expect(document.isWaiting)
        await test.waitUntil { $0.isConnected && $0.waiting.isEmpty }
        #expect(home.text("/a.txt") == "two")
        // The editor goes on from what the club has now.
        try await document.save(TextBuffer("three"))
        #expect(!document.isWaiting)
        #expect(home.text("/a.txt") == "three")
        test.club.stop()
    }

    @Test func aRefusalIsNoReasonToWait() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let document = NoteDocument(club: test.club, drafts: test.drafts)
        document.name = "plan"
        home.store.failNext(.put, with: .overQuota)
        await #expect(throws: NoteDocument.SaveFailure.self) {
            try await document.save(TextBuffer("words"))
        }
        #expect(test.club.waiting.isEmpty)
        test.club.stop()
    }

    /// It comes after the sender's last look into the outbox, and before the sending has ended.
    @Test func whatIsAddedAtTheLastMomentIsSentToo() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let folder = home.folder
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
        await test.waitUntil { _ in late.isDone && home.store.contents(of: "/b.txt") != nil }
        #expect(home.text("/a.txt") == "a")
        test.club.stop()
    }

    @Test func aClubThatWasLeftStaysLeft() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        home.store.hold(.put)
        home.store.failNext(.put, with: .offline)
        try await test.club.enqueue(
            .write(Data("a".utf8), at: RemotePath(validating: "/a.txt"), mode: .add), because: nil)
        let sending = try #require(test.club.outgoing.task)
        test.club.leave()
        home.store.release(.put)
        await sending.value
        #expect(test.club.polling.watching == nil && test.club.outgoing.task == nil)
        test.club.sendWaiting()
        test.club.connectionDidFail(StoreError(.offline, during: .put))
        #expect(test.club.polling.watching == nil && test.club.outgoing.task == nil)
        #expect(test.club.waiting.map(\.problem) == [nil])
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
