import Foundation
import TestSupport
import Testing

/// A secret is in one file and nowhere else, in none of its forms: not in what is said, in command lines,
/// environments, addresses, logs, journals, drafts or other files.
@Suite struct SecretsOnDiskTests {
    private let note = ["Afar.txt": "from afar\n"]

    private func login(
        _ address: String, _ arguments: [String], secret: String, _ hunt: SecretHunt
    ) async throws {
        let output = try await hunt.run(
            ["login", "webdav", address] + arguments + ["--password-stdin"], input: secret + "\n")
        #expect(output.status == 0, "\(output.errorText)")
    }

    /// Uses the club in all ways that leave something on the disk.
    private func use(_ home: ClubHome, _ hunt: SecretHunt) async throws {
        try home.write("to be copied\n", toNote: "Near.txt")
        for arguments in [
            ["notes", "ls"], ["notes", "cat", "Afar"], ["notes", "new", "a", "-"],
            ["photos", "ls"],
            ["copy", "--from", "embedded", "--to", "webdav"], ["doctor"], ["settings"],
        ] {
            _ = try await hunt.run(arguments, input: "text")
        }
        let terminal = try home.start()
        defer { terminal.close() }
        try await terminal.wait(forText: "Afar.txt")
        try await terminal.waitUntilIdle()
        terminal.press(.enter)
        try await terminal.wait(forText: "Ln 1")
        terminal.type("unsaved ")
        try await terminal.wait(forText: "unsaved ")
        hunt.lookAtProcesses()
        terminal.signal(SIGTERM)
        try await terminal.waitForEnd()
        hunt.look(at: String(decoding: terminal.output, as: UTF8.self), of: "the screen")
    }

    private func expectNothing(_ hunt: SecretHunt, _ home: ClubHome) throws {
        let files = hunt.lookAtFiles()
        #expect(files.contains { $0.hasSuffix(".draft") })
        #expect(files.contains { $0.hasSuffix("config.yml") })
        #expect(hunt.result.isEmpty)
        let kept = home.folder.appending(path: "state/byteclub/secrets/webdav.json").path
        let attributes = try FileManager.default.attributesOfItem(atPath: kept)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aPassword() async throws {
        let server = try StandInWebDAV(files: note)
        try await inFreshHome { home in
            let hunt = SecretHunt(
                SecretHunt.password(server.password, of: server.user), in: home,
                keptIn: "secrets/webdav.json")
            try await login(
                server.address, ["--user", server.user], secret: server.password, hunt)
            try await use(home, hunt)
            for request in server.requests { hunt.look(at: request.target, of: "an address") }
            try expectNothing(hunt, home)
        }
    }

    @Test func aToken() async throws {
        let server = try StandInWebDAV(files: note)
        try await inFreshHome { home in
            let hunt = SecretHunt([server.token], in: home, keptIn: "secrets/webdav.json")
            try await login(server.address, ["--token"], secret: server.token, hunt)
            try await use(home, hunt)
            for request in server.requests { hunt.look(at: request.target, of: "an address") }
            try expectNothing(hunt, home)
        }
    }

    /// Digest shows the server what is as good as the password.
    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func aPasswordForDigest() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .digest)
        try Data("from afar\n".utf8).write(to: club.folder.appending(path: "Afar.txt"))
        try await inFreshHome { home in
            let hunt = SecretHunt(
                SecretHunt.password(
                    ApacheServer.password, of: ApacheServer.user, digest: ApacheServer.digest),
                in: home, keptIn: "secrets/webdav.json")
            try await login(
                club.url.absoluteString, ["--user", ApacheServer.user],
                secret: ApacheServer.password, hunt)
            try await use(home, hunt)
            try expectNothing(hunt, home)
        }
    }
}
