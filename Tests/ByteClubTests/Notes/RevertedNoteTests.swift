import ClubAccess
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

/// An open note of a club whose server makes the revision of the bytes: what comes back has the revision that it had.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RevertedNoteTests {
    let test = TestClub(InMemoryStore(hasTagsOfBytes: true))

    @MainActor private final class Heard {
        var reloads: [TextBuffer] = []
        var deleted = 0
        var upToDate = 0
        var waiter: Waiter<Heard>?

        func wait(until isTrue: @escaping @MainActor (Heard) -> Bool) async {
            let waiter = Waiter(isTrue)
            waiter.look(at: self)
            self.waiter = waiter
            await waiter.wait()
        }
    }

    private func open(_ heard: Heard) async throws -> (NoteDocument, NoteFollower) {
        try test.store.plant("one", at: "/a.txt")
        await test.waitUntil { !$0.contents.notes.isEmpty }
        let fetched = try await test.store.fetch(try RemotePath(validating: "/a.txt"))
        let document = NoteDocument(
            club: test.club, drafts: test.drafts, file: fetched.file,
            text: TextBuffer(utf8: fetched.data))
        let follower = NoteFollower(document, isDirty: { false }) { news in
            switch news {
            case .reload(let text, _, _): heard.reloads.append(text)
            case .deletedElsewhere: heard.deleted += 1
            case .upToDate: heard.upToDate += 1
            case .changedElsewhere, .renamed, .arrived: break
            }
            heard.waiter?.look(at: heard)
        }
        follower.start()
        return (document, follower)
    }

    /// What a save has replaced is not always an old listing's.
    @Test func theReplacedTextThatSomebodyPutsBackIsFollowed() async throws {
        let heard = Heard()
        let (document, follower) = try await open(heard)
        let first = try #require(document.file)
        try await document.save(TextBuffer("two"))
        try test.store.plant("one", at: "/a.txt")
        await heard.wait { !$0.reloads.isEmpty }
        #expect(heard.reloads == [TextBuffer("one")])
        #expect(document.file?.revision == first.revision)
        // It is the base of what is typed next.
        try await document.save(TextBuffer("three"))
        #expect(test.store.contents(of: "/a.txt") == Data("three".utf8))
        withExtendedLifetime(follower) {}
        test.club.stop()
    }

    @Test func aNoteThatIsThereAgainIsNoLongerDeleted() async throws {
        let heard = Heard()
        let (_, follower) = try await open(heard)
        try test.store.uproot("/a.txt")
        await heard.wait { $0.deleted > 0 }
        #expect(follower.isDeletedElsewhere)
        try test.store.plant("one", at: "/a.txt")
        await heard.wait { $0.upToDate > 0 }
        #expect(!follower.isDeletedElsewhere)
        #expect(heard.reloads.isEmpty)
        withExtendedLifetime(follower) {}
        test.club.stop()
    }
}
