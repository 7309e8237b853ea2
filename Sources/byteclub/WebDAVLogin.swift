import ArgumentParser
import ByteClub
import ClubStore
import FoundationEssentials
import Glibc

extension LoginCommand {
    struct WebDAVLogin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webdav", abstract: "Join a club on WebDAV: Nextcloud, Synology, Apache.",
            discussion: """
                The password is asked for on the terminal, or taken from standard input with \
                --password-stdin. At Nextcloud, use an app password.
                """)

        /// No password is longer; what has no end must not fill memory.
        private static let passwordLimit = 1 << 16

        @Argument(help: "The address of the club's folder.")
        var url: String

        @Option(help: ArgumentHelp("Your name on that server.", valueName: "name"))
        var user: String

        @Flag(help: "Take the password from the first line of standard input.")
        var passwordStdin = false

        @Option(
            name: .customLong("ca-file"),
            help: ArgumentHelp(
                "Certificates (PEM) to believe instead of the system's.", valueName: "file"),
            completion: .file())
        var authoritiesFile: String?

        @Option(
            help: ArgumentHelp(
                "The one key to believe, by its fingerprint: sha256//…", valueName: "key"))
        var pin: String?

        @Option(help: ArgumentHelp("What to call the club; webdav unless said.", valueName: "name"))
        var name: String?

        func validate() throws {
            _ = try joining()
            if let name, let refusal = ClubSettings.refusal(ofName: name) {
                throw ValidationError(refusal)
            }
            if !passwordStdin, isatty(STDIN_FILENO) != 1 {
                throw ValidationError(
                    "Without a terminal, the password comes with --password-stdin.")
            }
        }

        private func joining() throws -> WebDAVJoining {
            guard let address = URL(string: url) else {
                throw ValidationError("“\(url)” is no address.")
            }
            let key = pin.flatMap { ServerKey($0) }
            if pin != nil, key == nil {
                throw ValidationError("--pin must be “sha256//” and the fingerprint of a key.")
            }
            let file = authoritiesFile.map { URL(filePath: $0).standardizedFileURL.path }
            do throws(JoiningError) {
                return try WebDAVJoining(
                    ClubSettings.WebDAV(url: address, user: user, authoritiesFile: file, pin: key),
                    book: ClubBook())
            } catch {
                throw ValidationError(error.description)
            }
        }

        func run() async throws {
            do {
                try await Interruption.cancelling { try await join() }
            } catch let error as JoiningError {
                throw CommandFailure(error.description)
            }
        }

        @MainActor private func join() async throws {
            let joining = try joining()
            let club = try joining.club(named: name)
            // Before somebody types a password in vain.
            try joining.checkAuthorities()
            let password: String?
            if passwordStdin {
                password = await StandardInput.line(limit: Self.passwordLimit)
            } else {
                Output.prompt("Password of \(user): ")
                password = await StandardInput.secret(limit: Self.passwordLimit)
                Output.prompt("\n")
            }
            guard let password, !password.isEmpty else {
                throw CommandFailure("No password came, so nothing was changed.")
            }
            let account = try await joining.finish(
                password: password.hasSuffix("\r") ? String(password.dropLast()) : password,
                as: club)
            let who = account.displayName.isEmpty ? user : account.displayName
            Output.line("Signed in as \(who).")
            Output.line(
                "The club is called “\(club.name)”, and everything is about it from now on. "
                    + "byteclub login club goes back to the one on this computer.")
        }
    }
}
