import ArgumentParser
import ClubAccess
import ClubServer
import Dispatch
import FoundationEssentials
import Glibc
import ByteClubMessages
import WelcomeContent

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the club in a folder of this computer.",
        discussion: """
            Runs until interrupted, and serves the Dropbox API v2. Each start creates a new token for clients, \
            and prints the path of its file.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Option(help: ArgumentHelp("The unix socket to listen on.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The local port to listen on instead.", valueName: "127.0.0.1:port"),
        transform: { argument in
            guard let address = LoopbackAddress(argument: argument) else {
                throw ValidationError(
                    "Only 127.0.0.1:PORT and localhost:PORT are possible, with a port up to 65535: the club is for this computer."
                )
            }
            return address
        })
    var listen: LoopbackAddress?

    @Option(help: ArgumentHelp("The club's folder.", valueName: "folder"))
    var folder: String?

    @Flag(help: .hidden)
    var untilUnused = false

    @Option(help: .hidden)
    var readyDescriptor: Int32?

    func validate() throws {
        try club.checkUnsaid()
        if socket != nil, listen != nil {
            throw ValidationError("Give either --socket or --listen.")
        }
        if folder?.isEmpty == true { throw ValidationError("--folder needs the path of a folder.") }
    }

    func run() async throws {
        if readyDescriptor != nil { ProcessPriority.yieldToScreens() }
        // A mistyped folder would be created and filled with welcome files. The app creates its own club's
        // folder.
        if let folder, !untilUnused, !FileManager.default.fileExists(atPath: folder) {
            throw CommandFailure(
                localized("There is no folder \(folder). Make it first, or name another one."))
        }
        // As for every command: the disk may not be mounted yet.
        if folder == nil, !untilUnused,
            let lost = EmbeddedClub.lostFolderSentence(at: ClubRegistry().paths)
        {
            throw CommandFailure(lost)
        }
        do {
            let configuration = try makeConfiguration()
            let server = ClubServer(configuration: configuration)
            let isForPeople = readyDescriptor == nil
            try await Interruption.cancelling {
                try await server.run { address in
                    if isForPeople {
                        Output.line(
                            localized(
                                "The club in \(configuration.folder) is served at \(address)."))
                        Output.line(
                            localized("Its token is in \(configuration.tokenFile). ^C stops it."))
                    }
                    reportReady()
                }
            }
        } catch let error as ClubServerError {
            throw CommandFailure(error.message)
        }
    }

    private func makeConfiguration() throws(ClubServerError) -> ClubServer.Configuration {
        var endpoint: ClubServer.Endpoint?
        if let socket {
            let path = URL(filePath: socket).path
            endpoint = .unixSocket(path: path, leasePath: path + ".lease")
        } else if let listen {
            endpoint = .tcp(port: listen.port)
        }
        var configuration = try ClubServer.Configuration.standard(
            clubFolder: folder.map { URL(filePath: $0).standardizedFileURL.path },
            endpoint: endpoint)
        configuration.untilUnused = untilUnused
        configuration.welcome = {
            // In the user's language, although this process logs in English.
            let language = SettingsFile(paths: ClubRegistry().paths).language()
            return WelcomeContent.files(inChinese: language == .simplifiedChinese)
                .map { ($0.path, $0.data) }
        }
        configuration.didCancelRequests = { isOrderly in
            Self.end(within: .seconds(5), isOrderly ? EXIT_SUCCESS : EXIT_FAILURE)
        }
        configuration.log = ServerLog { line in
            if readyDescriptor != nil { Output.notice("byteclub serve: " + line) }
        }
        return configuration
    }

    /// Ends the program even if something cannot be stopped: it would keep the folder locked, and every later program
    /// out of the club. What a killed server leaves, the next one clears away.
    private static func end(within limit: DispatchTimeInterval, _ status: Int32) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { @Sendable in _exit(status) }
    }

    /// The program that started this in the background waits for a line.
    private func reportReady() {
        guard let readyDescriptor, readyDescriptor > 2 else { return }
        let line = Array("ready\n".utf8)
        _ = Glibc.write(readyDescriptor, line, line.count)
        close(readyDescriptor)
    }
}

/// `127.0.0.1:PORT`. The club is only served on this computer, not on other addresses.
struct LoopbackAddress {
    let port: UInt16

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "127.0.0.1" || parts[0] == "localhost",
            let port = UInt16(parts[1])
        else { return nil }
        self.port = port
    }
}
