import Foundation
import TestSupport
import Testing

/// With few files that may be open, and in a home that has nothing yet.
@Suite struct LimitedFilesTests {
    private func run(
        _ home: ClubHome, _ arguments: String, limit: Int
    ) async throws -> Command.Output {
        try await Command(
            "/bin/sh", ["-c", "ulimit -n \(limit) && exec \(ClubHome.program) \(arguments)"],
            environment: home.environment(), directory: home.work.path, input: Data()
        ).run()
    }

    @Test(arguments: ["serve", "serve --listen 127.0.0.1:0", "notes ls", "photos ls --json"])
    func tooFewFilesAreSaidAtOnce(arguments: String) async throws {
        try await inFreshHome { home in
            let output = try await run(home, arguments, limit: 20)
            #expect(output.status == 1)
            #expect(output.errorText.contains("Too many open files"), "\(output.errorText)")
            #expect(output.errorText.contains("ulimit -n"))
            #expect(output.text.isEmpty)
            #expect(home.servers.isEmpty)
        }
    }

    @Test func asFewAsItNeedsWillDo() async throws {
        try await inFreshHome { home in
            try home.write("text", toNote: "a.txt")
            let output = try await run(home, "notes cat a.txt", limit: 80)
            #expect(output.text == "text")
        }
    }

    /// What is made is for this user alone, also above the club; what is there keeps its mode.
    @Test func theFirstServeMakesFoldersForThisUserOnly() async throws {
        try await inFreshHome(hasClub: false) { home in
            let base = home.folder.appending(path: "home")
            try FileManager.default.createDirectory(
                at: base.appending(path: ".cache"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
            let xdg = ["CONFIG", "DATA", "STATE", "CACHE"].map { "XDG_\($0)_HOME" }
            let environment = home.environment().filter { !xdg.contains($0.key) }
            let output = try await Command(
                "/bin/sh", ["-c", "umask 0; exec \(ClubHome.program) notes ls"],
                environment: environment, directory: home.work.path, input: Data()
            ).run()
            #expect(output.status == 0, "\(output.errorText)")
            let all = try #require(FileManager.default.enumerator(atPath: base.path))
            for case let name as String in all
            where all.fileAttributes?[.type] as? FileAttributeType
                == .typeDirectory
            {
                let mode = all.fileAttributes?[.posixPermissions] as? Int
                #expect(mode == (name == ".cache" ? 0o755 : 0o700), "\(name)")
            }
            #expect(
                FileManager.default.fileExists(
                    atPath: base.appending(path: ".local/share/byteclub/club").path))
        }
    }
}
