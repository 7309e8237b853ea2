import Foundation
import TestSupport
import Testing

/// Joining a club on Dropbox by command, being in it, and leaving it.
@Suite struct DropboxCommandTests {
    private let dropbox: StandInDropbox

    init() throws {
        dropbox = try StandInDropbox()
    }

    private var login: [String] {
        ["login", "dropbox", "--app-key", dropbox.appKey, "--api-url", dropbox.base]
    }

    /// One on which nothing listens: the registered one is the same for all tests.
    private func freePort() throws -> String {
        let server = try LoopbackServer { _ in [.close] }
        defer { server.stop() }
        return String(server.port)
    }

    private func talk(
        _ home: ClubHome, _ arguments: [String], more: [String: String] = [:]
    ) throws -> Conversation {
        try Conversation(
            ClubHome.program, arguments, environment: home.environment(more: more),
            directory: home.work.path)
    }

    private func page(_ output: String) -> String? {
        output.split(separator: "\n").map(String.init).first {
            $0.hasPrefix(StandInDropbox.page)
        }
    }

    /// The person opens the page that was printed, and agrees.
    private func consent(to output: String) throws -> StandInDropbox.Consent {
        let page = try #require(self.page(output), "\(output)")
        return try #require(dropbox.consent(to: page))
    }

    /// Signs in as a person over SSH does.
    private func signIn(_ home: ClubHome, _ more: String...) async throws -> Command.Output {
        let program = try talk(home, login + ["--no-browser"] + more)
        let output = await program.output {
            $0.contains("oauth2/authorize") && $0.contains("standard input")
        }
        let consent = try consent(to: output)
        program.say(consent.code)
        return await program.end()
    }

    @Test func joinsByCodeUsesAndLeavesAClub() async throws {
        try await inFreshHome { home in
            let login = try await signIn(home)
            #expect(login.status == 0, "\(login.errorText)")
            #expect(login.text.contains("Ada Lovelace"))

            dropbox.put("from another member", at: "/there.txt")
            #expect(try await home.run("notes", "ls").text.contains("there.txt"))
            let new = try await home.run("notes", "new", "Plan", "-", input: "one\n")
            #expect(new.status == 0, "\(new.errorText)")
            #expect(dropbox.text(at: "/Plan.txt") == "one\n")
            #expect(try await home.run("notes", "cat", "there").text == "from another member")
            #expect(home.noteNames.isEmpty)

            // One command on another club, and back.
            #expect(try await home.run("notes", "ls", "--club", "embedded").text.isEmpty)
            #expect(try await home.run("--club", "embedded").status == 0)
            #expect(try await home.run().text.contains("Plan.txt"))

            let logout = try await home.run("logout")
            #expect(logout.status == 0, "\(logout.errorText)")
            #expect(dropbox.validAccessTokenCount == 0)
            #expect(dropbox.validRefreshTokenCount == 0)
            #expect(try await home.run("notes", "ls").text.isEmpty)
            let afterwards = try await home.run("notes", "ls", "--club", "dropbox")
            #expect(afterwards.status == 1)
            #expect(afterwards.errorText.contains("byteclub login dropbox --app-key"))
            #expect(dropbox.violations.isEmpty)
        }
    }

    @Test func joinsByTheBrowser() async throws {
        try await inFreshHome { home in
            let note = try home.makeBrowser()
            let folder = home.folder.appending(path: "bin")
            let program = try talk(
                home, login + ["--redirect-port", freePort()],
                more: ["PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin"])
            try await eventually("the browser opened") {
                FileManager.default.fileExists(atPath: note.path)
            }
            let address = try await home.page(openedBy: note)
            let consent = try #require(dropbox.consent(to: address))
            let redirect = try #require(consent.redirect)
            let state = try #require(consent.state)
            let portNumber = try #require(redirect.port)
            let port = UInt16(portNumber)
            // Whatever else knocks is sent away and does no harm.
            for (request, status) in [
                ("GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", "404"),
                ("GET /?code=x&state=y HTTP/1.1\r\nHost: evil.example\r\n\r\n", "400"),
                ("POST /?code=x HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", "400"),
                ("GET /" + String(repeating: "a", count: 20_000), "431"),
            ] {
                let answer = try await LoopbackClient.send(request, toPort: port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            }
            let answer = try await LoopbackClient.send(
                "GET /?code=\(consent.code)&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n",
                toPort: port)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            let output = await program.end()
            #expect(output.status == 0, "\(output.errorText)")
            #expect(dropbox.violations.isEmpty)
        }
    }

    @Test func aBrowserWithAnotherStateOrARefusalChangesNothing() async throws {
        try await inFreshHome { home in
            let program = try talk(home, login, more: ["PATH": "/nowhere"])
            // Without a browser it asks for the code: with one that does nothing, it waits.
            program.say("")
            #expect(await program.end().status == 1)

            let folder = home.folder.appending(path: "bin")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("#!/bin/sh\n".utf8).write(to: folder.appending(path: "xdg-open"))
            chmod(folder.path + "/xdg-open", 0o755)
            let waiting = try talk(
                home, login + ["--redirect-port", freePort()],
                more: ["PATH": folder.path + ":/usr/bin:/bin"])
            let output = await waiting.output { $0.contains("Waiting") }
            let consent = try consent(to: output)
            let portNumber = try #require(consent.redirect?.port)
            let port = UInt16(portNumber)
            let state = try #require(consent.state)
            // What does not belong to this sign-in does not end it.
            for (query, status) in [
                ("code=x&state=y", 404), ("error=access_denied&state=\(state)", 200),
            ] {
                let answer = try await LoopbackClient.send(
                    "GET /?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n", toPort: port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            }
            let end = await waiting.end()
            #expect(end.status == 1)
            #expect(end.errorText.contains("denied"), "\(end.errorText)")
            try expectNothingKept(in: home)
        }
    }

    private func expectNothingKept(in home: ClubHome) throws {
        #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
        #expect(home.names(in: home.folder.appending(path: "state")).isEmpty)
    }

    /// It is not the same as never to have signed in. The command that helps has a line of its own.
    @Test func aRevokedSignInIsNamedAsSuch() async throws {
        try await inFreshHome { home in
            #expect(try await signIn(home).status == 0)
            dropbox.revokeEverything()
            let output = try await home.run(["notes", "new", "Plan", "-"], input: "words\n")
            #expect(output.status == 1)
            let lines = output.errorText.split(separator: "\n").map(String.init)
            #expect(
                lines.first
                    == "byteclub: The club no longer accepts this sign-in. Sign in again. The text is kept as a draft: "
                    + "byteclub offers it at its next start.")
            #expect(
                lines.last
                    == "byteclub login dropbox --app-key '\(dropbox.appKey)' --api-url '\(dropbox.base)' --name dropbox"
            )
            #expect(lines.count == 2, "\(output.errorText)")
        }
    }

    @Test func aWrongCodeChangesNothing() async throws {
        try await inFreshHome { home in
            for code in ["wrong", ""] {
                let program = try talk(home, login + ["--no-browser"])
                program.say(code)
                let output = await program.end()
                #expect(output.status == 1)
                #expect(output.errorText.contains("code"), "\(output.errorText)")
            }
            try expectNothingKept(in: home)
        }
    }

    /// A proxy's error is not reported as Dropbox's.
    @Test func aProxyThatLeadsNowhereIsNamed() async throws {
        try await inFreshHome { home in
            let proxy = try LoopbackServer { _ in [.answer("502 Bad Gateway", body: "")] }
            for (port, words) in [(Int(proxy.port), "answered 502"), (9, "cannot be reached")] {
                let program = try talk(
                    home, ["login", "dropbox", "--app-key", "k", "--no-browser"],
                    more: ["https_proxy": "http://127.0.0.1:\(port)"])
                program.say("a-code")
                let output = await program.end()
                #expect(output.status == 1)
                #expect(
                    output.errorText.contains(
                        "the proxy 127.0.0.1:\(port) \(words). Check the proxy"),
                    "\(output.errorText)")
            }
        }
    }

    @Test func badArgumentsAreBadUsage() async throws {
        try await inFreshHome { home in
            for arguments in [
                ["login", "dropbox"], ["login", "dropbox", "--app-key", ""],
                ["login", "dropbox", "--app-key", "k", "--api-url", "ftp://x"],
                ["login", "dropbox", "--app-key", "k", "--api-url", "http://example.org"],
                ["login", "dropbox", "--app-key", "k", "--redirect-port", "0"],
                ["login", "dropbox", "--app-key", "k", "--redirect-port", "65536"],
                ["login", "dropbox", "--app-key", "k", "--name", "embedded"],
                ["login", "dropbox", "--app-key", "k", "--folder", "a/../b"],
                ["login", "nowhere"], ["login"], ["logout", "a", "b"],
            ] {
                let output = try await Command(
                    ClubHome.program, arguments, environment: home.environment(),
                    directory: home.work.path
                ).run()
                #expect(output.status == 2, "\(arguments) \(output.errorText)")
                #expect(output.errorText.hasPrefix("byteclub: "))
            }
            for arguments in [["notes", "ls", "--club", "nope"], ["logout", "nope"]] {
                let output = try await Command(
                    ClubHome.program, arguments, environment: home.environment(),
                    directory: home.work.path
                ).run()
                #expect(output.status == 1)
                #expect(output.errorText.contains("no club “nope”"))
            }
        }
    }

    @Test func aSettingsFileThatCannotBeChangedStopsTheSignInBeforeItBegins() async throws {
        try await inFreshHome { home in
            let folder = home.folder.appending(path: "config/byteclub")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "config.yml")
            for text in ["clubs: [\n", "version: 99\n"] {
                try Data(text.utf8).write(to: file)
                let program = try talk(home, login + ["--no-browser"])
                let output = await program.end()
                #expect(output.status == 1)
                #expect(!output.text.contains("oauth2"))
                #expect(output.errorText.contains("config.yml"))
                #expect(try String(contentsOf: file, encoding: .utf8) == text)
            }
        }
    }

    @Test func anotherClubOfTheSameNameStays() async throws {
        try await inFreshHome { home in
            #expect(try await signIn(home).status == 0)
            #expect(try await signIn(home, "--folder", "Byte Club").status == 0)
            let config = try String(
                contentsOf: home.folder.appending(path: "config/byteclub/config.yml"),
                encoding: .utf8)
            #expect(config.contains("  dropbox:\n"))
            #expect(config.contains("  dropbox-2:\n"))
            // The same again is the same club.
            #expect(try await signIn(home, "--folder", "Byte Club").status == 0)
            let again = try String(
                contentsOf: home.folder.appending(path: "config/byteclub/config.yml"),
                encoding: .utf8)
            #expect(again == config)
            let taken = try talk(
                home, login + ["--no-browser", "--name", "dropbox", "--folder", "x"])
            let output = await taken.end()
            #expect(output.status == 1)
            #expect(output.errorText.contains("another club named “dropbox”"))
        }
    }

    /// What is secret is in one file and nowhere else: not in what is said, not in arguments, not in
    /// other files.
    @Test func secretsAreInOneFileAndNowhereElse() async throws {
        try await inFreshHome { home in
            var said = ""
            let program = try talk(home, login + ["--no-browser"])
            let output = await program.output { $0.contains("standard input") }
            let consent = try consent(to: output)
            said += ProcessTable.arguments(of: program.processIdentifier).joined(separator: " ")
            program.say(consent.code)
            for result in [
                await program.end(), try await home.run("notes", "ls"),
                try await home.run("notes", "new", "a", "-", input: "x"), try await home.run(),
            ] {
                said += result.text + result.errorText
            }
            dropbox.expireAccessTokens()
            let renewed = try await home.run("notes", "ls")
            #expect(renewed.status == 0)
            said += renewed.text + renewed.errorText
            dropbox.revokeEverything()
            let revoked = try await home.run("notes", "ls")
            #expect(revoked.status == 1)
            said += revoked.text + revoked.errorText

            let secretsFolder = home.folder.appending(path: "state/byteclub/secrets")
            #expect(home.names(in: secretsFolder) == ["dropbox.json"])
            let attributes = try FileManager.default.attributesOfItem(
                atPath: secretsFolder.appending(path: "dropbox.json").path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(
                try FileManager.default.attributesOfItem(atPath: secretsFolder.path)[
                    .posixPermissions]
                    as? Int == 0o700)

            let secrets = dropbox.secrets
            #expect(secrets.count >= 4)
            let hunt = SecretHunt(secrets, in: home, keptIn: "secrets/dropbox.json")
            hunt.look(at: said, of: "output")
            for request in dropbox.requests { hunt.look(at: request.target, of: "an address") }
            hunt.lookAtProcesses()
            #expect(!hunt.lookAtFiles().isEmpty)
            #expect(hunt.result.isEmpty)
            #expect(dropbox.violations.isEmpty)
        }
    }

    @Test func leavingSaysSoWhenTheServerCouldNotBeTold() async throws {
        try await inFreshHome { home in
            #expect(try await signIn(home).status == 0)
            let config = home.folder.appending(path: "config/byteclub/config.yml")
            let text = try String(contentsOf: config, encoding: .utf8)
            try Data(text.replacing(dropbox.base, with: "http://127.0.0.1:1").utf8).write(
                to: config)
            let logout = try await home.run("logout")
            #expect(logout.status == 1)
            #expect(logout.errorText.contains("could not revoke"))
            #expect(home.names(in: home.folder.appending(path: "state/byteclub/secrets")).isEmpty)
        }
    }
}
