import ClubStore
import Foundation
import Synchronization

@testable import ClubAccess

/// A home folder for a test of signing in and out, without a keyring unless one is given.
final class LoginHome: Sendable {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "login-\(UUID().uuidString)")
    let registry: ClubRegistry
    let secrets: Secrets

    init(keyring: (any SecretKeeper)? = nil) {
        let paths = Paths(environment: [
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config",
            "XDG_STATE_HOME": folder.path + "/state",
        ])
        registry = ClubRegistry(paths: paths)
        secrets = Secrets(paths: paths, keyring: keyring)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var keeping: ClubRegistration { ClubRegistration(registry, secrets: secrets) }

    var settingsText: String {
        (try? String(contentsOf: registry.settingsFile.url, encoding: .utf8)) ?? ""
    }

    func write(settings text: String) throws {
        try FileManager.default.createDirectory(
            at: registry.settingsFile.url.deletingLastPathComponent(),
            withIntermediateDirectories: true)
        try Data(text.utf8).write(to: registry.settingsFile.url)
    }

    var clubSecrets: ClubSecrets { ClubSecrets(registry, secrets: secrets) }

    /// A club's stored credentials.
    func secret(of club: ClubSettings) async throws -> String? {
        try await clubSecrets.read(club).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a file has a secret for a club with this name.
    func hasFile(of name: String) async throws -> Bool {
        try await secrets.read(name, from: .file) != nil
    }
}

/// A keyring in memory, which can be locked.
final class TestKeyring: SecretKeeper {
    private let state = Mutex((secrets: [String: Data](), isLocked: false))

    var accounts: [String] { state.withLock { $0.secrets.keys.sorted() } }

    func lock() { state.withLock { $0.isLocked = true } }

    func put(_ secret: String, under account: String) {
        state.withLock { $0.secrets[account] = Data(secret.utf8) }
    }

    func read(_ account: String) async throws(SecretError) -> Data? {
        try check()
        return state.withLock { $0.secrets[account] }
    }

    func write(_ secret: Data, account: String, label: String) async throws(SecretError) {
        try check()
        state.withLock { $0.secrets[account] = secret }
    }

    func remove(_ account: String) async throws(SecretError) {
        try check()
        state.withLock { $0.secrets[account] = nil }
    }

    private func check() throws(SecretError) {
        if state.withLock({ $0.isLocked }) { throw .keyringLocked }
    }
}

extension ClubSettings.Place {
    /// A folder on a WebDAV server.
    static func webdav(_ address: String, user: String?, pin: ServerKey? = nil) -> Self {
        guard let url = URL(string: address) else { preconditionFailure("no address: \(address)") }
        return .webdav(
            .init(url: url, signIn: user.map { .password(user: $0) } ?? .token, pin: pin))
    }
}
