import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// Deleted notes and photos, on the screen.
@MainActor @Suite struct TrashScreenTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "trash-\(UUID().uuidString)")

    /// A club that has been seen whole, and the screen of its trash.
    private func withTrash(
        _ store: InMemoryStore, deleting paths: [String],
        _ body: (AppScreen, Club, ListMemory) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub(store, library: folder)
        let memory = ListMemory(folder: nil)
        await memory.load()
        await test.waitUntil { $0.known.isListed && !$0.contents.allFiles.isEmpty }
        for path in paths {
            let file = try #require(test.club.contents[try RemotePath(validating: path)])
            let kind = try #require(ClubContents.kind(of: file))
            let deleted =
                kind == .notes
                ? try await test.club.deleteNote(file) : try await test.club.deletePhoto(file)
            memory.remember(
                DeletedFile(
                    deleted.file, kind: kind, at: Date(), group: UUID(), trash: deleted.trash))
        }
        await test.club.local?.finish()
        let screen = try AppScreen(TrashViewController(club: test.club, memory: memory))
        try await body(screen, test.club, memory)
        test.club.stop()
    }

    @Test func aDeletedNoteIsReadAndComesBack() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        try store.plant("precious words", at: "/plans/a.txt")
        try store.plant("other", at: "/b.txt")
        try await withTrash(store, deleting: ["/plans/a.txt", "/b.txt"]) { screen, _, memory in
            await screen.wait(for: "plans/a.txt")
            #expect(screen.text.contains("b.txt"))
            screen.press("Down", "Enter")
            await screen.wait(for: "“plans/a.txt”.")
            screen.press("r")
            await screen.wait(for: "precious words")
            #expect(screen.isShowing(DeletedTextViewController.self))
            screen.press("b")
            await screen.wait(for: "“a.txt” is back.")
            #expect(store.contents(of: "/plans/a.txt") == Data("precious words".utf8))
            // z has nothing more to do with it.
            #expect(memory.lastDeleted(.notes).map(\.path) == ["/b.txt"])
            await screen.wait(untilGone: "plans/a.txt")
        }
    }

    @Test func theSelectedFileComesBackFromTheList() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        try store.plant("one", at: "/a.txt")
        try store.plant("two", at: "/b.txt")
        try await withTrash(store, deleting: ["/a.txt", "/b.txt"]) { screen, _, _ in
            await screen.wait(for: "b.txt")
            screen.press("End", "b")
            await screen.wait(for: "“a.txt” is back.")
            screen.press("b")
            await screen.wait(for: "“b.txt” is back.")
            await screen.wait(for: "The trash is empty.")
            screen.press("b")
            #expect(screen.isShowing(TrashViewController.self))
        }
    }

    @Test func whatSomebodyElseDeletesIsThereToo() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        try store.plant("theirs to delete", at: "/a.txt")
        try store.plant("stays", at: "/b.txt")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub(store, library: folder)
        await test.waitUntil { $0.known.isListed && $0.contents.fileCount == 2 }
        let path = try RemotePath(validating: "/a.txt")
        let file = try #require(test.club.contents[path])
        _ = try await test.club.local?.attempt {
            try $0.keep([(file, Data("theirs to delete".utf8))])
        }
        try await store.delete(path)
        await test.waitUntil { $0.contents[path] == nil }
        await test.club.local?.finish()
        let items = await test.club.trash()
        #expect(items.map(\.file.path) == [path])
        #expect(items.first?.isOwn == false)
        let back = try await test.club.bringBack(try #require(items.first))
        #expect(back.path == path)
        await test.club.local?.finish()
        #expect(await test.club.trash().isEmpty)
        test.club.stop()
    }

    @Test(arguments: [(true, true), (false, true), (true, false)])
    func aPhotoComesBack(keepsRevisions: Bool, keepsEveryState: Bool) async throws {
        let store = InMemoryStore(
            keepsRevisions: keepsRevisions, keepsEveryState: keepsEveryState)
        try store.plant("picture", at: "/photos/cliff top.jpg")
        try await withTrash(store, deleting: ["/photos/cliff top.jpg"]) { screen, _, memory in
            await screen.wait(for: "photos/cliff top.jpg")
            screen.press("Enter")
            await screen.wait(for: "It comes back as")
            screen.press("b")
            await screen.wait(for: "is back.")
            #expect(store.contents(of: "/photos/cliff top.jpg") == Data("picture".utf8))
            #expect(memory.lastDeleted(.photos).isEmpty)
            await screen.wait(for: "The trash is empty.")
        }
    }
}
