import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// What is deleted while the club cannot be reached, and what of it comes back.
@MainActor @Suite struct OfflineTrashTests {
    private let home = OfflineHome()

    @Test func whatWasDeletedComesBackAfterARestart() async throws {
        try home.store.plant("words", at: "/a.txt")
        await home.visit()
        let test = home.makeClub()
        await test.waitUntil { $0.isConnected }
        let note = try #require(test.club.contents.notes.first)
        let deleted = try await test.club.deleteNote(note)
        #expect(deleted.isKept == true && deleted.data == nil)
        #expect(home.text("/a.txt") == nil)
        test.club.stop()
        await test.club.local?.finish()

        let next = home.makeClub()
        await next.waitUntil { $0.isConnected }
        // Somebody has taken the name meanwhile.
        try home.store.plant("theirs", at: "/a.txt")
        let file = try await next.club.restoreNote(at: note.path, note.revision, nil)
        #expect(file.name == "a (my version).txt")
        #expect(home.text("/a (my version).txt") == "words")
        next.club.stop()
    }

    @Test func whatWasDeletedOfflineIsSimplyTakenBack() async throws {
        let (test, note) = try await home.deleteWhileCutOff()
        #expect(test.club.waiting.count == 1)
        #expect(test.club.contents.notes.isEmpty)
        let file = try await test.club.restoreNote(at: note.path, note.revision, nil)
        #expect(file == note)
        #expect(test.club.waiting.isEmpty)
        #expect(test.club.contents.notes == [note])
        test.club.stop()
    }

    @Test func whatWaitsToBeDeletedIsInTheTrash() async throws {
        let (test, note) = try await home.deleteWhileCutOff()
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
        try home.store.plant("one", at: "/a.txt")
        await home.visit()
        home.cutOff()
        let test = home.makeClub()
        await test.waitUntil { $0.hasFailed }
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
        let note = try home.store.plant("one", at: "/a.txt")
        await home.visit()
        if !isSent { home.cutOff() }
        let copy = LocalCopy(folder: home.folder)
        var shown = note
        for text in ["two", "three"] {
            let saved = try copy.enqueue(
                .write(
                    Data(text.utf8), at: note.path,
                    mode: .update(shown.revision, contentHash: shown.contentHash)))
            shown = try #require(saved)
        }
        try copy.enqueue(.delete(shown))
        let test = home.makeClub()
        await test.waitUntil {
            isSent ? $0.waiting.isEmpty && home.store.contents(of: "/a.txt") == nil : $0.hasFailed
        }
        await test.club.local?.finish()
        let items = await test.club.trash()
        #expect(items.map(\.file.path) == [note.path])
        let item = try #require(items.first)
        #expect(try await test.club.text(of: item) == Data("three".utf8))
        _ = try await test.club.bringBack(item)
        if isSent {
            #expect(home.text("/a.txt") == "three")
        } else {
            let waiting = await test.club.local?.run { copy in
                try copy.waitingChanges().last.flatMap { try copy.text(ofChange: $0.id) }
            }
            #expect(waiting == Data("three".utf8))
        }
        test.club.stop()
    }

    @Test func aTextThatWasTakenBackIsNotInTheTrash() async throws {
        let note = try home.store.plant("one", at: "/a.txt")
        await home.visit()
        home.cutOff()
        let copy = LocalCopy(folder: home.folder)
        _ = try copy.enqueue(
            .write(
                Data("discarded".utf8), at: note.path,
                mode: .update(note.revision, contentHash: note.contentHash)))
        for change in try copy.waitingChanges() { try copy.takeBack(change.id) }
        try copy.enqueue(.delete(note))
        let test = home.makeClub()
        await test.waitUntil { $0.hasFailed }
        let item = try #require(await test.club.trash().first)
        #expect(try await test.club.text(of: item) == Data("one".utf8))
        #expect(try await test.club.bringBack(item) == note)
        test.club.stop()
    }
}
