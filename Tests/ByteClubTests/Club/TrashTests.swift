import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

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

    @Test func aDeletedPhotoComesBackBesideOneThatHasItsName() async throws {
        let store = InMemoryStore()
        let first = try store.plant("first", at: "/photos/a.jpg")
        try await store.delete(first.path)
        let second = try store.plant("second one", at: "/photos/a.jpg")
        #expect(
            try await PhotoTrash.restoreLast(first.path, in: store).path.name == "a (2).jpg")
        #expect(store.contents(of: "/photos/a (2).jpg") == Data("first".utf8))
        #expect(store.contents(of: "/photos/a.jpg") == Data("second one".utf8))
        // A script tries again: nothing is added that is there.
        let third = try store.plant("third", at: "/photos/c.jpg")
        try await store.delete(third.path)
        _ = try await PhotoTrash.restoreLast(third.path, in: store)
        await #expect(throws: StoreError.self) {
            try await PhotoTrash.restoreLast(third.path, in: store)
        }
        #expect(store.contents(of: "/photos/c (2).jpg") == nil)
        // Each of the two that were deleted can be had.
        try await store.delete(second.path)
        let old = try await PhotoTrash.restoreLast(
            first.path, revision: first.revision, in: store)
        #expect(store.contents(of: old.path.string) == Data("first".utf8))
        let nothing = RemotePath.root
        await #expect(throws: StoreError.self) {
            try await PhotoTrash.restoreLast(
                nothing.appending("b.jpg"), revision: first.revision, in: store)
        }
    }

    /// nginx lists no names that begin with a dot.
    @Test func aDeletedPhotoIsFoundAgainWhereNothingHiddenIsListed() async throws {
        let store = InMemoryStore(keepsRevisions: false, listsHiddenNames: false)
        let photo = try store.plant("picture", at: "/photos/a.jpg")
        let kept = try await PhotoTrash.take(photo, in: store, at: Date())
        #expect(kept.name.hasPrefix("byteclub-deleted 2"))
        let contents = ClubContents(listing: try await store.list(.root, recursive: true))
        #expect(contents.entries(of: .photos, in: .root).isEmpty)
        #expect(contents.photosInTrash.map(\.photo.path) == [photo.path])
        #expect(try await PhotoTrash.keeps(photo.path, in: store))
        let back = try await PhotoTrash.restoreLast(photo.path, in: store)
        #expect(back.path == photo.path)
    }

    // MARK: - A store that does not know the revisions that its files had

    @Test func aNoteIsFoundAmongWhatTheStoreKeeps() async throws {
        let store = InMemoryStore(keepsEveryState: false)
        let test = TestClub(store)
        let file = try store.plant("precious", at: "/a.txt")
        let deleted = try await test.club.deleteNote(file)
        #expect(deleted.isKept == true && deleted.data == nil)
        let back = try await test.club.restoreNote(
            at: file.path, file.revision, nil, byteCount: file.byteCount)
        #expect(store.contents(of: back.path.string) == Data("precious".utf8))
    }

    @Test func aPhotoIsFoundAmongWhatTheStoreKeeps() async throws {
        let store = InMemoryStore(keepsEveryState: false)
        let test = TestClub(store)
        let file = try store.plant("picture", at: "/photos/a.jpg")
        #expect(try await test.club.deletePhoto(file).isKept == true)
        let back = try await PhotoTrash.restore(
            file.path, file.revision, byteCount: file.byteCount, in: store)
        #expect(store.contents(of: back.path.string) == Data("picture".utf8))
    }

    @Test func aPhotoThatWasDeletedBeforeTheStoreKeptFilesIsFound() async throws {
        let file = try store.plant("picture", at: "/photos/a.jpg")
        _ = try await PhotoTrash.take(file, in: store, at: Date())
        store.forgetRevisions()
        #expect(try await PhotoTrash.keeps(file.path, in: store))
        let back = try await PhotoTrash.restoreLast(file.path, in: store)
        #expect(back.path == file.path)
        #expect(!(try await PhotoTrash.keeps(RemotePath(validating: "/photos/b.jpg"), in: store)))
    }

    // MARK: - Photos of a store without revisions

    @Test func aPhotoThatHasChangedIsNotMovedIntoTheTrash() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        let test = TestClub(store)
        let seen = try store.plant("picture", at: "/photos/a.jpg")
        try store.plant("another", at: "/photos/a.jpg")
        await #expect(throws: StoreError.self) { try await test.club.deletePhoto(seen) }
        #expect(store.contents(of: "/photos/a.jpg") == Data("another".utf8))
    }

    @Test func twoPhotosOfANameFitIntoTheTrash() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var kept: [RemotePath] = []
        for text in ["one", "two"] {
            let file = try store.plant(Data(text.utf8), at: "/photos/a.jpg")
            kept.append(try await PhotoTrash.take(file, in: store, at: now).path)
        }
        #expect(kept[0].name == ".deleted 20270115T080000Z a.jpg")
        #expect(kept[1].name == ".deleted 20270115T080001Z a.jpg")
        #expect(store.contents(of: kept[0].string) == Data("one".utf8))
    }

    @Test func whatHasBeenInTheTrashForLongGoesWithTheNextDeletion() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        let now = Date()
        let names = [-40, -29].map { day in
            PhotoTrash.name(of: "old.jpg", at: now.addingTimeInterval(Double(day) * 86_400))
        }
        for name in names + [".deleted by hand.jpg"] {
            try store.plant("picture", at: "/photos/\(name)")
        }
        let file = try store.plant("picture", at: "/photos/a.jpg")
        let test = TestClub(store)
        await test.waitUntil { $0.contents.allFiles.count == 4 }
        #expect(test.club.contents.photos.map(\.name) == ["a.jpg"])
        #expect(test.club.contents.notes.isEmpty)
        _ = try await test.club.deletePhoto(file)
        await test.waitUntil { _ in store.contents(of: "/photos/\(names[0])") == nil }
        #expect(store.contents(of: "/photos/\(names[1])") != nil)
        #expect(store.contents(of: "/photos/.deleted by hand.jpg") != nil)
        test.club.stop()
    }

    @Test(arguments: ["sea.jpg", String(repeating: "é", count: 126) + ".jpg"])
    func theTimeOfADeletionIsInTheName(photo: String) {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let name = PhotoTrash.name(of: photo, at: date)
        #expect(name.utf8.count <= 255 && name.hasSuffix(".jpg"))
        #expect(PhotoTrash.date(of: name) == date)
        #expect(PhotoTrash.date(of: photo) == nil)
    }
}
