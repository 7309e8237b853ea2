import Foundation
import TestSupport
import Testing

/// Joining a club on WebDAV, by command and on the screen.
@Suite struct WebDAVCommandTests {
    private let server: StandInWebDAV

    init() throws {
        server = try StandInWebDAV(files: ["Afar.txt": "from afar\n"])
    }

    private func login(
        _ home: ClubHome, password: String, _ more: String...
    ) async throws -> Command.Output {
        try await home.run(
            ["login", "webdav", server.address, "--user", server.user, "--password-stdin"] + more,
            input: password + "\n")
    }

    @Test func joinsUsesAndLeavesAClub() async throws {
        try await inFreshHome { home in
            let login = try await login(home, password: server.password)
            #expect(login.status == 0, "\(login.errorText)")
            let list = try await home.run("notes", "ls")
            #expect(list.text.contains("Afar.txt"), "\(list.errorText)")
            #expect(try await home.run("notes", "cat", "Afar").text == "from afar\n")
            #expect(try await home.run("logout").status == 0)
            let afterwards = try await home.run("notes", "ls", "--club", "webdav")
            #expect(afterwards.status == 1)
            let lines = afterwards.errorText.split(separator: "\n")
            #expect(lines.first?.contains("You are not signed in to the club “webdav”") == true)
            #expect(lines.last?.hasPrefix("byteclub login webdav '\(server.address)'") == true)
        }
    }

    /// What comes through a pipe comes once.
    @Test func aTextThatCannotBeSentWaits() async throws {
        let server = try StandInWebDAV()
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", server.address, "--user", server.user, "--password-stdin"],
                input: server.password + "\n")
            #expect(login.status == 0, "\(login.errorText)")
            server.stop()
            let output = try await home.run(
                ["notes", "new", "From a pipe", "-"], input: "words that come once\n")
            #expect(output.status == 0)
            #expect(output.errorText.contains("the change waits here"), "\(output.errorText)")
            let drafts = home.folder.appending(path: "state/byteclub/drafts")
            #expect(!home.names(in: drafts).contains { $0.hasSuffix(".draft") })
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "1 change waiting")
            try await terminal.wait(forText: "From a pipe.txt")
        }
    }

    @Test func aFolderThatIsNewIsMade() async throws {
        let server = try StandInWebDAV(hasFolder: false)
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", server.address, "--user", server.user, "--password-stdin"],
                input: server.password + "\n")
            #expect(login.status == 0, "\(login.errorText)")
            let list = try await home.run("notes", "ls")
            #expect(list.status == 0, "\(list.errorText)")
            #expect(server.requests.filter { $0.method == "MKCOL" }.count == 1)
        }
    }

    @Test func aWrongPasswordChangesNothing() async throws {
        try await inFreshHome { home in
            for password in ["wrong", ""] {
                let output = try await login(home, password: password)
                #expect(output.status == 1)
                #expect(output.errorText.contains("password"))
            }
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
            #expect(home.names(in: home.folder.appending(path: "state")).isEmpty)
        }
    }

    @Test func aPasswordThatIsTooLongIsNamedAsSuch() async throws {
        try await inFreshHome { home in
            let long = try await login(home, password: String(repeating: "x", count: 100_000))
            #expect(long.status == 1)
            #expect(long.errorText.contains("longer than a password"), "\(long.errorText)")
            let none = try await login(home, password: "")
            #expect(none.errorText.contains("Sign in again when you have it."))
        }
    }

    /// A key that was changed, or one that somebody in between shows.
    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func anotherKeyThanThePinnedOneIsNotOffered() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        try await inFreshHome { home in
            func login(_ pin: String) async throws -> Command.Output {
                try await home.run(
                    [
                        "login", "webdav", club.url.absoluteString, "--user", ApacheServer.user,
                        "--password-stdin", "--pin", pin,
                    ], input: ApacheServer.password + "\n")
            }
            let old = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            let refused = try await login(old)
            #expect(refused.status == 1)
            #expect(refused.errorText.contains("The server's key has changed."))
            #expect(!refused.errorText.contains("--pin sha256//"), "\(refused.errorText)")
            #expect(try await login(ApacheServer.keyFingerprint).status == 0)
        }
    }

    /// Such a name cannot be asked for. The person can do something about it, once it is known.
    @Test func whatHasNoNameInUTF8IsToldOf() async throws {
        let server = try StandInWebDAV(files: ["bad%ff.txt": "", "Afar.txt": ""])
        try await inFreshHome { home in
            let output = try await home.run(
                ["login", "webdav", server.address, "--user", server.user, "--password-stdin"],
                input: server.password + "\n")
            #expect(output.status == 0)
            for arguments in [["notes", "ls"], ["notes", "ls", "--json"], ["photos", "ls"], []] {
                let list = try await home.run(arguments)
                #expect(list.status == 0)
                #expect(list.errorText.contains("“bad%ff.txt” is not shown"), "\(arguments)")
            }
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(for: "the club and what is not shown") {
                $0.contains("Afar.txt") && $0.contains("“bad%ff.txt” is not shown")
            }
        }
    }

    /// Some servers give out tokens and know no password.
    @Test func aTokenIsAsGoodAsANameAndAPassword() async throws {
        try await inFreshHome { home in
            func login(_ token: String) async throws -> Command.Output {
                try await home.run(
                    ["login", "webdav", server.address, "--token", "--password-stdin"],
                    input: token + "\n")
            }
            let refused = try await login("expired")
            #expect(refused.status == 1)
            #expect(refused.errorText.contains("does not accept this token"))
            let forged = try await login("a b")
            #expect(forged.status == 1)
            #expect(forged.errorText.contains("no blanks"))
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)

            let joined = try await login(server.token)
            #expect(joined.status == 0, "\(joined.errorText)")
            #expect(joined.text.hasPrefix("Signed in.\n"))
            #expect(try await home.run("notes", "cat", "Afar").text == "from afar\n")
            let used = try #require(server.requests.last)
            #expect(used["Authorization"] == "Bearer \(server.token)")
            let settings = try String(
                contentsOf: home.folder.appending(path: "config/byteclub/config.yml"),
                encoding: .utf8)
            #expect(settings.contains("sign-in: token"))
            #expect(!settings.contains(server.token))
        }
    }

    @Test func badArgumentsAreBadUsage() async throws {
        try await inFreshHome { home in
            for arguments in [
                ["login", "webdav"], ["login", "webdav", "https://h/"],
                ["login", "webdav", "ftp://h/", "--user", "u", "--password-stdin"],
                ["login", "webdav", "https://u:p@h/", "--user", "u", "--password-stdin"],
                ["login", "webdav", "https://h:99999/", "--user", "u", "--password-stdin"],
                ["login", "webdav", "https://h/a/../b", "--user", "u", "--password-stdin"],
                ["login", "webdav", "https://h/%2e%2E/b", "--user", "u", "--password-stdin"],
                ["login", "webdav", "https://h/", "--user", "", "--password-stdin"],
                ["login", "webdav", "https://h/", "--user", "u"],
                ["login", "webdav", "https://h/", "--user", "u", "--token", "--password-stdin"],
                ["login", "webdav", "http://nas.example/", "--token", "--password-stdin"],
                ["login", "webdav", "https://h/", "--user", "u", "--password-stdin", "--pin", "x"],
            ] {
                let output = try await home.run(arguments)
                #expect(output.status == 2, "\(arguments) \(output.errorText)")
                #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
            }
        }
    }

    /// What was typed wrong is named.
    @Test func aWrongAddressIsToldAsSuch() async throws {
        try await inFreshHome { home in
            let text = home.work.appending(path: "no.pem")
            try Data("no certificate\n".utf8).write(to: text)
            let plain = try LoopbackServer(scripts: [[.send("220 hello\r\n"), .close]])
            // Apache and nginx do so at a port for TLS.
            let apache = try LoopbackServer { _ in [.close] }
            let nginx = try LoopbackServer { _ in [.answer("400 Bad Request", body: "")] }
            for (address, more, words) in [
                (server.address + "/Afar.txt", [], "No WebDAV folder is at this address"),
                ("http://127.0.0.1:9/club", [], "does not answer at this address"),
                ("https://127.0.0.1:\(plain.port)/club", [], "does not speak https"),
                ("http://127.0.0.1:\(apache.port)/club", [], "begin the address with https://"),
                ("http://127.0.0.1:\(nginx.port)/club", [], "begin the address with https://"),
                (server.address, ["--ca-file", text.path], "There is no certificate in"),
            ] {
                let output = try await home.run(
                    ["login", "webdav", address, "--user", "ann", "--password-stdin"] + more,
                    input: server.password + "\n")
                #expect(output.status == 1)
                #expect(output.errorText.contains(words), "\(address): \(output.errorText)")
            }
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
        }
    }

    @Test func whatTheServerWantsInsteadIsSaid() async throws {
        try await inFreshHome { home in
            let tokens = try LoopbackServer { _ in
                [.answer("401 Unauthorized", ["WWW-Authenticate: Bearer realm=\"x\""], body: "")]
            }
            let moved = try LoopbackServer { _ in
                [.answer("302 Found", ["Location: http://127.0.0.1:9/sign%20in"], body: "")]
            }
            for (port, words) in [
                (tokens.port, "it asks for Bearer): sign in with a token."),
                (
                    moved.port,
                    "The server sends you on to http://127.0.0.1:9/sign%20in; sign in there"
                ),
            ] {
                let output = try await home.run(
                    [
                        "login", "webdav", "http://127.0.0.1:\(port)/club", "--user", "ann",
                        "--password-stdin",
                    ], input: "secret\n")
                #expect(output.status == 1)
                #expect(output.errorText.contains(words), "\(output.errorText)")
            }
            #expect(!tokens.requests.isEmpty)
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
        }
    }

    /// A proxy's error is not reported as the server's.
    @Test func aProxyThatLeadsNowhereIsNamed() async throws {
        try await inFreshHome { home in
            let proxy = try LoopbackServer { _ in [.answer("502 Bad Gateway", body: "")] }
            for (port, words) in [(Int(proxy.port), "answered 502"), (9, "cannot be reached")] {
                let output = try await Command(
                    ClubHome.program,
                    [
                        "login", "webdav", "https://cloud.invalid/club", "--user", "ann",
                        "--password-stdin",
                    ],
                    environment: home.environment(more: [
                        "https_proxy": "http://127.0.0.1:\(port)"
                    ]), directory: home.work.path, input: Data("secret\n".utf8)
                ).run()
                #expect(output.status == 1)
                #expect(
                    output.errorText.contains("the proxy 127.0.0.1:\(port) \(words)"),
                    "\(output.errorText)")
            }
        }
    }

    /// `config.yml` may be changed by hand, or come from elsewhere.
    @Test func thePasswordGoesToNoOtherServerThatTheSettingsName() async throws {
        let other = try StandInWebDAV(files: ["Evil.txt": ""])
        try await inFreshHome { home in
            #expect(try await login(home, password: server.password).status == 0)
            let file = home.folder.appending(path: "config/byteclub/config.yml")
            let text = try String(contentsOf: file, encoding: .utf8)
            try home.write(settings: text.replacing(server.address, with: other.address))
            let list = try await home.run("notes", "ls")
            #expect(list.status == 1)
            #expect(list.errorText.contains("sign in again"), "\(list.errorText)")
            #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
            try home.write(settings: text)
            #expect(try await home.run("notes", "ls").text.contains("Afar.txt"))
        }
    }

    @Test func joinsWithATokenOnTheScreen() async throws {
        try await withApp { _, terminal in
            terminal.type(":login\n")
            try await terminal.wait(forText: "WebDAV…")
            terminal.type("G\n")
            try await terminal.wait(forText: "Address of the folder")
            terminal.press(.control("a"))
            terminal.type(server.address + "\n")
            try await terminal.wait(forText: "Empty to sign in with a token")
            terminal.press(.enter)
            try await terminal.wait(forText: "Token")
            terminal.type(server.token + "\n")
            try await terminal.wait(forText: "Afar.txt")
            #expect(!String(decoding: terminal.output, as: UTF8.self).contains(server.token))
        }
    }

    @Test func joinsOnTheScreen() async throws {
        try await withApp { _, terminal in
            terminal.type(":login\n")
            try await terminal.wait(forText: "WebDAV…")
            terminal.type("G\n")
            try await terminal.wait(forText: "Address of the folder")
            terminal.press(.control("a"))
            terminal.type(server.address + "\n")
            try await terminal.wait(forText: "User")
            terminal.type(server.user + "\n")
            try await terminal.wait(forText: "Password of ann")
            terminal.type("wrong\n")
            try await terminal.wait(forText: "Not signed in")
            terminal.type("t")
            try await terminal.wait(forText: "Password of ann")
            terminal.type(server.password)
            try await terminal.wait(forText: "••••")
            #expect(!terminal.screen.contains("horse"))
            terminal.press(.enter)
            try await terminal.wait(forText: "Afar.txt")
            let output = String(decoding: terminal.output, as: UTF8.self)
            #expect(!output.contains("horse"))
        }
    }
}
