@testable import ClubServer
import DropboxAPI
import Foundation
import Testing

/// What becomes of things that happen in the folder within one moment.
@Suite struct ClubSyncingTests {
    @Test func savingTheWayEditorsDoIsOneChange() async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let path = home + "/note.txt"
        try TestClub.write("old", to: path)
        let loop = try EventLoop()
        let watcher = try FolderWatcher(loop: loop)
        let club = try ClubFolder(
            access: try FolderAccess(path: home), journal: nil, watcher: watcher, log: ServerLog())
        try await club.start()
        let (old, cursor) = try await note(in: club, since: nil)
        // Rename away, write a new file, remove the old one: all before anybody listens, as if it took no
        // time.
        #expect(rename(path, path + "~") == 0)
        try TestClub.write("new", to: path)
        #expect(unlink(path + "~") == 0)
        try loop.start()
        var batches = watcher.batches.makeAsyncIterator()
        try #require(await batches.next())
        let state = await club.applyEvents()
        #expect(state == .there)
        let (new, _) = try await note(in: club, since: cursor)
        #expect(new.id == old.id)
        #expect(new.facts?.revision != old.facts?.revision)
        watcher.stop()
        loop.stop()
    }

    /// `cp note.txt club/ && byteclub notes ls`
    @Test func aListingHasWhatWasJustPutIntoTheFolder() async throws {
        try await TestClub.with { club in
            for number in 1...10 {
                try club.write("\(number)", to: "\(number).txt")
                #expect(try await club.list().entries.count == number)
            }
            for number in 1...10 {
                #expect(unlink(club.folder + "/\(number).txt") == 0)
                #expect(try await club.list().entries.count == 10 - number)
            }
        }
    }

    @Test func aFileThatHasJustBeenClosedIsThere() async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let loop = try EventLoop()
        let watcher = try FolderWatcher(loop: loop)
        let club = try ClubFolder(
            access: try FolderAccess(path: home), journal: nil, watcher: watcher, log: ServerLog())
        try await club.start()
        try loop.start()
        var batches = watcher.batches.makeAsyncIterator()
        let file = open(home + "/photo.jpg", O_WRONLY | O_CREAT, 0o600)
        #expect(file >= 0)
        try #require(await batches.next())
        _ = await club.applyEvents()
        await club.refresh(folder: "", name: "photo.jpg")
        #expect(await club.index["/photo.jpg"] == nil)
        #expect(write(file, "photo", 5) == 5)
        close(file)
        // The event is there, but its batch is not complete.
        await club.refresh(folder: "", name: "photo.jpg")
        #expect(await club.index["/photo.jpg"]?.facts?.signature.size == 5)
        watcher.stop()
        loop.stop()
    }

    /// The only thing in a listing, or in the changes since.
    private func note(
        in club: ClubFolder, since cursor: ListingCursor?
    ) async throws -> (entry: Entry, next: ListingCursor) {
        let index = await club.index
        let page = index.page(
            after: cursor
                ?? index.startCursor(
                    folder: "", isRecursive: false, includesDeleted: false, pageSize: 10))
        #expect(page.items.count == 1)
        guard case .entry(let entry, "/note.txt") = try #require(page.items.first) else {
            throw LookupError.notFound
        }
        return (entry, page.cursor)
    }
}
