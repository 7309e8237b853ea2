import Foundation
import TestSupport
import Testing

/// Signing in to a WebDAV club on the screen: slow servers, untrusted servers, and the way back.
@Suite struct WebDAVOnScreenTests {
    private func settings(_ home: ClubHome) throws -> String {
        try String(
            contentsOf: home.folder.appending(path: "config/byteclub/config.yml"), encoding: .utf8)
    }

    /// Answers the boxes up to the password.
    private func join(
        _ address: String, user: String, password: String, _ terminal: TerminalDriver
    ) async throws {
        terminal.type(":login\n")
        try await terminal.wait(forText: "WebDAV…")
        terminal.type("G\n")
        try await terminal.wait(forText: "Address of the folder")
        terminal.press(.control("a"))
        terminal.type(address + "\n")
        try await terminal.wait(forText: "User")
        terminal.type(user + "\n")
        try await terminal.wait(forText: "Password of \(user)")
        terminal.type(password + "\n")
    }

    // MARK: - What takes long

    /// Nothing ends on top of what the person does meanwhile: a box stands above everything until it is
    /// over, and Esc leads back, box by box, with what was typed.
    @Test func aSignInThatTakesLongIsGivenUpWithEsc() async throws {
        let gate = LoopbackGate()
        defer { gate.open() }
        let server = try StandInWebDAV(files: ["Afar.txt": "from afar\n"], gate: gate)
        try await withApp(notes: ["Near.txt": "near"]) { home, terminal in
            try await join(
                server.address, user: server.user, password: server.password, terminal)
            try await terminal.wait(forText: "Signing in as ann")
            // Keys of what is beneath do nothing.
            terminal.type("n")
            terminal.press(.escape)
            try await terminal.wait(forText: "Password of ann")
            #expect(!terminal.screen.contains(Label.nameField))
            terminal.press(.escape)
            try await terminal.wait(for: "the user") {
                $0.contains("User") && $0.contains("ann") && !$0.contains("Password")
            }
            terminal.press(.escape)
            try await terminal.wait(forText: server.address)
            terminal.press(.escape)
            try await terminal.wait(forText: "open now")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "open now")
            gate.open()
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("Near.txt"))
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)
        }
    }

    // MARK: - Somebody else

    /// What is opened after a conflict is what is there now, although the folder was not looked at since.
    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func afterAConflictTheOtherTextIsOpened() async throws {
        let club = try ApacheServer.shared.makeClub()
        let file = club.folder.appending(path: "Plan.txt")
        try Data("first words\n".utf8).write(to: file)
        try await inFreshHome { home in
            let login = try await home.run(
                ["login", "webdav", club.url.absoluteString, "--user", "ann", "--password-stdin"],
                input: "secret\n")
            try #require(login.status == 0, "\(login.errorText)")
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "Plan.txt")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(forText: "Ln 1")
            try Data("words of another member\n".utf8).write(to: file)
            terminal.type("mine ")
            terminal.press(.control("s"))
            try await terminal.wait(forText: "Keep both")
            try await terminal.waitUntilIdle()
            terminal.type("b")
            try await terminal.wait(for: "the copy") {
                $0.contains("my version") && !$0.contains("modified")
            }
            try await terminal.waitUntilIdle()
            terminal.press(.escape)
            try await terminal.wait(for: "the list") { $0.showsTabs }
            terminal.type("/Plan.txt\n")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(for: "what the other member wrote") {
                !$0.showsTabs && $0.contains("words of another member")
            }
        }
    }

    // MARK: - An untrusted server

    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func aKeyIsAcceptedOnPurposeAndBelievedFromThenOn() async throws {
        let club = try ApacheServer.shared.makeClub(behind: .basic, isSecure: true)
        try Data("from afar\n".utf8).write(to: club.folder.appending(path: "Afar.txt"))
        let address = club.url.absoluteString
        try await withApp { home, terminal in
            try await join(
                address, user: ApacheServer.user, password: ApacheServer.password, terminal)
            try await terminal.wait(forText: "is not trusted")
            // What somebody types on, and Enter, accept nothing.
            terminal.type("i\n")
            try await terminal.wait(untilGone: "is not trusted")
            #expect(!terminal.screen.contains("Afar.txt"))
            #expect(home.names(in: home.folder.appending(path: "config")).isEmpty)

            // One box back, and nothing typed before is lost.
            try await terminal.wait(forText: "Password of")
            terminal.type(ApacheServer.password + "\n")
            try await terminal.wait(forText: "is not trusted")
            try await terminal.waitUntilIdle()
            terminal.press(.right, .enter)
            try await terminal.wait(forText: "Afar.txt")
            #expect(try settings(home).contains(ApacheServer.keyFingerprint))
            try await terminal.waitUntilIdle()
            terminal.type(":quit\n")
            try await terminal.waitForEnd()

            // The server shows another key than the one that was accepted.
            let old = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            try home.write(
                settings: settings(home).replacing(ApacheServer.keyFingerprint, with: old))
            let second = try home.start()
            defer { second.close() }
            try await second.wait(forText: "Sign in")
            try await second.waitUntilIdle()
            second.type("s")
            try await second.wait(forText: "Password of ann")
            second.type(ApacheServer.password + "\n")
            try await second.wait(forText: "key has changed")
            try await second.waitUntilIdle()
            second.press(.right, .enter)
            // The list was there from the start.
            try await eventually("the new key") {
                try settings(home).contains(ApacheServer.keyFingerprint)
            }
            #expect(try !settings(home).contains(old))
            #expect(try !settings(home).contains("webdav-2"))
        }
    }

    // MARK: - Secrets

    /// What is typed must not be in a core dump, not even while it is typed.
    @Test func thePasswordIsAskedForOnlyWhenNothingCanBeDumped() async throws {
        try await inFreshHome { home in
            try home.write(
                settings: """
                    clubs:
                      nas: {kind: webdav, url: 'https://127.0.0.1:9/club', user: ann}
                    """)
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type(":club nas\n")
            try await terminal.wait(forText: "Password of ann")
            let limits = try String(
                contentsOfFile: "/proc/\(terminal.process)/limits", encoding: .utf8)
            let line = try #require(
                limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
            #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        }
    }
}
