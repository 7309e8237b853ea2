import ClubStore
import Foundation
import Testing

/// The WebDAV adapter on a real Apache.
@Suite(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
struct ApacheTests {
    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        let club = try ApacheServer.shared.makeClub()
        try await promise.check(try WebDAVStore(baseURL: club.url, credentials: .none))
    }

    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromiseBehindAPassword(_ promise: ContractCheck) async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic)
        try await promise.check(
            try WebDAVStore(
                baseURL: club.url,
                credentials: .password(
                    user: ApacheServer.user, password: ApacheServer.password)))
    }

    @Test(arguments: RemoteStoreContract.checks)
    func keepsThePromiseBehindDigest(_ promise: ContractCheck) async throws {
        let club = try ApacheServer.shared.makeClub(behind: .digest)
        try await promise.check(
            try WebDAVStore(
                baseURL: club.url,
                credentials: .password(
                    user: ApacheServer.user, password: ApacheServer.password)))
    }

    @Test func aWrongPasswordIsToldAsSuch() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic)
        let store = try WebDAVStore(
            baseURL: club.url, credentials: .password(user: ApacheServer.user, password: "wrong"))
        await expectFailure(.unauthorized) { _ = try await store.list(.root) }
        await expectFailure(.unauthorized) {
            _ = try await store.put(data("x"), at: path("/a"), mode: .add)
        }
    }
}
