import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages

extension LoginCommand {
    struct WebDAVLogin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webdav", abstract: "Join a club on WebDAV: Nextcloud, Synology, Apache.",
            discussion: """
                Prompts for the password, or reads it from standard input with --password-stdin. For Nextcloud, \
                use an app password. With --token, a bearer token replaces name and password.
                """)

        /// No password is longer; what has no end must not fill memory.
        private static let passwordLimit = 1 << 16

        @OptionGroup(visibility: .hidden) var club: ClubOptions

        @Argument(help: "The address of the club's folder.")
        var url: String

        @Option(help: ArgumentHelp("Your name on that server.", valueName: "name"))
        var user: String?

        @Flag(help: "Sign in with a token instead of a name and a password.")
        var token = false

        @Flag(help: "Read the password or token from the first line of standard input.")
        var passwordStdin = false

        @Option(
            name: .customLong("ca-file"),
            help: ArgumentHelp(
                "Certificates (PEM) to trust instead of the system's.", valueName: "file"),
            completion: .file())
        var authoritiesFile: String?

        @Option(
            help: ArgumentHelp(
                "The only key to trust, by its fingerprint: sha256//…", valueName: "key"))
        var pin: String?

        @Option(help: ArgumentHelp("What to call the club (default: webdav).", valueName: "name"))
        var name: String?

        func validate() throws {
            try club.checkUnsaid()
            _ = try joining()
            if let name, let refusal = ClubSettings.refusal(ofName: name) {
                throw ValidationError(refusal)
            }
            if !passwordStdin, isatty(STDIN_FILENO) != 1 {
                throw ValidationError(
                    "Without a terminal, the password or token comes with --password-stdin.")
            }
        }

        private func signIn() throws -> ClubSettings.WebDAV.SignIn {
            switch (user, token) {
            case (let user?, false): .password(user: user)
            case (nil, true): .token
            case (nil, false):
                throw ValidationError("Give --user NAME, or --token.")
            case (_?, true):
                throw ValidationError("A token already identifies its user. Omit --user.")
            }
        }

        private func joining() throws -> WebDAVSignIn {
            guard let address = ClubSettings.address(url) else {
                throw ValidationError("“\(url)” is not a valid address.")
            }
            let signIn = try signIn()
            let key = pin.flatMap { ServerKey($0) }
            if pin != nil, key == nil {
                throw ValidationError("--pin must be “sha256//” and the fingerprint of a key.")
            }
            let file = authoritiesFile.map { URL(filePath: $0).standardizedFileURL.path }
            do throws(SignInError) {
                return try WebDAVSignIn(
                    ClubSettings.WebDAV(
                        url: address, signIn: signIn, authoritiesFile: file, pin: key),
                    registry: ClubRegistry())
            } catch {
                throw ValidationError(error.description)
            }
        }

        func run() async throws {
            do {
                try await Interruption.cancelling { try await join() }
            } catch let error as SignInError {
                throw CommandFailure(error.description)
            }
        }

        @MainActor private func join() async throws {
            let joining = try joining()
            let club = try joining.club(named: name)
            // Before a person types a password for nothing.
            try joining.checkAuthorities()
            let typed: StandardInput.Line
            if passwordStdin {
                typed = await StandardInput.line(limit: Self.passwordLimit)
            } else {
                typed = await StandardInput.secret(limit: Self.passwordLimit) {
                    Output.prompt(
                        user.map { localized("Password of \($0): ") } ?? localized("Token: "))
                }
                Output.prompt("\n")
            }
            let secret = try requireSecret(typed)
            let account = try await joining.finish(
                secret: secret.hasSuffix("\r") ? String(secret.dropLast()) : secret,
                as: club)
            // Of a token nobody may know whose it is.
            let isKnown = account.displayName != joining.settings.url.host()
            Output.line(
                isKnown
                    ? localized("Signed in as \(account.displayName).") : localized("Signed in."))
            Output.line(
                localized(
                    "“\(club.name)” is the current club now. "
                        + "byteclub login club goes back to the one on this computer."))
        }

        private func requireSecret(_ typed: StandardInput.Line) throws -> String {
            if typed == .tooLong {
                throw CommandFailure(
                    localized(
                        "The first line of the input is longer than a password or token may be (\(Self.passwordLimit >> 10) KiB), so nothing was changed."
                    ))
            }
            guard let secret = typed.text, !secret.isEmpty else {
                throw CommandFailure(
                    token
                        ? localized(
                            "No token came, so nothing was changed. Sign in again when you have one."
                        )
                        : localized(
                            "No password came, so nothing was changed. Sign in again when you have it."
                        ))
            }
            return secret
        }
    }
}
