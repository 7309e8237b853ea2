import ClubServer
import Foundation
import TestSupport

@testable import ClubStore

/// Runs a club's server while the body runs.
///
/// - Parameter proxy: Intercepts each request; nil for none.
func withEmbeddedServer(
    through proxy: (@Sendable (ClubProxy.Request) -> ClubProxy.Behavior)? = nil,
    _ body: @Sendable (DropboxStore, URL) async throws -> Void
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
    let door = try proxy.map { try ClubProxy(takingThePlaceOf: socket, $0) }
    defer { door?.stop() }
    let token = try String(contentsOfFile: tokenFile, encoding: .utf8)
    var configuration = DropboxStore.Configuration(hosts: .local, unixSocketPath: socket)
    configuration.clock.sleep = { _ in }
    let store = DropboxStore(
        configuration,
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
