import Foundation
import Testing

@testable import ClubStore

/// The WebDAV adapter's contract, with differently behaving servers.
@Suite struct WebDAVContractTests {
    private static let manners: [(name: String, WebDAVStandIn.Manners)] = [
        ("all right", .init()),
        ("weak tags", .init(tags: .weak)),
        ("no tags", .init(tags: .none)),
        ("unquoted tags", .init(tags: .unquoted)),
        ("no conditions", .init(honorsConditions: false)),
        ("each If-Match refused", .init(refusesIfMatch: true)),
        ("each If-Match refused, no If", .init(refusesIfMatch: true, honorsIf: false)),
        ("behind a proxy", .init(hrefPrefix: "/inner", hrefOrigin: "http://inner:8080")),
        ("lower-case escapes", .init(lowercaseEscapes: true)),
        ("silent about tags", .init(tellsTagOfPut: false)),
    ]

    @Test(arguments: manners.indices, RemoteStoreContract.checks)
    func keepsThePromise(_ index: Int, _ promise: ContractCheck) async throws {
        let standIn = try WebDAVStandIn(Self.manners[index].1) { configuration in
            configuration.clock.sleep = { try? await Pause.sleep(for: $0) }
            configuration.limits.shortestInterval = .milliseconds(100)
            configuration.limits.longestInterval = .milliseconds(100)
            configuration.limits.directByteCount = 64 << 10
        }
        try await promise.check(standIn.store)
        #expect(!standIn.paths.contains { $0.contains(TemporaryName.prefix) })
    }
}

/// The contract on any server: set `BYTECLUB_WEBDAV_URL` to a writable folder, and optionally
/// `BYTECLUB_WEBDAV_USER` and `BYTECLUB_WEBDAV_PASSWORD`.
@Suite(.enabled(if: NamedServer.address != nil, "no server is named"))
struct WebDAVServerTests {
    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        let environment = ProcessInfo.processInfo.environment
        let credentials: WebDAVCredentials =
            environment["BYTECLUB_WEBDAV_USER"].map {
                .password(user: $0, password: environment["BYTECLUB_WEBDAV_PASSWORD"] ?? "")
            } ?? .none
        var configuration = WebDAVStore.Configuration(
            baseURL: try #require(NamedServer.address), credentials: credentials)
        configuration.thumbnailer = TestThumbnailer()
        let top = try WebDAVStore(configuration)
        let name = "contract-\(UUID().uuidString.prefix(8))"
        configuration.folder = try path("/\(name)")
        try await top.createFolder(configuration.folder)
        let store = try WebDAVStore(configuration)
        do {
            try await promise.check(store)
        } catch {
            try? await top.delete(configuration.folder)
            throw error
        }
        try? await top.delete(configuration.folder)
    }
}

private enum NamedServer {
    static let address = ProcessInfo.processInfo.environment["BYTECLUB_WEBDAV_URL"]
        .flatMap(URL.init(string:))
}
