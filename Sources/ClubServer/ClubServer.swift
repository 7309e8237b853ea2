import DropboxAPI
public import FoundationEssentials
import Glibc
import Synchronization

/// The embedded club: a plain folder behind the Dropbox API.
///
/// ```swift
/// let server = ClubServer(configuration: try .standard(clubFolder: folder))
/// try await server.run { address in print("The club is at \(address).") }
/// ```
///
/// Notes and photos are ordinary files. Changes by other programs appear automatically, and API
/// writes are atomic.
public final class ClubServer: Sendable {
    /// Where clients connect to.
    public enum Address: Hashable, Sendable, CustomStringConvertible {
        case unixSocket(String)
        /// On 127.0.0.1.
        case tcp(port: UInt16)

        public var description: String {
            switch self {
            case .unixSocket(let path): path
            case .tcp(let port): "http://127.0.0.1:\(port)"
            }
        }
    }

    public enum Endpoint: Hashable, Sendable {
        /// - Parameter leasePath: The lease socket; see ``Configuration/untilUnused``.
        case unixSocket(path: String, leasePath: String?)
        /// 127.0.0.1, and a free port for 0.
        case tcp(port: UInt16)
    }

    public struct Configuration: Sendable {
        /// The club's folder. If missing, it is created with the files of ``welcome``.
        public var folder: String
        /// The folder of the club's journal.
        public var stateFolder: String
        /// The thumbnail cache; nil for none.
        public var cacheFolder: String?
        public var endpoint: Endpoint
        /// A second endpoint, at which the programs of this user look for the club, so that they can be used
        /// while it is served at ``endpoint``; nil if that is where they look.
        public var ownEndpoint: Endpoint?
        /// The file with the bearer token for clients. The token is new at each start.
        public var tokenFile: String
        /// Locked while the server runs.
        public var lockFile: String
        /// Where the server listens, too, for programs that have another runtime folder, and after it was removed.
        var lasting: RuntimePaths?
        /// Whether to exit a second after the last lease is released.
        public var untilUnused: Bool
        /// The files of a new club, by path.
        public var welcome: @Sendable () throws -> [(path: String, content: Data)]
        public var log: ServerLog
        /// Called when all requests have ended or were cancelled: what runs from then on cannot be cancelled.
        public var didCancelRequests: @Sendable (_ isOrderly: Bool) -> Void = { _ in }
        /// nil for limits that suit the process's descriptor limit.
        var limits: ConnectionLimits?

        public init(
            folder: String, stateFolder: String, cacheFolder: String?, endpoint: Endpoint,
            tokenFile: String, lockFile: String, untilUnused: Bool = false,
            welcome: @escaping @Sendable () throws -> [(path: String, content: Data)] = { [] },
            log: ServerLog = ServerLog()
        ) {
            self.folder = folder
            self.stateFolder = stateFolder
            self.cacheFolder = cacheFolder
            self.endpoint = endpoint
            self.tokenFile = tokenFile
            self.lockFile = lockFile
            self.untilUnused = untilUnused
            self.welcome = welcome
            self.log = log
        }

        /// The configuration shared by all parts of Byte Club, with the XDG folders.
        ///
        /// - Parameters:
        ///   - clubFolder: nil for `$XDG_DATA_HOME/byteclub/club`.
        ///   - endpoint: nil for the club's socket in its ``RuntimePaths``, which is listened at in any case.
        public static func standard(
            clubFolder: String? = nil, endpoint: Endpoint? = nil,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) throws(ClubServerError) -> Configuration {
            let folder = clubFolder ?? StandardFolders.club(environment)
            let place = try RuntimePaths(clubFolder: folder, environment: environment)
            let own = Endpoint.unixSocket(path: place.socketPath, leasePath: place.leasePath)
            var configuration = Configuration(
                folder: folder, stateFolder: StandardFolders.state(environment),
                cacheFolder: StandardFolders.cache(environment) + "/thumbnails",
                endpoint: endpoint ?? own, tokenFile: place.tokenPath, lockFile: place.lockPath)
            if let endpoint, endpoint != own { configuration.ownEndpoint = own }
            configuration.lasting = .lasting(forClub: folder, in: configuration.stateFolder)
            return configuration
        }
    }

    private let configuration: Configuration
    private let stopping = StopSignal()

    public init(configuration: Configuration) {
        self.configuration = configuration
    }

    /// Serves until ``stop()``, until unused, or until the task is cancelled.
    ///
    /// - Parameter whenReady: Called once, when clients can connect.
    public func run(
        whenReady: @escaping @Sendable (Address) -> Void = { _ in }
    ) async throws(ClubServerError) {
        let executor = ServerExecutor()
        // A separate task: cancellation stops in order instead of aborting all requests.
        let serving = Task(executorPreference: executor) { [configuration, stopping] in
            await Self.serve(configuration, until: stopping, whenReady)
        }
        let outcome = await withTaskCancellationHandler {
            await serving.value
        } onCancel: {
            stopping.send()
        }
        executor.stop()
        try outcome.get()
    }

    /// Runs everything on the server's own threads, whatever the caller's.
    @concurrent
    private static func serve(
        _ configuration: Configuration, until stopping: StopSignal,
        _ whenReady: @escaping @Sendable (Address) -> Void
    ) async -> Result<Void, ClubServerError> {
        do throws(ClubServerError) {
            let server = try await RunningServer.start(configuration)
            return await server.run(until: stopping, whenReady: whenReady)
        } catch {
            return .failure(error)
        }
    }

    /// Checks that a server started from this process can open as many files as it needs.
    ///
    /// - Throws: ``ClubServerError/Code/tooManyOpenFiles``.
    public static func checkDescriptorLimit() throws(ClubServerError) {
        try DescriptorLimit.check()
    }

    /// Stops serving. New connections are rejected; current requests have two seconds, then they are
    /// aborted and leave nothing behind.
    public func stop() {
        stopping.send()
    }
}

/// The XDG default folders (XDG Base Directory Specification).
enum StandardFolders {
    static func club(_ environment: [String: String]) -> String {
        base("XDG_DATA_HOME", ".local/share", environment) + "/club"
    }

    static func state(_ environment: [String: String]) -> String {
        base("XDG_STATE_HOME", ".local/state", environment)
    }

    static func cache(_ environment: [String: String]) -> String {
        base("XDG_CACHE_HOME", ".cache", environment)
    }

    private static func base(
        _ variable: String, _ standard: String, _ environment: [String: String]
    ) -> String {
        // The specification requires relative paths to be ignored.
        if let path = environment[variable], path.hasPrefix("/") { return path + "/byteclub" }
        let home =
            environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
        return "\(home)/\(standard)/byteclub"
    }
}
