import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// A secret is sent only to the server and account that it was given for, whatever the settings say
/// later.
@Suite struct ClubSecretsTests {
    private let home = LoginHome()

    private static func key(_ letter: Character) -> ServerKey? {
        ServerKey("sha256//" + String(repeating: letter, count: 42) + "A=")
    }

    private func keep(_ place: ClubSettings.Place) async throws {
        try await home.keeping.keep(Data("secret".utf8), for: ClubSettings(name: "c", place: place))
    }

    private func read(_ place: ClubSettings.Place) async throws -> String? {
        try await home.secret(of: ClubSettings(name: "c", place: place))
    }

    @Test func aPasswordGoesToItsServerAndAccountOnly() async throws {
        try await keep(.webdav("https://nas.local/club", user: "ann", pin: Self.key("a")))
        for same in ["https://nas.local/club", "https://NAS.local:443/other"] {
            #expect(try await read(.webdav(same, user: "ann", pin: Self.key("a"))) == "secret")
        }
        for other in [
            ClubSettings.Place.webdav("https://evil.local/club", user: "ann", pin: Self.key("a")),
            .webdav("https://nas.local:444/club", user: "ann", pin: Self.key("a")),
            .webdav("http://nas.local/club", user: "ann", pin: Self.key("a")),
            .webdav("https://nas.local/club", user: "ben", pin: Self.key("a")),
            .webdav("https://nas.local/club", user: nil, pin: Self.key("a")),
            .webdav("https://nas.local/club", user: "ann", pin: Self.key("b")),
            .webdav("https://nas.local/club", user: "ann"),
            .dropbox(.init(appKey: "k")),
        ] {
            await #expect(throws: SecretError.forAnother(club: "c"), "\(other)") {
                try await read(other)
            }
        }
    }

    @Test func tokensGoToTheirAppAndGatewayOnly() async throws {
        try await keep(.dropbox(.init(appKey: "k", folder: "f")))
        #expect(try await read(.dropbox(.init(appKey: "k", folder: "g"))) == "secret")
        for other in [
            ClubSettings.Dropbox(appKey: "j", folder: "f"),
            .init(appKey: "k", apiURL: URL(string: "https://evil.local"), folder: "f"),
        ] {
            await #expect(throws: SecretError.forAnother(club: "c")) {
                try await read(.dropbox(other))
            }
        }
    }

    /// A sign-in from before secrets were bound stays valid, for what the settings named first.
    @Test func whatAnOlderVersionKeptIsBoundWhenItIsFirstRead() async throws {
        let place = ClubSettings.Place.webdav("https://nas.local/club", user: "ann")
        let club = ClubSettings(name: "c", place: place)
        let old = PasswordVault.encode("secret")
        _ = try await home.secrets.write(old, account: "c", label: "", to: .file)
        try home.registry.remember(secretsOf: club, in: .file)
        #expect(try await home.clubSecrets.read(club) == old)
        await #expect(throws: SecretError.forAnother(club: "c")) {
            try await read(.webdav("https://evil.local/club", user: "ann"))
        }
        #expect(try await home.clubSecrets.read(club) == old)
    }
}
