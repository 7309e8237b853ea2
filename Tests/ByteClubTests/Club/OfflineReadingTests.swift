import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// What is shown of a club that was seen before, and how it is brought up to date.
@MainActor @Suite struct OfflineReadingTests {
    private let home = OfflineHome()

    @Test func whatWasSeenIsThereBeforeTheClubIsAsked() async throws {
        try home.store.plant("one", at: "/a.txt")
        try home.store.plant("jpeg", at: "/photos/b.jpg")
        await home.visit()

        let test = home.makeClub()
        home.store.hold(.changes)
        await test.waitUntil { !$0.contents.notes.isEmpty }
        #expect(!test.club.isConnected)
        #expect(test.club.contents.photos.count == 1)
        let note = try #require(test.club.contents.notes.first)
        #expect(try await NoteTexts(club: test.club).text(of: note).text == TextBuffer("one"))
        home.store.release(.changes)
        test.club.stop()
    }

    @Test func whatIsHereIsBroughtUpToDateWithoutAList() async throws {
        for name in ["a", "b", "c"] { try home.store.plant(name, at: "/\(name).txt") }
        await home.visit()
        try home.store.plant("d", at: "/d.txt")
        try home.store.uproot("/a.txt")
        let before = home.store.calls.count

        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        #expect(test.club.contents.notes.map(\.name) == ["b.txt", "c.txt", "d.txt"])
        #expect(!home.store.calls.dropFirst(before).contains { $0.operation == .list })
        // What the person asks for is the whole list.
        test.club.refresh()
        await test.waitUntil { _ in
            home.store.calls.dropFirst(before).contains { $0.operation == .list }
        }
        test.club.stop()
    }

    @Test func afterALostConnectionItGoesOnWhereItWas() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let before = home.store.calls.count
        home.store.failNext(.changes, with: .offline)
        try home.store.plant("a", at: "/a.txt")
        await test.waitUntil { $0.hasFailed }
        await test.waitUntil { $0.isConnected && $0.contents.notes.count == 1 }
        #expect(!home.store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    /// Dropbox has one file then, and does not say that the old name is gone.
    @Test func anotherSpellingOfANameBringsTheWholeList() async throws {
        try home.store.plant("a", at: "/note.txt")
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let before = home.store.calls.count
        try home.store.plant("a", at: "/Note.txt")
        await test.waitUntil { $0.contents.notes.count == 2 }
        #expect(home.store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    /// Another member has written after us, and that was told before our answer came.
    @Test func aLateAnswerDoesNotHideANewerState() async throws {
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let ours = try home.store.plant("ours", at: "/a.txt")
        try await test.club.perform { _ throws(StoreError) in
            try home.store.plant("theirs, later", at: "/a.txt")
            await test.waitUntil { $0.contents.notes.first?.byteCount == 13 }
        }
        test.club.record(ours)
        #expect(test.club.contents.notes.first?.byteCount == 4)
        await test.waitUntil { $0.contents.notes.first?.byteCount == 13 }
        // What was deleted meanwhile does not come back.
        try await test.club.perform { _ throws(StoreError) in
            try home.store.uproot("/a.txt")
            await test.waitUntil { $0.contents.notes.isEmpty }
        }
        test.club.record(ours)
        await test.waitUntil { $0.contents.notes.isEmpty }
        test.club.stop()
    }

    @Test func aListThatIsDaysOldIsListedAgain() async throws {
        try home.store.plant("a", at: "/a.txt")
        let copy = LocalCopy(folder: home.folder)
        let listing = try await home.store.list(.root, recursive: true)
        try copy.replaceListing(with: listing, at: Date(timeIntervalSinceNow: -90_000))
        let before = home.store.calls.count
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        #expect(home.store.calls.dropFirst(before).contains { $0.operation == .list })
        test.club.stop()
    }

    @Test func aCursorThatTheClubHasForgottenIsNoLoss() async throws {
        try home.store.plant("a", at: "/a.txt")
        await home.visit()
        home.store.forgetCursors()
        try home.store.plant("b", at: "/b.txt")
        try home.store.uproot("/a.txt")
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        #expect(test.club.contents.notes.map(\.name) == ["b.txt"])
        test.club.stop()
    }

    @Test func textsComeHereInTheBackground() async throws {
        for number in 0..<40 { try home.store.plant("text \(number)", at: "/\(number).txt") }
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let notes = test.club.contents.notes
        await home.store.waitForCalls(of: .fetch, count: notes.count)
        // The last ones are written to the disk before it ends.
        await test.club.incoming.task?.value
        #expect(notes.count == 40)
        #expect(await test.club.local?.run { try $0.missingTexts(among: notes).count } == 0)
        test.club.stop()
        #expect(test.activity.count == 0)
    }

    /// A server that has just started, or whose disk is not there yet, lists nothing for a moment.
    @Test func anEmptyListingIsAskedForTwice() async throws {
        try home.store.plant("words", at: "/a.txt")
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        home.store.listNothingNext()
        test.club.refresh()
        await test.waitUntil { $0.isConnected && $0.known.listingCount > 1 }
        #expect(test.club.contents.notes.count == 1)
        let deleted = await test.club.local?.run { try $0.deletions() }
        #expect(deleted?.isEmpty == true)
        test.club.stop()
    }

    @Test func anEmptyListingTakesNoTextAway() async throws {
        try home.store.plant("words", at: "/a.txt")
        await home.visit()
        let liar = InMemoryStore()
        let test = TestClub(liar, library: home.folder)
        await test.waitUntil { $0.isConnected && $0.contents.notes.isEmpty }
        let path = try RemotePath(validating: "/a.txt")
        let versions = await test.club.local?.run { try $0.versions(of: path) }
        #expect(versions?.count == 1)
        test.club.stop()
    }
}
