import Foundation
import Testing

@testable import ClubAccess

/// Secrets on a computer without a keyring: a private file each.
@Suite struct SecretsTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "secrets-\(UUID().uuidString)")

    private var secrets: Secrets {
        Secrets(paths: Paths(environment: ["HOME": folder.path]), environment: [:])
    }

    private var file: URL { folder.appending(path: ".local/state/byteclub/secrets/work.json") }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func keepsReplacesAndForgets() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await secrets.read("work", from: .file) == nil)
        for text in ["one", "two"] {
            let place = try await secrets.write(
                Data(text.utf8), account: "work", label: "", to: nil)
            #expect(place == .file)
            #expect(try await secrets.read("work", from: .file) == Data(text.utf8))
            #expect(try mode(file) == 0o600)
            #expect(try mode(file.deletingLastPathComponent()) == 0o700)
        }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: file.deletingLastPathComponent().path)
        #expect(names == ["work.json"])
        try await secrets.remove("work", from: .file)
        #expect(try await secrets.read("work", from: .file) == nil)
        try await secrets.remove("work", from: .file)
    }

    @Test func aFileThatOthersCouldReadIsClosedToThemWithTheNextWrite() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await secrets.write(Data("a".utf8), account: "work", label: "", to: nil)
        chmod(file.path, 0o644)
        _ = try await secrets.write(Data("b".utf8), account: "work", label: "", to: .file)
        #expect(try mode(file) == 0o600)
    }

    @Test func withoutABusThereIsNoKeyring() async {
        #expect(!Keyring.isReachable([:]))
        #expect(!Keyring.isReachable(["DBUS_SESSION_BUS_ADDRESS": ""]))
        #expect(!Keyring.isReachable(["XDG_RUNTIME_DIR": folder.path]))
        #expect(Keyring.isReachable(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]))
        await #expect(throws: SecretError.noKeyring) {
            try await secrets.read("work", from: .keyring)
        }
    }

    @Test func aFolderInTheWayIsToldInWords() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let error = await #expect(throws: SecretError.self) {
            try await secrets.read("work", from: .file)
        }
        #expect(error?.description.contains(file.path) == true)
    }
}
