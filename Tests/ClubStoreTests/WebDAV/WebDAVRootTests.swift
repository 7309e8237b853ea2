import ClubStore
import Foundation
import TestSupport
import Testing

/// A club whose folder does not exist yet.
@Suite(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
struct WebDAVRootTests {
    private func store(_ url: URL) throws -> WebDAVStore {
        try WebDAVStore(
            baseURL: url,
            credentials: .password(user: ApacheServer.user, password: ApacheServer.password))
    }

    @Test func theFolderIsMadeWithThoseAboveIt() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic)
        let store = try store(club.url.appending(path: "neu & alt/Äpfel"))
        await expectFailure(.notFound) { _ = try await store.list(.root) }
        try await store.makeRoot()
        #expect(try await store.list(.root).entries.isEmpty)
        _ = try await store.account()
        #expect(
            FileManager.default.fileExists(
                atPath: club.folder.appending(path: "neu & alt/Äpfel").path))
        // A second call changes nothing.
        _ = try await store.put(data("x"), at: path("/a"), mode: .add)
        try await store.makeRoot()
        #expect(try await store.list(.root).entries.count == 1)
    }

    @Test func aFileInItsPlaceIsTold() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic)
        try data("x").write(to: club.folder.appending(path: "file"))
        let file = try store(club.url.appending(path: "file"))
        await #expect(throws: StoreError.self) { try await file.makeRoot() }
        #expect(try Data(contentsOf: club.folder.appending(path: "file")) == data("x"))
    }
}
