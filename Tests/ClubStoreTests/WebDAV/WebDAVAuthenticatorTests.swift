import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// How a password is sent to a WebDAV server: with the server's scheme, and once.
@Suite struct WebDAVAuthenticatorTests {
    private let folder: TemporaryFolder
    private let capabilities: URL

    init() throws {
        folder = try TemporaryFolder()
        capabilities = folder.url.appending(path: "abilities.json")
    }

    private func standIn(
        _ challenge: String, accepts scheme: String? = nil
    ) throws -> WebDAVStandIn {
        let capabilities = capabilities
        return try WebDAVStandIn(
            .init(interception: { request in
                if let scheme, request["Authorization"]?.hasPrefix(scheme) == true { return nil }
                return [.answer("401 Unauthorized", ["WWW-Authenticate: \(challenge)"])]
            }), credentials: .password(user: "ann", password: "secret")
        ) { $0.capabilitiesFile = capabilities }
    }

    private func schemes(_ standIn: WebDAVStandIn) -> [String] {
        standIn.requests.map { request in
            String((request["Authorization"] ?? "none").prefix { $0 != " " })
        }
    }

    private static let basic = #"Basic realm="club""#
    private static let digest = #"Digest realm="club", nonce="n", qop="auth", algorithm=MD5"#

    @Test func aWrongPasswordIsShownOnce() async throws {
        let standIn = try standIn(Self.basic)
        await expectFailure(.unauthorized) { _ = try await standIn.store.list(.root) }
        #expect(schemes(standIn) == ["none", "Basic"])
        await expectFailure(.unauthorized) { _ = try await standIn.store.list(.root) }
        #expect(schemes(standIn) == ["none", "Basic", "Basic"])
        // The next run of the program knows the scheme.
        let next = try WebDAVStore(standIn.store.configuration)
        await expectFailure(.unauthorized) { _ = try await next.list(.root) }
        #expect(schemes(standIn) == ["none", "Basic", "Basic", "Basic"])
    }

    @Test func aRefusalTellsWhatTheServerAsksFor() async throws {
        let standIn = try standIn(#"Bearer realm="your secret""#)
        let error = await #expect(throws: StoreError.self) {
            _ = try await standIn.store.list(.root)
        }
        #expect(error?.authenticationChallenges == #"Bearer realm="your …""#)
        #expect(schemes(standIn) == ["none"])
    }

    @Test func oneThatIsRightIsAskedForOnce() async throws {
        let standIn = try standIn(Self.basic, accepts: "Basic ")
        _ = try await standIn.store.list(.root)
        _ = try await standIn.store.list(.root)
        let next = try WebDAVStore(standIn.store.configuration)
        _ = try await next.list(.root)
        #expect(schemes(standIn) == ["none", "Basic", "Basic", "Basic"])
    }

    @Test func aServerThatWantsDigestNeverSeesThePassword() async throws {
        let standIn = try standIn(Self.digest, accepts: "Digest ")
        _ = try await standIn.store.list(.root)
        let next = try WebDAVStore(standIn.store.configuration)
        _ = try await next.list(.root)
        #expect(!schemes(standIn).contains("Basic"))
        // Over TLS neither, where it would otherwise be sent preemptively.
        #expect(next.connection.signIn.authorization(isSecure: true) == nil)
    }

    @Test func whatTheServerCanDoIsKeptBesideHowItWantsPasswords() async throws {
        let standIn = try standIn(Self.basic, accepts: "Basic ")
        _ = try await standIn.store.put(data("x"), at: path("/a"), mode: .add)
        let next = try WebDAVStore(standIn.store.configuration)
        #expect(next.capabilities.known?.honorsIfMatch == true)
        #expect(next.capabilities.signInWay == .basic)
        // As an earlier version stored it.
        let old =
            #"{"account":"\#(next.address.url(of: .root))","abilities":{"honoursIfNoneMatch":true,"honoursIfMatch":true,"honoursIf":false,"hasTagsWithoutTime":true}}"#
        try Data(old.utf8).write(to: capabilities)
        let later = try WebDAVStore(standIn.store.configuration)
        #expect(later.capabilities.known?.honorsIfMatch == true)
        #expect(later.capabilities.signInWay == nil)
        // One that took tags in microseconds for exact: everything is probed again.
        let trusting = old.replacing("hasTagsWithoutTime", with: "hasExactTags")
        try Data(trusting.utf8).write(to: capabilities)
        #expect(try WebDAVStore(standIn.store.configuration).capabilities.known == nil)
    }
}
