import ClubStore
import Foundation
import TestSupport
import Testing

/// The WebDAV adapter on a real Apache.
@Suite(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
struct ApacheTests {
    private static let member = WebDAVCredentials.password(
        user: ApacheServer.user, password: ApacheServer.password)

    @Test(arguments: ApacheServer.Door.allCases, RemoteStoreContract.checks)
    func keepsThePromise(_ door: ApacheServer.Door, _ promise: ContractCheck) async throws {
        let club = try ApacheServer.shared.makeClub(behind: door)
        var configuration = WebDAVStore.Configuration(
            baseURL: club.url, credentials: door == .open ? .none : Self.member)
        configuration.thumbnailer = TestThumbnailer()
        try await promise.check(try WebDAVStore(configuration))
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

    @Test func aServerThatNobodyVouchesForIsNotBelieved() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        let store = try WebDAVStore(baseURL: club.url, credentials: Self.member)
        await expectFailure(.untrusted) { _ = try await store.list(.root) }
        #expect(store.untrustedServer?.key.description == ApacheServer.keyFingerprint)
    }

    @Test func aPinnedKeyIsBelievedAndNoOther() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        var configuration = WebDAVStore.Configuration(
            baseURL: club.url, credentials: Self.member)
        configuration.trust.pinnedKey = ServerKey(ApacheServer.keyFingerprint)
        let store = try WebDAVStore(configuration)
        _ = try await store.put(data("x"), at: path("/a"), mode: .add)
        #expect(try await store.fetch(path("/a")).data == data("x"))
        configuration.trust.pinnedKey = ServerKey(
            "sha256//" + Data(count: 32).base64EncodedString())
        let other = try WebDAVStore(configuration)
        await expectFailure(.untrusted) { _ = try await other.list(.root) }
        #expect(other.untrustedServer?.key.description == ApacheServer.keyFingerprint)
    }

    @Test func anAuthorityOfOnesOwnIsBelieved() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        let folder = try TemporaryFolder()
        var configuration = WebDAVStore.Configuration(
            baseURL: club.url, credentials: Self.member)
        configuration.trust.authoritiesFile = try folder.write(
            data(ApacheServer.certificate), to: "authority.pem")
        let store = try WebDAVStore(configuration)
        #expect(try await store.list(.root).entries.isEmpty)
    }
}
