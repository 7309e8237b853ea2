import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// Tokens renewed while the person signs in again or out.
@Suite struct SecretVaultTests {
    private let home = LoginHome()
    private let club = ClubSettings(name: "work", place: .dropbox(.init(appKey: "k")))

    private var vault: SecretVault {
        SecretVault(club: club, registry: home.registry, secrets: home.clubSecrets)
    }

    private func tokens(_ access: String, _ refresh: String) -> DropboxTokens {
        DropboxTokens(accessToken: access, expiry: nil, refreshToken: refresh)
    }

    @Test func renewedTokensAreKept() async throws {
        try await home.keeping.keep(SecretVault.encode(tokens("a", "r")), for: club)
        #expect(try await vault.write(tokens("b", "r"), replacing: "r") == nil)
        #expect(try await vault.read() == tokens("b", "r"))
    }

    @Test func aNewerSignInIsNotWrittenOver() async throws {
        try await home.keeping.keep(SecretVault.encode(tokens("a", "newer")), for: club)
        #expect(try await vault.write(tokens("b", "r"), replacing: "r") == tokens("a", "newer"))
        #expect(try await vault.read() == tokens("a", "newer"))
    }

    @Test func whoHasSignedOutStaysSignedOut() async throws {
        #expect(try await vault.write(tokens("b", "r"), replacing: "r") == nil)
        #expect(try await vault.read() == nil)
        #expect(try await !home.hasFile(of: "work"))
    }
}
