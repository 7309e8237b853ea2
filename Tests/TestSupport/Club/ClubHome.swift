public import Foundation

/// A temporary home folder with Byte Club in it, removed after the test.
///
/// Every process started in it has the folder's name in its environment, by which leftover
/// processes are found and killed.
public final class ClubHome: Sendable {
    /// Short: a Unix socket's path is limited to 107 bytes.
    public let folder: URL

    /// - Parameter hasClub: Creates an empty club folder, so that the first start adds no welcome
    ///   files.
    public init(hasClub: Bool = false) throws {
        var template = Array("/tmp/bc-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        folder = URL(filePath: path, directoryHint: .isDirectory)
        for name in ["home", "config", "data", "state", "cache", "run", "work"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        if hasClub { try makeClub() }
    }

    /// The embedded club's folder: notes at its top.
    public var club: URL { folder.appending(path: "data/byteclub/club") }
    public var photos: URL { club.appending(path: "photos") }
    /// The working directory of programs: the picker starts here.
    public var work: URL { folder.appending(path: "work") }
    public var runtime: URL { folder.appending(path: "run/byteclub") }

    public func makeClub() throws {
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
    }

    /// Writes a note into the club's folder as another member would, directly on disk.
    public func write(_ text: String, toNote name: String) throws {
        try Data(text.utf8).write(to: club.appending(path: name), options: .atomic)
    }

    public func text(ofNote name: String) throws -> String {
        String(decoding: try Data(contentsOf: club.appending(path: name)), as: UTF8.self)
    }

    /// The names in the club's folder that do not begin with a dot, sorted.
    public var noteNames: [String] { names(in: club).filter { $0 != "photos" } }
    public var photoNames: [String] { names(in: photos) }

    public func names(in folder: URL) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The environment of programs: this home and its folders, UTC, UTF-8.
    public func environment(
        terminal: String = "xterm-256color", more: [String: String] = [:]
    ) -> [String: String] {
        [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8", "TERM": terminal, "HOME": folder.appending(path: "home").path,
            "XDG_CONFIG_HOME": folder.appending(path: "config").path,
            "XDG_DATA_HOME": folder.appending(path: "data").path,
            "XDG_STATE_HOME": folder.appending(path: "state").path,
            "XDG_CACHE_HOME": folder.appending(path: "cache").path,
            "XDG_RUNTIME_DIR": folder.appending(path: "run").path,
            "TMPDIR": folder.appending(path: "cache").path,
        ].merging(more) { $1 }
    }

    /// Writes `config.yml`.
    public func write(settings text: String) throws {
        let folder = folder.appending(path: "config/byteclub")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Whole: the program may read it at any moment.
        try Data(text.utf8).write(to: folder.appending(path: "config.yml"), options: .atomic)
    }

    // MARK: - Byte Club

    /// The program: `BYTECLUB_BINARY`, else `byteclub` beside the program that runs now.
    public static let program: String = {
        if let path = ProcessInfo.processInfo.environment["BYTECLUB_BINARY"] { return path }
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own ?? "/").deletingLastPathComponent().appending(path: "byteclub")
            .path
    }()

    /// Opens the screen.
    public func start(
        size: TerminalSize = .classic, terminal: String = "xterm-256color",
        more: [String: String] = [:]
    ) throws -> TerminalDriver {
        try TerminalDriver(
            running: TerminalProgram(
                ClubHome.program, environment: environment(terminal: terminal, more: more),
                directory: work.path, size: size))
    }

    /// Runs a command until it exits.
    public func run(_ arguments: String..., input: String = "") async throws -> Command.Output {
        try await run(arguments, input: input)
    }

    public func run(_ arguments: [String], input: String = "") async throws -> Command.Output {
        try await Command(
            ClubHome.program, arguments, environment: environment(), directory: work.path,
            input: Data(input.utf8)
        ).run()
    }

    // MARK: - What runs here

    /// All running processes that were started in this home.
    public var processes: [Int32] {
        ProcessTable.processes(withEnvironmentContaining: "HOME=\(folder.path)/")
    }

    /// The processes of the embedded club.
    public var servers: [Int32] {
        processes.filter { ProcessTable.arguments(of: $0).contains("serve") }
    }

    /// The embedded club's socket, if it is listening.
    public var socket: String? {
        names(in: runtime).first { $0.hasSuffix(".sock") }
            .map { runtime.appending(path: $0).path }
    }

    /// Kills remaining processes and removes every file.
    public func remove() {
        while true {
            let left = processes
            if left.isEmpty { break }
            for process in left { kill(process, SIGKILL) }
            sched_yield()
        }
        // Tests remove permissions; without them a folder cannot be emptied.
        for name in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            if let name = name as? String {
                let path = folder.appending(path: name).path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                    isFolder.boolValue
                {
                    chmod(path, 0o700)
                }
            }
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
