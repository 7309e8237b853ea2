import ClubStore
import Foundation
import TestSupport
import Testing

@testable import ClubAccess

/// Signing in to Dropbox again: the previous tokens are revoked.
@Suite struct DropboxSignInTests {
    private let dropbox: StandInDropbox
    private let home = LoginHome()

    init() throws {
        dropbox = try StandInDropbox()
    }

    private func place(folder: String? = nil, at dropbox: StandInDropbox) -> ClubSettings.Dropbox {
        .init(appKey: dropbox.appKey, apiURL: URL(string: dropbox.base), folder: folder)
    }

    /// Signs in as “work”. By default, the server may take any time to revoke tokens.
    @discardableResult
    private func signIn(
        folder: String? = nil, at other: StandInDropbox? = nil,
        revocationTimeout: @escaping @Sendable () async -> Void = {
            try? await Task.sleep(for: .seconds(600))
        }
    ) async throws -> DropboxSignIn.SignedInClub {
        let dropbox = other ?? dropbox
        let joining = try DropboxSignIn(
            place(folder: folder, at: dropbox), keeping: home.keeping,
            revocationTimeout: revocationTimeout)
        let signIn = DropboxOAuth(app: joining.settings.app)
        let consent = try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString))
        let club = ClubSettings(name: "work", place: .dropbox(joining.settings))
        return try await joining.finish(signIn, code: consent.code, as: club)
    }

    private func stored(_ club: ClubSettings) async throws -> DropboxTokens? {
        try await home.clubSecrets.read(club).flatMap(SecretVault.decode)
    }

    private func revocations(_ dropbox: StandInDropbox) -> Int {
        dropbox.routes.count { $0.hasSuffix("auth/token/revoke") }
    }

    @Test func theTokensThatWereReplacedAreRevoked() async throws {
        try await signIn()
        let club = try await signIn().club
        #expect(dropbox.validRefreshTokenCount == 1)
        #expect(dropbox.validAccessTokenCount == 1)
        // An expired access token still leads to the refresh token.
        dropbox.expireAccessTokens()
        try await signIn()
        #expect(dropbox.validRefreshTokenCount == 1)
        // The stored tokens are the valid ones.
        let tokens = try #require(try await stored(club))
        let line = try ClubConnection.makeLine(to: place(at: dropbox), vault: NoVault())
        await line.access.adopt(tokens)
        _ = try await line.store.account()
        #expect(dropbox.violations.isEmpty)
    }

    @Test func tokensThatAreGoodForNothingAlreadyDoNoHarm() async throws {
        try await signIn()
        dropbox.revokeEverything()
        try await signIn()
        #expect(dropbox.validRefreshTokenCount == 1)
    }

    @Test(.timeLimit(.minutes(2))) func aServerThatDoesNotAnswerHoldsNobodyUp() async throws {
        try await signIn()
        dropbox.stallRevocations()
        // The wait ends when the server has received the request.
        let joined = try await signIn { [dropbox] in
            await dropbox.request { $0.target.hasSuffix("auth/token/revoke") }
        }
        #expect(try await stored(joined.club) != nil)
        #expect(revocations(dropbox) == 1)
    }

    /// A token is sent only to the server that issued it.
    @Test func tokensOfAnotherServerAreLeftAlone() async throws {
        try await signIn()
        let other = try StandInDropbox()
        try home.write(settings: "")
        let club = try await signIn(at: other).club
        #expect(try await stored(club) != nil)
        #expect(revocations(dropbox) == 0)
        #expect(revocations(other) == 0)
        #expect(dropbox.validRefreshTokenCount == 1)
    }

    /// Tokens that could not be stored are revoked, and the previous ones stay.
    @Test func aSignInThatFailsRevokesItsOwnTokensAlone() async throws {
        let club = try await signIn().club
        let old = try await stored(club)
        try home.write(
            settings: "clubs: {work: {kind: dropbox, app-key: k, api-url: '\(dropbox.base)'}}\n")
        await #expect(throws: SignInError.self) { try await signIn() }
        #expect(dropbox.validRefreshTokenCount == 1)
        #expect(try await stored(club) == old)
    }
}
