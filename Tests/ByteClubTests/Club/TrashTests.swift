import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ByteClub

/// What is deleted can be brought back where that is promised.
@MainActor @Suite struct TrashTests {
    /// A store that speaks of revisions, and has had no room for any.
    private let store = InMemoryStore()

    @Test(arguments: [true, false])
    func aNoteComesBackThatTheStoreHasNotKept(hasLocalCopy: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "trash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub(store, library: hasLocalCopy ? folder : nil)
        let file = try store.plant("precious", at: "/a.txt")
        store.forgetRevisions()
        let deleted = try await test.club.deleteNote(file)
        #expect(deleted.isKept == true)
        #expect(store.contents(of: "/a.txt") == nil)
        let back = try await test.club.restoreNote(
            at: file.path, deleted.file.revision, deleted.data)
        #expect(store.contents(of: back.path.string) == Data("precious".utf8))
    }

    @Test func aNoteThatTheStoreKeepsIsNotKeptInMemory() async throws {
        let test = TestClub(store)
        let file = try store.plant("precious", at: "/a.txt")
        let deleted = try await test.club.deleteNote(file)
        #expect(deleted.isKept == true && deleted.data == nil)
    }

    @Test func aPhotoIsPromisedOnlyWhereItIsKept() async throws {
        let test = TestClub(store)
        let kept = try store.plant("picture", at: "/photos/a.jpg")
        let lost = try store.plant("picture", at: "/photos/b.jpg")
        let unknown = try store.plant("picture", at: "/photos/c.jpg")
        #expect(try await test.club.deletePhoto(kept).isKept == true)
        store.forgetRevisions()
        #expect(try await test.club.deletePhoto(lost).isKept == false)
        store.failNext(.metadata, with: .offline)
        #expect(try await test.club.deletePhoto(unknown).isKept == nil)
    }
}
