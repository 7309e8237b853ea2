import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Token renewal: before expiry, once for all callers, and never when the person must sign in again.
@Suite struct DropboxAccessTests {
    private let dropbox: StandInDropbox
    private let app: DropboxApp
    private let vault = TestVault()
    private let clock = TestDate()

    init() throws {
        dropbox = try StandInDropbox()
        app = DropboxApp(key: dropbox.appKey, gateway: URL(string: dropbox.base))
    }

    /// As a new run of the program starts.
    private func makeAccess() -> DropboxAccess {
        DropboxAccess(app: app, vault: vault, endpoint: TokenEndpoint(app), now: { clock.now })
    }

    private func signIn() async throws -> DropboxTokens {
        let signIn = DropboxOAuth(app: app)
        let consent = try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString))
        let tokens = try await signIn.exchange(code: consent.code).tokens
        vault.tokens = tokens
        return tokens
    }

    private var renewals: Int { dropbox.routes.count { $0 == "oauth2/token" } }

    @Test func aFreshTokenIsUsedAsItIs() async throws {
        let tokens = try await signIn()
        #expect(try await makeAccess().accessToken() == tokens.accessToken)
        #expect(renewals == 1)
    }

    @Test(arguments: [(-301.0, false), (-299.0, true), (10, true)])
    func aTokenIsRenewedFiveMinutesBeforeItsEnd(secondsAfterEnd: Double, isRenewed: Bool)
        async throws
    {
        let old = try await signIn()
        clock.now = try #require(old.expiry) + secondsAfterEnd
        let token = try await makeAccess().accessToken()
        #expect((token != old.accessToken) == isRenewed)
        #expect(vault.tokens?.accessToken == token)
        #expect(vault.tokens?.refreshToken == old.refreshToken)
    }

    @Test func manyWhoAskAtOnceCauseOneRenewal() async throws {
        let old = try await signIn()
        clock.now = try #require(old.expiry)
        let access = makeAccess()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await access.accessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(renewals == 2)
    }

    @Test func shortLivedTokensAreNotRenewedBeforeEachCall() async throws {
        dropbox.setLifetime(seconds: 120)
        _ = try await signIn()
        let access = makeAccess()
        for _ in 0..<5 { _ = try await access.accessToken() }
        #expect(renewals == 2)
    }

    @Test func anExpiredTokenIsRenewedOnceAndTheCallRepeated() async throws {
        let old = try await signIn()
        dropbox.expireAccessTokens()
        dropbox.put("text", at: "/a.txt")
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        let files = try await store.list(.root, recursive: true).files
        #expect(files.map(\.name) == ["a.txt"])
        #expect(
            dropbox.routes == [
                "oauth2/token", "2/files/list_folder", "oauth2/token", "2/files/list_folder",
            ])
        #expect(vault.tokens?.accessToken != old.accessToken)
        #expect(dropbox.violations.isEmpty)
    }

    /// Why there was no connection is said to people: it may have been a proxy.
    @Test func aRenewalThatCannotConnectSaysWhy() async throws {
        let old = try await signIn()
        clock.now = try #require(old.expiry)
        let closed = DropboxApp(key: "k", gateway: URL(string: "http://127.0.0.1:9"))
        var waiting = WaitingClock()
        waiting.sleep = { _ in }
        let access = DropboxAccess(
            app: closed, vault: vault, endpoint: TokenEndpoint(closed, clock: waiting),
            now: { clock.now })
        let error = await #expect(throws: StoreError.self) { try await access.accessToken() }
        #expect(error?.code == .offline)
        #expect(error?.connectionFailure == .refused)
    }

    @Test func aRevokedTokenMeansSigningInAgain() async throws {
        _ = try await signIn()
        dropbox.revokeEverything()
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        let error = await #expect(throws: StoreError.self) {
            try await store.list(.root, recursive: true)
        }
        #expect(error?.code == .unauthorized)
        // The refresh token was tried, once.
        #expect(dropbox.routes == ["oauth2/token", "2/files/list_folder", "oauth2/token"])
        _ = try? await store.list(.root)
        #expect(renewals == 2)
    }

    @Test func aTokenThatTheServerDoesNotKnowIsRenewedOnce() async throws {
        var tokens = try await signIn()
        tokens.accessToken = "sl.nobody-knows-it"
        vault.tokens = tokens
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        _ = try await store.list(.root)
        #expect(
            dropbox.routes == [
                "oauth2/token", "2/files/list_folder", "oauth2/token", "2/files/list_folder",
            ])
    }

    @Test func aRenewalNeverReplacesANewerSignIn() async throws {
        let old = try await signIn()
        clock.now = try #require(old.expiry)
        let access = makeAccess()
        _ = try await access.accessToken()
        // Another program signs in to another account before the next renewal.
        let first = try #require(vault.tokens)
        clock.now = try #require(first.expiry) + 10_000_000
        let stranger = DropboxTokens(
            accessToken: "theirs", expiry: .distantFuture, refreshToken: "their refresh token")
        vault.tokens = stranger
        #expect(
            try await access.accessToken(replacing: first.accessToken, isExpired: true) == "theirs")
        #expect(vault.tokens == stranger)
    }

    @Test func whoeverSignsInDuringARenewalStaysSignedIn() async throws {
        let old = try await signIn()
        clock.now = try #require(old.expiry)
        let stranger = DropboxTokens(
            accessToken: "theirs", expiry: .distantFuture, refreshToken: "their refresh token")
        vault.newerSignIn = stranger
        #expect(try await makeAccess().accessToken() == "theirs")
        #expect(vault.tokens == stranger)
    }

    @Test func whoeverSignsOutDuringARenewalStaysSignedOut() async throws {
        let access = makeAccess()
        let old = try await signIn()
        _ = try await access.accessToken()
        clock.now = try #require(old.expiry)
        vault.tokens = nil
        #expect(try await access.accessToken() != old.accessToken)
        #expect(vault.tokens == nil)
    }

    @Test func aRevokedRefreshTokenIsNotTriedAgainAndAgain() async throws {
        let old = try await signIn()
        dropbox.revokeEverything()
        clock.now = try #require(old.expiry)
        let access = makeAccess()
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) { try await access.accessToken() }
            #expect(error?.code == .unauthorized)
        }
        #expect(renewals == 2)
    }

    @Test func whoeverSignsInAgainGoesOn() async throws {
        let old = try await signIn()
        dropbox.revokeEverything()
        clock.now = try #require(old.expiry)
        let access = makeAccess()
        _ = try? await access.accessToken()
        clock.now = Date()
        // In this program …
        let second = try await signIn()
        await access.adopt(second)
        #expect(try await access.accessToken() == second.accessToken)
        // … and in another one, visible only in the vault.
        dropbox.revokeEverything()
        let third = try await signIn()
        let token = try await access.accessToken(replacing: second.accessToken, isExpired: false)
        #expect(token == third.accessToken)
    }

    @Test func aServerThatIsAwayDoesNotEndATokenThatIsGoodYet() async throws {
        let old = try await signIn()
        clock.now = try #require(old.expiry) - 100
        dropbox.scriptTokenAnswers(.init(repeating: .html, count: 3))
        let access = makeAccess()
        #expect(try await access.accessToken() == old.accessToken)
        // The endpoint is not called again for a while.
        #expect(try await access.accessToken() == old.accessToken)
        #expect(renewals == 2)
        clock.now = try #require(old.expiry) + 1
        let error = await #expect(throws: StoreError.self) { try await access.accessToken() }
        #expect(error?.code == .badAnswer)
    }

    @Test func aClockThatIsWrongCostsARenewalAndNothingElse() async throws {
        let old = try await signIn()
        // Behind: the token seems valid for a long time, and the server disagrees.
        clock.now = try #require(old.expiry) - 1_000_000
        dropbox.expireAccessTokens()
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        _ = try await store.list(.root, recursive: true)
        // Ahead: renewed before the call.
        clock.now = try #require(old.expiry) + 1_000_000
        let ahead = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        _ = try await ahead.list(.root, recursive: true)
        #expect(renewals == 3)
    }

    @Test func signingOutRevokes() async throws {
        let tokens = try await signIn()
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        try await store.revokeTokens()
        #expect(dropbox.validAccessTokenCount == 0)
        #expect(dropbox.validRefreshTokenCount == 0)
        #expect(dropbox.violations.isEmpty)
        #expect(dropbox.requests.last?["Authorization"] == "Bearer " + tokens.accessToken)
    }

    @Test func withoutTokensNothingIsSent() async throws {
        let store = DropboxStore(.init(hosts: app.hosts), access: makeAccess())
        let error = await #expect(throws: StoreError.self) { try await store.account() }
        #expect(error?.code == .unauthorized)
        #expect(dropbox.requests.isEmpty)
    }
}

/// Stores tokens in memory.
private final class TestVault: TokenVault {
    private let state = Mutex<(kept: DropboxTokens?, newer: DropboxTokens?)>((nil, nil))

    var tokens: DropboxTokens? {
        get { state.withLock { $0.kept } }
        set { state.withLock { $0.kept = newValue } }
    }

    /// What another program writes just before this one.
    var newerSignIn: DropboxTokens? {
        get { state.withLock { $0.newer } }
        set { state.withLock { $0.newer = newValue } }
    }

    func read() async -> DropboxTokens? { tokens }

    func write(
        _ tokens: DropboxTokens, replacing refreshToken: String
    ) async -> DropboxTokens? {
        state.withLock { state in
            if let newer = state.newer { state = (newer, nil) }
            guard let kept = state.kept else { return nil }
            guard kept.refreshToken == refreshToken else { return kept }
            state.kept = tokens
            return nil
        }
    }
}

private final class TestDate: Sendable {
    private let state = Mutex(Date())

    var now: Date {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
