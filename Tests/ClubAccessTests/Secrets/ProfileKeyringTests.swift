import Foundation
import Testing

@testable import ClubAccess

/// Several profiles of one person with one keyring.
@Suite struct ProfileKeyringTests {
    private let keyring = TestKeyring()

    private func secrets(_ state: String) -> Secrets {
        Secrets(
            paths: Paths(environment: ["HOME": "/nowhere", "XDG_STATE_HOME": state]),
            keyring: keyring)
    }

    private func write(_ text: String, _ secrets: Secrets) async throws {
        let place = try await secrets.write(
            Data(text.utf8), account: "dropbox", label: "", to: .keyring)
        #expect(place == .keyring)
    }

    private func read(_ secrets: Secrets) async throws -> String? {
        try await secrets.read("dropbox", from: .keyring).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func twoProfilesDoNotShareASignIn() async throws {
        let (one, two) = (secrets("/one"), secrets("/two"))
        try await write("first", one)
        try await write("second", two)
        #expect(try await read(one) == "first")
        #expect(try await read(two) == "second")
        try await two.remove("dropbox", from: .keyring)
        #expect(try await read(one) == "first")
        #expect(try await read(two) == nil)
    }

    @Test func whatAnOlderVersionKeptIsFoundAndMoves() async throws {
        keyring.put("old", under: "dropbox")
        let one = secrets("/one")
        #expect(try await read(one) == "old")
        try await write("new", one)
        #expect(try await read(one) == "new")
        #expect(keyring.accounts == ["dropbox /one/byteclub"])
    }

    @Test func whatAnOlderVersionKeptIsRemoved() async throws {
        keyring.put("old", under: "dropbox")
        try await secrets("/one").remove("dropbox", from: .keyring)
        #expect(keyring.accounts.isEmpty)
    }
}
