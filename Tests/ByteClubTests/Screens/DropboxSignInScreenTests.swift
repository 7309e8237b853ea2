import ClubStore
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The sign-in to Dropbox, against a server of this process that has Dropbox's rules.
@MainActor @Suite(.timeLimit(.minutes(1))) struct DropboxSignInScreenTests {
    private let dropbox: StandInDropbox
    private let home: CoordinatorHome
    private let root = ViewController()
    private let outcome = Outcome()

    /// What has become of the box.
    private final class Outcome {
        var joined: DropboxSignIn.SignedInClub?
        var backCount = 0
    }

    private static let title = "Sign in to Dropbox"

    init() throws {
        dropbox = try StandInDropbox()
        home = try CoordinatorHome()
    }

    /// Shows the box of somebody without a browser: the page shows a code.
    private func open(width: Int = 80, height: Int = 24) async throws -> AppScreen {
        let keeping = ClubRegistration(
            home.registry, secrets: Secrets(paths: home.registry.paths, keyring: nil))
        let joining = try DropboxSignIn(
            .init(appKey: dropbox.appKey, apiURL: URL(string: dropbox.base)), keeping: keeping)
        let screen = try AppScreen(root, width: width, height: height)
        let outcome = outcome
        root.present(
            DropboxSignInViewController(
                joining, as: try joining.club(named: nil), back: { outcome.backCount += 1 },
                environment: [:]
            ) { outcome.joined = $0 })
        await screen.wait(for: DropboxSignInViewController.self)
        return screen
    }

    /// The page's address, which stands on several rows.
    private func address(on screen: AppScreen) -> String {
        screen.box(Self.title).drop { !$0.hasPrefix("https://") }.prefix { !$0.isEmpty }.joined()
    }

    private func code(on screen: AppScreen) throws -> String {
        try #require(dropbox.consent(to: address(on: screen)), "\(screen.text)").code
    }

    @Test func aCodeSignsIn() async throws {
        let screen = try await open()
        screen.type(try code(on: screen) + "\n")
        await screen.wait(untilGone: Self.title)
        let joined = try #require(outcome.joined)
        #expect(joined.account.displayName == "Ada Lovelace")
        #expect(joined.missingScopes.isEmpty)
        #expect(outcome.backCount == 0)
        #expect(home.registry.secretPlace(of: joined.club) == .file)
        #expect(try home.registry.club(named: nil) == joined.club)
        #expect(dropbox.violations.isEmpty)
    }

    @Test func nothingIsNoCode() async throws {
        let screen = try await open()
        for typed in ["\n", "  \n"] {
            screen.type(typed)
            await screen.wait(for: "Paste the code that the page shows, then press Enter.")
            #expect(dropbox.requests.isEmpty)
        }
        // The next letter takes the words away.
        screen.type("x")
        await screen.wait(untilGone: "Paste the code")
    }

    @Test func aCodeThatIsRefusedCanBeCorrectedOnTheSamePage() async throws {
        let screen = try await open()
        let page = address(on: screen)
        screen.type("mistyped\n")
        await screen.wait(for: "Dropbox did not accept this code.")
        #expect(screen.isShowing(DropboxSignInViewController.self))
        #expect(address(on: screen) == page)
        // What is typed takes the place of what was wrong.
        screen.type(try code(on: screen) + "\n")
        await screen.wait(untilGone: Self.title)
        #expect(outcome.joined != nil)
    }

    @Test func aServerThatFailsAsksForANewCode() async throws {
        dropbox.scriptTokenAnswers([[.answer("400 Bad Request", body: "{\"error\": \"what\"}")]])
        let screen = try await open()
        screen.type(try code(on: screen) + "\n")
        await screen.wait { $0.text.contains("Signing in…") || $0.box(Self.title).count > 8 }
        await screen.wait(untilGone: "Signing in…")
        #expect(screen.isShowing(DropboxSignInViewController.self))
        #expect(outcome.joined == nil)
        #expect(home.settingsText == "")
        screen.press("Esc")
        await screen.wait(untilGone: Self.title)
        #expect(outcome.backCount == 1)
    }

    @Test func givenUpWhileItRunsNobodyIsSignedIn() async throws {
        dropbox.scriptTokenAnswers([[.stall]])
        let screen = try await open()
        screen.type(try code(on: screen) + "\n")
        await screen.wait(for: "Signing in…")
        _ = await dropbox.requests(atLeast: 1)
        screen.press("Esc")
        await screen.wait(untilGone: Self.title)
        #expect(outcome.backCount == 1)
        #expect(!screen.text.contains("Signing in…"))
        #expect(outcome.joined == nil)
        #expect(home.settingsText == "")
    }

    @Test func theAddressGoesToTheClipboard() async throws {
        let screen = try await open()
        let page = address(on: screen)
        screen.press("^O")
        await screen.wait(for: "The address is in the clipboard, if the terminal allows it.")
        let sent = String(decoding: screen.screen.memory.sentBytes, as: UTF8.self)
        #expect(sent.contains("\u{1B}]52;c;\(Data(page.utf8).base64EncodedString())"))
    }

    /// The field and a button stay in sight; the address can be copied.
    @Test(arguments: [(20, 6), (30, 10), (200, 60)])
    func fitsEveryScreen(width: Int, height: Int) async throws {
        let screen = try await open(width: width, height: height)
        screen.type("abc")
        await screen.wait(for: "abc")
        screen.press("Esc")
        await screen.wait(untilGone: "abc")
        #expect(outcome.backCount == 1)
    }
}
