import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages

struct LoginCommand: AsyncParsableCommand, ScreenCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Join a club, or return to one.",
        discussion: """
            On a terminal, without a subcommand, the screen opens and asks for the kind of club. The club \
            becomes the current one; --club chooses another for a single command.
            """,
        subcommands: [EmbeddedClubLogin.self, DropboxLogin.self, WebDAVLogin.self])

    @OptionGroup(visibility: .hidden) var club: ClubOptions
    @OptionGroup(visibility: .hidden) var screen: ScreenOptions

    func validate() throws { try club.checkUnsaid() }

    func run() async throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw ValidationError(
                "Say which kind of club: byteclub login club, dropbox, or webdav.")
        }
        let registry = ClubRegistry()
        try await AppScreen.open(
            (try? registry.club(named: nil)) ?? .embedded, registry: registry, choosingClub: true,
            choices: screen.choices)
    }

    struct EmbeddedClubLogin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "club",
            abstract: "Return to the club on this computer. It needs no account.")

        @OptionGroup(visibility: .hidden) var club: ClubOptions

        func validate() throws { try club.checkUnsaid() }

        func run() async throws {
            do throws(SettingsError) {
                try ClubRegistry().makeCurrent(.embedded)
            } catch {
                throw CommandFailure(error.description)
            }
            Output.line(
                localized(
                    "This is the club on this computer: \(ClubRegistry().paths.clubFolder.path)"))
        }
    }

    struct DropboxLogin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dropbox", abstract: "Join a club on Dropbox.",
            discussion: """
                Opens Dropbox's page in the browser and waits for its response. With --no-browser, and over \
                SSH, it prints the page's address and reads the code that the page shows. The key belongs \
                to a Dropbox app that you create: docs/Clubs.md explains how to create one.
                """)

        @OptionGroup(visibility: .hidden) var club: ClubOptions

        @Option(
            help: ArgumentHelp("The key of your app in Dropbox's App Console.", valueName: "key"))
        var appKey: String

        @Option(
            help: ArgumentHelp(
                "A gateway replacing all Dropbox hosts.", valueName: "base"))
        var apiURL: String?

        @Option(
            help: ArgumentHelp(
                "The club's folder (default: everything the app can access).", valueName: "name"))
        var folder: String?

        @Option(
            help: ArgumentHelp("What to call the club (default: dropbox).", valueName: "name"))
        var name: String?

        @Flag(help: "Print the page's address and read the code from standard input.")
        var noBrowser = false

        @Option(
            help: ArgumentHelp(
                "The port for the browser's response, if another one is registered.",
                valueName: "port"))
        var redirectPort: UInt16?

        func validate() throws {
            try club.checkUnsaid()
            if redirectPort == 0 {
                throw ValidationError("--redirect-port must be from 1 to 65535.")
            }
            _ = try settings()
        }

        private func settings() throws -> ClubSettings.Dropbox {
            var settings = ClubSettings.Dropbox(appKey: appKey, folder: folder)
            if let apiURL {
                guard let url = URL(string: apiURL) else {
                    throw ValidationError("--api-url must be an address: https://host/path")
                }
                settings.apiURL = url
            }
            do throws(SignInError) {
                _ = try DropboxSignIn(settings, registry: ClubRegistry())
            } catch {
                throw ValidationError(error.description)
            }
            if let name, let refusal = ClubSettings.refusal(ofName: name) {
                throw ValidationError(refusal)
            }
            return settings
        }

        func run() async throws {
            do {
                try await Interruption.cancelling { try await join() }
            } catch let error as SignInError {
                throw CommandFailure(error.description)
            }
        }

        @MainActor private func join() async throws {
            let joining = try DropboxSignIn(try settings(), registry: ClubRegistry())
            let club = try joining.club(named: name)
            let environment = ProcessInfo.processInfo.environment
            let (signIn, code) =
                noBrowser || !Browser.isHere(environment)
                ? try await askForCode(joining) : try await askBrowser(joining, environment)
            let joined = try await joining.finish(signIn, code: code, as: club)
            Output.line(localized("Signed in to Dropbox as \(joined.account.displayName)."))
            Output.line(
                localized(
                    "“\(joined.club.name)” is the current club now. "
                        + "byteclub login club goes back to the one on this computer."))
            if !joined.missingScopes.isEmpty {
                Output.complain(SignInError.sentence(missing: joined.missingScopes))
            }
        }

        private func askForCode(_ joining: DropboxSignIn) async throws -> (DropboxOAuth, String) {
            let signIn = DropboxOAuth(app: joining.settings.app)
            Output.line(localized("Open this page in a browser, and let Byte Club in:"))
            Output.line("")
            Output.write(signIn.authorizationURL.absoluteString + "\n")
            Output.line("")
            if isatty(STDIN_FILENO) == 1 {
                Output.prompt(localized("The code that the page shows: "))
            } else {
                Output.line(localized("The code that the page shows is read from standard input."))
            }
            guard let code = await StandardInput.line(limit: 4096).text else {
                throw CommandFailure(
                    localized(
                        "No code came, so nothing was changed. Sign in again when you have one."))
            }
            return (signIn, code)
        }

        private func askBrowser(
            _ joining: DropboxSignIn, _ environment: [String: String]
        ) async throws -> (DropboxOAuth, String) {
            let waiting = try DropboxAuthorization.ByBrowser(
                joining.settings.app, port: redirectPort ?? DropboxAuthorization.registeredPort)
            let page = waiting.signIn.authorizationURL
            let opening = Browser.open(waiting.entrance, environment: environment)
            Output.line(
                opening == .started
                    ? localized(
                        "Your browser shows a page of Dropbox: let Byte Club in there. If it does not, open"
                    )
                    : localized(
                        "Open this page in a browser on this computer, and let Byte Club in:"))
            Output.line("")
            Output.write(page.absoluteString + "\n")
            Output.line("")
            Output.line(
                localized(
                    "Waiting for the browser's answer. ^C stops; --no-browser takes a code instead."
                ))
            return (waiting.signIn, try await waiting.code())
        }
    }
}

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out of a club.",
        discussion: """
            Revokes the sign-in on the server, and removes it from this computer. The club stays in \
            config.yml for the next sign-in; its files are not changed.
            """)

    @OptionGroup var options: ClubOptions

    @Argument(
        help: "Club to use (default: the last one opened).", completion: Proposals.clubs)
    var club: String?

    func validate() throws {
        if let name = options.name, let club, name != club {
            throw ValidationError("“\(name)” and “\(club)” are different clubs. Name one of them.")
        }
    }

    func run() async throws {
        let registry = ClubRegistry()
        let club = try ClubOptions.choose(club ?? options.name, in: registry)
        guard club.needsSignIn else {
            Output.line(
                localized("The club on this computer needs no sign-in, so there is none to end."))
            return
        }
        let outcome: SignOut.Outcome
        do throws(SignInError) {
            outcome = try await SignOut.signOut(club, registry: registry)
        } catch {
            throw CommandFailure(error.description)
        }
        switch outcome {
        case .done:
            Output.line(
                localized(
                    "Signed out of “\(club.name)”. Byte Club now uses the club on this computer."
                ))
        case .wasSignedOut:
            Output.line(localized("You are not signed in to “\(club.name)”."))
        case .notRevoked(let error):
            throw CommandFailure(
                localized(
                    "This computer has forgotten the sign-in to “\(club.name)”, but the server could "
                        + "not revoke it. \(ErrorMessage(error, club: .remote).text) To be safe, remove "
                        + "Byte Club among the connected apps of your account."
                ))
        }
    }
}
