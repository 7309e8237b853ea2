import Foundation
import TestSupport
import Testing

/// The line for commands, the chooser, and moving between clubs on the screen.
@Suite struct ClubsOnScreenTests {
    private let dropbox: StandInDropbox

    init() throws {
        dropbox = try StandInDropbox()
        dropbox.put("from afar\n", at: "/Afar.txt")
    }

    /// A home in which the settings name a club on the stand-in.
    private func withClub(
        _ look: Look = .classic, _ body: (ClubHome, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(
                settings: """
                    # mine
                    clubs:
                      work:
                        kind: dropbox
                        app-key: \(dropbox.appKey)
                        api-url: \(dropbox.base)
                    """)
            try home.write("near\n", toNote: "Near.txt")
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(home, terminal)
        }
    }

    /// The page's address, which may stand on several rows.
    private func address(on screen: TerminalScreen) -> String {
        var text = ""
        var isInside = false
        for row in 0..<screen.size.rows {
            let line = screen.text(ofRow: row).filter { !"│╭╮╰╯─".contains($0) }
                .trimmingCharacters(in: .whitespaces)
            if line.contains("https://www.dropbox.com") { isInside = true }
            guard isInside else { continue }
            if line.isEmpty { break }
            text += line
        }
        return text
    }

    private func signIn(_ terminal: TerminalDriver) async throws {
        try await terminal.wait(for: "the page's address") {
            $0.contains("oauth2/authorize") && $0.contains("shows")
        }
        // What was waited for may have been half a frame.
        try await terminal.waitUntilIdle()
        let screen = terminal.screen
        let consent = try #require(dropbox.consent(to: address(on: screen)), "\(screen)")
        terminal.type(consent.code + "\n")
    }

    /// Goes to the club on the stand-in, signs in there, and waits until it is shown.
    private func enterWork(_ terminal: TerminalDriver) async throws {
        terminal.type(":club work\n")
        try await signIn(terminal)
        try await terminal.wait(forText: "Ada Lovelace")
        try await terminal.waitUntilIdle()
    }

    @Test func goesToAnotherClubAndBackByCommand() async throws {
        try await withClub { home, terminal in
            terminal.type(":")
            try await terminal.wait(forText: "type a command")
            terminal.type("cl")
            terminal.press(.tab)
            try await terminal.wait(forText: ": club ")
            terminal.type("w")
            terminal.press(.tab)
            try await terminal.wait(forText: ": club work")
            terminal.press(.enter)
            try await signIn(terminal)
            try await terminal.wait(for: "the other club") {
                $0.contains("Afar.txt") && !$0.contains("Near.txt") && $0.contains("Ada Lovelace")
                    && $0.contains("1.2 GB of 2.0 GB")
            }
            // A note written here is there.
            terminal.type("n")
            try await terminal.wait(forText: Label.nameField)
            terminal.type("Both\nhello")
            terminal.press(.function(2))
            try await terminal.wait(forText: "Both.txt")
            #expect(dropbox.text(at: "/Both.txt") == "hello")

            terminal.type(":club embedded\n")
            try await terminal.wait(for: "the club on this computer") {
                $0.contains("Near.txt") && !$0.contains("Afar.txt") && $0.contains("embedded club")
            }
            terminal.type(":club work\n")
            try await terminal.wait(forText: "Afar.txt")
            try await terminal.waitUntilIdle()
            terminal.type(":quit\n")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
            #expect(home.noteNames == ["Near.txt"])

            // The next start opens the club opened last.
            let second = try home.start()
            defer { second.close() }
            try await second.wait(forText: "Afar.txt")
            #expect(dropbox.violations.isEmpty)
        }
    }

    @Test(arguments: Look.all) func theChooserShowsAllAndLeadsBack(look: Look) async throws {
        try await withClub(look) { _, terminal in
            terminal.type(":login\n")
            let chooser = try await terminal.wait(for: "the chooser") {
                $0.contains("Clubs") && $0.contains("work") && $0.contains("Dropbox…")
            }
            #expect(chooser.contains("open now"))
            #expect(chooser.contains("sign in"))
            try await terminal.waitUntilIdle()
            #expect(look.colorProblem(in: terminal.screen) == nil)
            terminal.type("Gk\n")
            try await terminal.wait(forText: "App key")
            // Nothing is not a key.
            terminal.press(.enter)
            try await terminal.wait(for: "the reason, and where keys are") {
                $0.contains("App Console")
                    && $0.contains("https://www.dropbox.com/developers/apps")
            }
            terminal.type("abc\n")
            try await terminal.wait(forText: "Folder")
            terminal.press(.escape)
            try await terminal.wait(forText: "App key")
            terminal.press(.escape)
            try await terminal.wait(forText: "open now")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "open now")
            #expect(terminal.screen.contains("Near.txt"))
        }
    }

    @Test func fitsTheSmallestScreen() async throws {
        try await withClub { _, terminal in
            terminal.resize(to: TerminalSize(columns: 20, rows: 6))
            try await terminal.waitUntilIdle()
            terminal.type(":login\n")
            try await terminal.wait(forText: "embedded")
            terminal.type("j\n")
            try await terminal.wait(forText: "code")
            let address = try await copied(terminal)
            let consent = try #require(dropbox.consent(to: address))
            terminal.type(consent.code + "\n")
            try await terminal.wait(forText: "Afar.txt")
        }
    }

    @Test func aClubAddedToTheSettingsMeanwhileIsThere() async throws {
        try await withClub { home, terminal in
            terminal.type(":")
            try await terminal.wait(forText: "club work")
            try home.write(settings: "clubs:\n  other: {kind: dropbox, app-key: k}\n")
            terminal.press(.escape)
            // The list may have changed before it was closed, and Esc with the next key would be another one.
            try await terminal.waitUntilIdle()
            try await terminal.wait(untilGone: "club work")
            terminal.type(":")
            try await terminal.wait(for: "the other club") {
                $0.contains("club other") && !$0.contains("club work")
            }
            terminal.press(.escape)
            try await terminal.wait(untilGone: "club other")
            terminal.type(":login\n")
            try await terminal.wait(forText: "other")
        }
    }

    @Test func theOpenClubIsChosenFirst() async throws {
        try await withClub { _, terminal in
            try await enterWork(terminal)
            terminal.type(":login\n")
            try await terminal.wait(forText: "open now")
            terminal.press(.up, .enter)
            try await terminal.wait(for: "the club above") {
                $0.contains("Near.txt") && !$0.contains("Afar.txt")
            }
        }
    }

    /// What ^O puts into the terminal's clipboard.
    private func copied(_ terminal: TerminalDriver) async throws -> String {
        try await terminal.waitUntilIdle()
        terminal.press(.control("o"))
        try await terminal.waitUntilIdle()
        let output = String(decoding: terminal.output, as: UTF8.self)
        let start = try #require(output.range(of: "\u{1B}]52;c;", options: .backwards))
        let encoded = output[start.upperBound...].prefix { $0 != "\u{07}" }
        let address = try #require(Data(base64Encoded: String(encoded)))
        return String(decoding: address, as: UTF8.self)
    }

    @Test(arguments: [TerminalSize.classic, TerminalSize(columns: 40, rows: 14)])
    func aWrongCodeCanBeCorrectedOnTheSamePage(size: TerminalSize) async throws {
        try await withClub { _, terminal in
            terminal.resize(to: size)
            try await terminal.waitUntilIdle()
            terminal.type(":club work\n")
            try await terminal.wait(forText: "Sign in to work")
            let page = try await copied(terminal)
            let consent = try #require(dropbox.consent(to: page))
            terminal.press(.enter)
            try await terminal.wait(forText: "Paste the code")
            #expect(!dropbox.routes.contains { $0.hasSuffix("oauth2/token") })
            terminal.type("nonsense\n")
            try await terminal.wait(forText: "did not accept")
            #expect(try await copied(terminal) == page)
            for button in ["Cancel", "Copy address", "Sign in "] {
                #expect(terminal.screen.contains(button), "\(button)\n\(terminal.screen)")
            }
            terminal.type(consent.code + "\n")
            try await terminal.wait(forText: "Afar.txt")
        }
    }

    @Test func cancelOnDropboxsLastBoxKeepsWhatWasTyped() async throws {
        try await withClub { _, terminal in
            terminal.type(":login\n")
            try await terminal.wait(forText: "open now")
            terminal.type("Gk\n")
            let box = try await terminal.wait(forText: "App key")
            #expect(box.contains("https://www.dropbox.com/developers/apps"))
            #expect(try await copied(terminal) == "https://www.dropbox.com/developers/apps")
            terminal.type("my0key\n")
            try await terminal.wait(forText: "Folder")
            terminal.type("Team notes\n")
            try await terminal.wait(forText: "oauth2/authorize")
            terminal.press(.escape)
            let folder = try await terminal.wait(for: "the box before") {
                $0.contains("Folder") && !$0.contains("oauth2/authorize")
            }
            #expect(folder.contains("Team notes"))
            terminal.press(.escape)
            let key = try await terminal.wait(forText: "App key")
            #expect(key.contains("my0key"))
        }
    }

    /// The browser's answer comes in the moment in which the person chooses the code instead: whichever is
    /// first, nothing is lost, and nobody is asked for what is there already.
    @Test(.serialized, arguments: [true, false])  // there is one registered port
    func theBrowsersAnswerAndTheCodeAtOnce(isBrowserFirst: Bool) async throws {
        try await inFreshHome { home in
            try home.write(
                settings: """
                    clubs:
                      work: {kind: dropbox, app-key: \(dropbox.appKey), api-url: '\(dropbox.base)'}
                    """)
            let opened = try home.makeBrowser()
            let path = home.folder.appending(path: "bin").path + ":/usr/local/bin:/usr/bin:/bin"
            let terminal = try home.start(more: ["PATH": path])
            defer { terminal.close() }
            try await terminal.wait(forText: "embedded club")
            try await terminal.waitUntilIdle()
            terminal.type(":club work\n")
            try await eventually("the browser opened") {
                FileManager.default.fileExists(atPath: opened.path)
            }
            let page = try await home.page(openedBy: opened)
            let consent = try #require(dropbox.consent(to: page))
            let port = try #require(consent.redirect?.port.flatMap { UInt16(exactly: $0) })
            let state = try #require(consent.state)
            let request =
                "GET /?code=\(consent.code)&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            try await terminal.wait(forText: "Use a code")
            // To the button.
            terminal.press(.right, .right)
            if !isBrowserFirst { terminal.press(.enter) }
            async let sending = LoopbackClient.send(request, toPort: port)
            if isBrowserFirst { terminal.press(.enter) }
            let answer = try? await sending
            // Told that it has been heard, the browser has won, whatever is shown just now.
            if answer?.hasPrefix("HTTP/1.1 200") != true { try await signIn(terminal) }
            // Its list or, when Enter came only then, its note.
            try await terminal.wait(forText: "Afar.txt")
            #expect(dropbox.violations.isEmpty)
            #expect(dropbox.validRefreshTokenCount == 1)
        }
    }

    @Test func aSignInThatTakesLongIsGivenUpWithEsc() async throws {
        dropbox.scriptTokenAnswers([[.stall]])
        try await withClub { home, terminal in
            terminal.type(":club work\n")
            try await signIn(terminal)
            try await eventually("the code's exchange") {
                dropbox.routes.contains { $0.hasSuffix("oauth2/token") }
            }
            terminal.press(.escape)
            try await terminal.wait(untilGone: "oauth2/authorize")
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("Near.txt"))
            #expect(!terminal.screen.contains("Not signed in"))
            #expect(home.names(in: home.folder.appending(path: "state/byteclub/secrets")).isEmpty)
            // The next attempt is as good as the first.
            try await enterWork(terminal)
            try await terminal.wait(forText: "Afar.txt")
        }
    }

    @Test func aSignInThatEndsWhileWritingCostsNoWord() async throws {
        try await withClub { home, terminal in
            try await enterWork(terminal)
            terminal.press(.enter)
            try await terminal.wait(forText: "Ln 1")
            terminal.type("typed with care ")
            dropbox.revokeEverything()
            terminal.press(.function(2))
            try await terminal.wait(for: "the question") {
                $0.contains("Sign in again") && $0.contains("still here")
            }
            terminal.type("s")
            try await signIn(terminal)
            // It is saved as it was meant to be, and the list is there again.
            try await terminal.waitForTabs()
            try await eventually("the save") {
                dropbox.text(at: "/Afar.txt") == "typed with care from afar\n"
            }
            try await terminal.wait(forText: "Ada Lovelace")
        }
    }

    @Test func aSignInThatHasEndedIsAskedForAtTheStart() async throws {
        try await withClub { home, terminal in
            try await enterWork(terminal)
            terminal.type("q")
            try await terminal.waitForEnd()
            dropbox.revokeEverything()
            let second = try home.start()
            defer { second.close() }
            try await second.wait(for: "the question") {
                $0.contains("Sign in again") && $0.contains("signed out of work")
            }
            try await second.waitUntilIdle()
            // Put off, it is asked again when the person looks again.
            second.type("l")
            try await second.wait(untilGone: "Sign in again")
            second.type("R")
            try await second.wait(forText: "Sign in again")
            try await second.waitUntilIdle()
            second.type("s")
            try await signIn(second)
            try await second.wait(for: "the club") {
                $0.contains("Afar.txt") && $0.contains("Ada Lovelace")
            }
        }
    }

    @Test func signsOutByCommand() async throws {
        try await withClub { home, terminal in
            terminal.type(":logout\n")
            try await terminal.wait(forText: "needs no sign-in")
            try await enterWork(terminal)
            terminal.type(":logout\n")
            try await terminal.wait(for: "the club on this computer") {
                $0.contains("Near.txt") && $0.contains("embedded club")
            }
            #expect(dropbox.validRefreshTokenCount == 0)
            #expect(home.names(in: home.folder.appending(path: "state/byteclub/secrets")).isEmpty)
        }
    }

    @Test func aSignOutThatTakesLongIsGivenUpAndSaysHowThingsStand() async throws {
        try await withClub { home, terminal in
            try await enterWork(terminal)
            dropbox.stallRevocations()
            terminal.type(":logout\n")
            try await terminal.wait(forText: "Signing out of “work”")
            try await eventually("the revocation") {
                dropbox.routes.contains { $0.hasSuffix("auth/token/revoke") }
            }
            terminal.press(.escape)
            try await terminal.wait(for: "how things stand") {
                $0.contains("Not signed out here") && !$0.contains("Signing out of")
            }
            // The person is in the club still, and signed in.
            #expect(terminal.screen.contains("Afar.txt"))
            let secrets = home.folder.appending(path: "state/byteclub/secrets")
            #expect(home.names(in: secrets) == ["work.json"])
            terminal.press(.enter)
            try await terminal.wait(forText: "from afar")
        }
    }

    /// Nobody is asked for an address and a password that cannot be kept in the end.
    @Test func settingsThatCannotBeChangedAreToldBeforeAnythingIsAsked() async throws {
        try await inFreshHome { home in
            try home.write(settings: "clubs: [\n")
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type(":login\n")
            try await terminal.wait(forText: "WebDAV…")
            terminal.type("G\n")
            try await terminal.wait(for: "the reason") {
                $0.contains("Not signed in") && $0.contains("must be fixed first")
            }
            #expect(!terminal.screen.contains("Address of the folder"))
        }
    }

    /// Changes the note of the club on the stand-in, and ends the program before it is saved.
    private func leaveUnsaved(_ terminal: TerminalDriver) async throws {
        try await enterWork(terminal)
        terminal.press(.enter)
        try await terminal.wait(forText: "Ln 1")
        terminal.type("unsaved ")
        try await terminal.wait(forText: "unsaved from afar")
        terminal.signal(SIGTERM)
        try await terminal.waitForEnd()
    }

    /// What was typed is wanted most when the club is out of reach.
    @Test func draftsAreOfferedWithoutAConnection() async throws {
        try await withClub { home, terminal in
            try await leaveUnsaved(terminal)
            dropbox.stop()
            let second = try home.start()
            defer { second.close() }
            try await second.wait(forText: "An unsaved note was kept")
        }
    }

    @Test func draftsStayWithTheirClub() async throws {
        try await withClub { home, terminal in
            try await leaveUnsaved(terminal)
            let clubs = home.folder.appending(path: "state/byteclub/clubs")
            let drafts = home.names(in: clubs).flatMap {
                home.names(in: clubs.appending(path: "\($0)/drafts"))
            }
            #expect(drafts.contains { $0.hasSuffix(".draft") })

            #expect(try await home.run("login", "club").status == 0)
            let second = try await home.open()
            #expect(!second.screen.contains("unsaved note"))
            second.type(":club work\n")
            try await second.wait(forText: "An unsaved note was kept")
            second.close()
        }
    }

    /// What is secret never comes onto the screen, and nothing but the one file has it.
    @Test func secretsAreNotOnTheScreen() async throws {
        try await withClub { home, terminal in
            try await enterWork(terminal)
            let arguments = home.processes.flatMap { ProcessTable.arguments(of: $0) }
            let output = String(decoding: terminal.output, as: UTF8.self)
            for secret in dropbox.secrets where !secret.hasPrefix("code-") {
                #expect(!output.contains(secret))
                #expect(!arguments.contains { $0.contains(secret) })
            }
            // Nobody may look into the program or dump its memory.
            let memory = open("/proc/\(terminal.process)/environ", O_RDONLY)
            if geteuid() != 0 { #expect(memory < 0) }
            if memory >= 0 { close(memory) }
        }
    }

    @Test func loginWithoutAKindOpensTheChooser() async throws {
        try await inFreshHome { home in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, ["login"], environment: home.environment(),
                    directory: home.work.path, size: .classic))
            defer { terminal.close() }
            try await terminal.wait(forText: "Join a club on Dropbox")
        }
    }

    @Test func aWrongLineInTheSettingsIsToldAndTheRestWorks() async throws {
        try await inFreshHome { home in
            try home.write(
                settings: """
                    clubs:
                      gone: {kind: pigeon}
                      work: {kind: dropbox, app-key: k}
                    """)
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "config.yml, line 2")
            terminal.type(":club w")
            try await terminal.wait(forText: "club work")
            let output = try await home.run("notes", "ls")
            #expect(output.status == 0)
            #expect(output.errorText.contains("config.yml, line 2"))
        }
    }

    @Test func theFirstStartSaysHowToJoinAnotherClub() async throws {
        try await inFreshHome(hasClub: false) { home in
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(forText: "press : and type login")
        }
    }
}
