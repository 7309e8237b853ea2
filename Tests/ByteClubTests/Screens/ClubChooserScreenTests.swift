import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The list of clubs, and the boxes on the way into another one.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ClubChooserScreenTests {
    private static let title = "Clubs"

    private func open(_ home: CoordinatorHome) async throws -> CoordinatorHome.Run {
        try home.store.plant("near", at: "/Near.txt")
        let run = try await home.start()
        await run.screen.wait(for: "Near.txt")
        await run.command("login")
        await run.screen.wait(for: ClubChooserViewController.self)
        return run
    }

    @Test func showsWhichClubsThereAreAndHowTheyStand() async throws {
        let home = try CoordinatorHome(
            settings: CoordinatorHome.work + """
                  pictures:
                    kind: dropbox
                    app-key: abc

                """)
        try await home.signIn(to: "work")
        let run = try await open(home)
        let rows = run.screen.box(Self.title)
        try #require(rows.count == 5)
        let states = [
            ("embedded club", "this computer, open now"), ("work", "WebDAV, signed in"),
            ("pictures", "Dropbox, sign in"),
            ("Join a club on Dropbox…", "with an app key of yours"),
            ("Join a club on WebDAV…", "Nextcloud, Synology, Apache"),
        ]
        for (row, (name, state)) in zip(rows, states) {
            #expect(row.hasPrefix(name) && row.hasSuffix(state), "\(row)")
        }
        // What another program adds is there the next time.
        run.screen.press("Esc")
        try home.write(settings: CoordinatorHome.work)
        await run.command("login")
        await run.screen.wait { $0.box(Self.title).count == 4 }
        run.screen.press("q")
        await run.screen.wait(for: "1 · by name")
        await run.end()
    }

    @Test func theOpenClubIsSelected() async throws {
        let home = try CoordinatorHome(settings: CoordinatorHome.work)
        let run = try await open(home)
        run.screen.press("Enter")
        await run.screen.wait(for: "1 · by name")
        #expect(run.status.contains("embedded club"))
        await run.end()
    }

    @Test func aClubThatCannotBeOpenedIsShownAsItIs() async throws {
        let home = try CoordinatorHome(settings: CoordinatorHome.work)
        try await home.signIn(to: "work")
        home.clubs.refuse("work", with: .serverUnavailable(retryAfter: nil))
        let run = try await open(home)
        run.screen.press("Down", "Enter")
        await run.screen.wait { $0.lines[0].contains("work · offline") }
        #expect(run.screen.text.contains("The club's server cannot answer just now."))
        // And back.
        await run.command("login")
        await run.screen.wait(for: ClubChooserViewController.self)
        run.screen.press("Home", "Enter")
        await run.screen.wait(for: "Near.txt")
        await run.end()
    }

    /// Nothing listens at port 1 of this computer.
    private static let closed = """
        clubs:
          work:
            kind: webdav
            url: http://127.0.0.1:1/club
            user: ada

        """

    @Test func aSignInThatFailsLeadsBackToThePassword() async throws {
        let home = try CoordinatorHome(settings: Self.closed)
        let run = try await open(home)
        let screen = run.screen
        screen.press("Down", "Enter")
        await screen.wait(for: "Password of ada")
        screen.press("Enter")
        await screen.wait(for: "must not be empty.")
        screen.type("secret words\n")
        // No character of it is on the screen.
        #expect(!screen.text.contains("secret"))
        await screen.wait(for: "Not signed in")
        #expect(
            screen.message(of: "Not signed in").contains("does not answer at this address"))
        screen.press("t")
        await screen.wait(for: "Password of ada")
        screen.press("Esc")
        await screen.wait(untilGone: "Password of ada")
        #expect(run.status.contains("embedded club"))
        #expect(home.settingsText == Self.closed)
        await run.end()
    }

    @Test func withSettingsThatCannotBeChangedNothingIsAsked() async throws {
        let home = try CoordinatorHome(settings: "clubs: [\n")
        let run = try await open(home)
        for row in ["Join a club on Dropbox…", "Join a club on WebDAV…"] {
            let place = run.screen.box(Self.title).firstIndex { $0.hasPrefix(row) } ?? 0
            run.screen.press("Home")
            for _ in 0..<place { run.screen.press("Down") }
            run.screen.press("Enter")
            await run.screen.wait(for: "Not signed in")
            #expect(!run.screen.message(of: "Not signed in").isEmpty)
            run.screen.press("Enter")
            await run.screen.wait(untilGone: "Not signed in")
            await run.command("login")
            await run.screen.wait(for: ClubChooserViewController.self)
        }
        #expect(home.settingsText == "clubs: [\n")
        await run.end()
    }

    @Test func escLeadsOneBoxBackAtATime() async throws {
        let home = try CoordinatorHome()
        let run = try await open(home)
        let screen = run.screen
        screen.press("End", "Enter")
        await screen.wait(for: "Address of the folder")
        screen.press("Enter")
        await screen.wait(for: "The address must begin with https:// and name a host.")
        screen.press("^A", "^K", "Enter")
        await screen.wait(for: "This is not a valid address.")
        screen.press("^A", "^K")
        screen.type("nas.example/club\n")
        await screen.wait(for: "Your name on that server.")
        screen.type("ada\n")
        await screen.wait(for: "Password of ada")
        screen.press("Esc")
        await screen.wait(for: "Your name on that server.")
        #expect(screen.text.contains("ada"))
        screen.press("Esc")
        await screen.wait(for: "Address of the folder")
        #expect(screen.text.contains("https://nas.example/club"))
        screen.press("Esc")
        await screen.wait(for: ClubChooserViewController.self)
        // Dropbox asks for a key, and then for a folder.
        screen.press("End", "Up", "Enter")
        await screen.wait(for: "App key")
        screen.press("Enter")
        #expect(screen.isShowing(PromptViewController.self))
        screen.type("abc\n")
        await screen.wait(for: "Empty for everything that the app may see.")
        screen.press("Esc")
        await screen.wait(for: "App key")
        screen.press("Esc")
        await screen.wait(for: ClubChooserViewController.self)
        screen.press("Esc")
        await screen.wait(for: "1 · by name")
        #expect(home.settingsText == "")
        await run.end()
    }
}
