import ClubStore
import Foundation
import TestSupport
import Testing

/// The WebDAV adapter on every real server installed on this machine.
@Suite struct RealServerTests {
    @Test(arguments: RealWebDAVServer.Kind.allCases, RemoteStoreContract.checks)
    func keepsThePromise(_ kind: RealWebDAVServer.Kind, _ promise: ContractCheck) async throws {
        // They report the whole disk's free space, which other programs change meanwhile.
        if kind == .sabreDAV || kind == .wsgiDAV,
            promise.testDescription.contains("counts what is used")
        {
            return
        }
        try await promise.check(try await makeStore(on: kind))
    }
}

/// A store in an empty club on a real server.
///
/// - Throws: The error that skips the test when the server is not installed.
func makeStore(
    on kind: RealWebDAVServer.Kind, configure: (inout WebDAVStore.Configuration) -> Void = { _ in }
) async throws -> WebDAVStore {
    try skip(unlessInstalled: kind)
    let club = try await RealWebDAVServer.shared(kind).makeClub()
    var configuration = WebDAVStore.Configuration(baseURL: club, credentials: .none)
    configuration.thumbnailer = TestThumbnailer()
    configure(&configuration)
    return try WebDAVStore(configuration)
}

func skip(unlessInstalled kind: RealWebDAVServer.Kind) throws {
    guard !kind.isInstalled else { return }
    #if compiler(>=6.3)
        try Test.cancel("\(kind.reasonToSkip)")
    #else
        throw ServerMissing(reason: kind.reasonToSkip)
    #endif
}

#if !compiler(>=6.3)
    struct ServerMissing: Error { let reason: String }
#endif
