import ClubServer
import ClubStore
import Foundation
import Testing

/// The Dropbox adapter on the real embedded club: a server on a unix socket, in folders of its own.
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

    /// Runs a server as long as the body does.
    private func withEmbeddedServer(
        _ body: @Sendable (any RemoteStore, URL) async throws -> Void
    ) async throws {
        let home = try TemporaryFolder()
        let club = home.url.appending(path: "club")
        try FileManager.default.createDirectory(at: club, withIntermediateDirectories: true)
        let socket = home.url.appending(path: "s").path
        let tokenFile = home.url.appending(path: "token").path
        let server = ClubServer(
            configuration: ClubServer.Configuration(
                folder: club.path, stateFolder: home.url.appending(path: "state").path,
                cacheFolder: nil, endpoint: .unixSocket(path: socket, leasePath: nil),
                tokenFile: tokenFile, lockFile: home.url.appending(path: "lock").path))
        let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
        let serving = Task {
            defer { continuation.finish() }
            try await server.run { _ in continuation.finish() }
        }
        for await _ in ready {}
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8)
        let store = DropboxStore(
            DropboxStore.Configuration(
                hosts: .local, unixSocketPath: socket),
            access: FixedToken(String(token.prefix { !$0.isWhitespace })))
        do {
            try await body(store, club)
        } catch {
            server.stop()
            throw error
        }
        server.stop()
        try await serving.value
    }
}
