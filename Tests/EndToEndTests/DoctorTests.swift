import Foundation
import TestSupport
import Testing

/// `byteclub doctor` on set-ups that are broken in one way each.
@Suite struct DoctorTests {
    private struct Diagnostic: Decodable {
        var subject: String
        var verdict: String
        var text: String
        var advice: String?
    }

    private func examine(
        _ home: ClubHome, more: [String: String] = [:], status: Int32 = 1
    ) async throws -> [Diagnostic] {
        let output = try await Command(
            ClubHome.program, ["doctor", "--json"], environment: home.environment(more: more),
            directory: home.work.path
        ).run()
        #expect(output.status == status, "\(output.text) \(output.errorText)")
        return try JSONDecoder().decode([Diagnostic].self, from: output.standardOutput)
    }

    private func expectProblem(
        _ findings: [Diagnostic], with subject: String, saying word: String
    ) {
        let finding = findings.first { $0.subject == subject && $0.verdict == "problem" }
        #expect(finding?.text.contains(word) == true, "\(findings)")
        #expect(finding?.advice?.isEmpty == false)
    }

    @Test func aGoodSetUpIsFine() async throws {
        try await inFreshHome { home in
            let findings = try await examine(home, more: ["TERM": "xterm-256color"], status: 0)
            #expect(
                Set(findings.map(\.subject)).isSuperset(of: [
                    "terminal", "characters", "colours", "clipboard", "libraries", "pictures",
                    "permissions", "disk", "settings", "connection", "clock", "quota",
                ]))
            #expect(!findings.contains { $0.verdict == "problem" })
        }
    }

    @Test func aTerminalThatNobodyKnows() async throws {
        try await inFreshHome { home in
            expectProblem(
                try await examine(home, more: ["TERM": "teletype-9"]), with: "terminal",
                saying: "teletype-9")
        }
    }

    @Test func aWrongLineInTheSettings() async throws {
        try await inFreshHome { home in
            try home.write(settings: "mouse: left\n")
            expectProblem(try await examine(home), with: "settings", saying: "line 1")
        }
    }

    /// Every command reads the settings, and says what it cannot use.
    @Test func aKeyForACommandThatDoesNotExist() async throws {
        try await inFreshHome { home in
            try home.write(settings: "keys:\n  notes.dance: ^D\n")
            expectProblem(try await examine(home), with: "settings", saying: "notes.dance")
            let output = try await Command(
                ClubHome.program, ["notes", "ls"], environment: home.environment(),
                directory: home.work.path
            ).run()
            #expect(output.status == 0)
            #expect(output.errorText.contains("notes.dance"))
        }
    }

    @Test func secretsThatOthersCanRead() async throws {
        try await inFreshHome { home in
            let folder = home.folder.appending(path: "state/byteclub/secrets")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "work.json")
            try Data("{}".utf8).write(to: file)
            chmod(file.path, 0o644)
            let findings = try await examine(home)
            expectProblem(findings, with: "permissions", saying: "work.json")
            #expect(findings.contains { $0.advice?.contains("chmod 600") == true })
        }
    }

    @Test func aFileWhereAFolderShouldBe() async throws {
        try await inFreshHome { home in
            let folder = home.folder.appending(path: "config")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data().write(to: folder.appending(path: "byteclub"))
            expectProblem(try await examine(home), with: "permissions", saying: "not a folder")
        }
    }

    @Test func aClubThatIsOutOfReach() async throws {
        try await inFreshHome { home in
            let server = try StandInWebDAV()
            try await join(server, home)
            server.stop()
            let findings = try await examine(home)
            expectProblem(findings, with: "connection", saying: "webdav")
            // What could not be looked at is said too.
            #expect(Set(findings.map(\.subject)).isSuperset(of: ["clock", "quota"]))
        }
    }

    @Test func aMemoryThatIsDamaged() async throws {
        try await inFreshHome { home in
            let folder = home.folder.appending(path: "state/byteclub")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("garbage".utf8).write(to: folder.appending(path: "clubs.json"))
            expectProblem(try await examine(home), with: "clubs", saying: "clubs.json")
            // What is meant for one club does not end up in another.
            let note = try await home.run("notes", "new", "private", "-", input: "x")
            #expect(note.status == 1)
            #expect(home.noteNames.isEmpty)
        }
    }

    @Test func aClockThatGoesWrong() async throws {
        try await inFreshHome { home in
            let server = try StandInWebDAV(date: "Sun, 06 Nov 1994 08:49:37 GMT")
            defer { server.stop() }
            try await join(server, home)
            expectProblem(
                try await examine(home), with: "clock", saying: "days ahead of the club's")
        }
    }

    private func join(_ server: StandInWebDAV, _ home: ClubHome) async throws {
        let login = try await home.run(
            "login", "webdav", server.address, "--user", server.user, "--password-stdin",
            input: server.password + "\n")
        #expect(login.status == 0, "\(login.errorText)")
    }

    @Test func aClubThatNobodyIsSignedInTo() async throws {
        try await inFreshHome { home in
            try home.write(settings: "clubs: {work: {kind: dropbox, app-key: k}}\n")
            let output = try await home.run("doctor", "--club", "work")
            #expect(output.status == 1)
            #expect(output.text.contains("PROBLEM  connection"))
        }
    }

    @Test func aClubThatIsGone() async throws {
        try await inFreshHome { home in
            let output = try await home.run("doctor", "--club", "gone")
            #expect(output.status == 1)
            #expect(output.text.contains("There is no club “gone”"))
        }
    }
}
