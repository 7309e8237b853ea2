import ClubServer
import ClubStore
import Foundation
import Testing

/// The Dropbox adapter with the real embedded club: a server on a Unix socket, in temporary
/// folders.
@Suite struct EmbeddedServerTests {
    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        try await withEmbeddedServer { store, _ in try await promise.check(store) }
    }

    @Test func aFilePutIntoTheFolderShowsUp() async throws {
        try await withEmbeddedServer { store, folder in
            let cursor = try await store.list(.root, recursive: true).cursor
            try Data("by hand".utf8).write(to: folder.appending(path: "hand.txt"))
            #expect(try await store.waitForChanges(after: cursor, atMost: longWait))
            let changes = try await store.changes(since: cursor)
            #expect(changes.files.map(\.path.string) == ["/hand.txt"])
        }
    }
}
