import ArgumentParser
import ClubAccess
import ClubServer
import FoundationEssentials
import Glibc
import Messages
import WelcomeContent

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the club in a folder of this computer.",
        discussion: """
            Runs until it is interrupted. It speaks the Dropbox API, version 2. The token that clients \
            must send is made anew at each start; the path of the file that holds it is printed.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Option(help: ArgumentHelp("The unix socket to listen on.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The port of this computer to listen on instead.", valueName: "127.0.0.1:port"))
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
    }

    func run() async throws {
        // One that is mistyped would be made, and filled with gifts. The app makes its club's.
        if let folder, !untilUnused, !FileManager.default.fileExists(atPath: folder) {
            throw CommandFailure(
                localized("There is no folder \(folder). Make it first, or name another one."))
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
                    tellReady()
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
            // In the person's language, though this process keeps its log in English.
            let language = SettingsFile(paths: ClubRegistry().paths).language()
            return WelcomeContent.files(inChinese: language == .simplifiedChinese)
                .map { ($0.path, $0.data) }
        }
        configuration.log = ServerLog { line in
            if readyDescriptor != nil { Output.notice("byteclub serve: " + line) }
        }
        return configuration
    }

    /// The program that started this in the background waits for a line.
    private func tellReady() {
        guard let readyDescriptor, readyDescriptor > 2 else { return }
        let line = Array("ready\n".utf8)
        _ = Glibc.write(readyDescriptor, line, line.count)
        close(readyDescriptor)
    }
}

/// `127.0.0.1:PORT`. The club is for this computer: it is not offered on other addresses.
struct LoopbackAddress: ExpressibleByArgument {
    let port: UInt16

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "127.0.0.1" || parts[0] == "localhost",
            let port = UInt16(parts[1])
        else { return nil }
        self.port = port
    }
}
