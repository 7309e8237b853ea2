import DropboxAPI
public import FoundationEssentials
import Glibc

/// The runtime paths through which a club's server and its clients connect: socket, leases, token
/// and lock, all derived from the real path of the club's folder.
///
/// Both sides compute them, so nothing has to be passed on.
public struct RuntimePaths: Hashable, Sendable {
    /// The folder that contains them, private to this user.
    public let folder: String
    /// Eight hexadecimal digits that identify the club's folder.
    public let clubID: String

    /// The HTTP socket.
    public var socketPath: String { "\(folder)/club-\(clubID).sock" }
    /// The lease socket: open connections keep a server running that exits when unused.
    public var leasePath: String { socketPath + ".lease" }
    /// Holds the bearer token of the running server.
    public var tokenPath: String { "\(folder)/club-\(clubID).token" }
    /// Locked by the server while it runs.
    public var lockPath: String { "\(folder)/club-\(clubID).lock" }

    /// The longest path of a Unix socket, in bytes.
    public static let socketPathByteLimit = 107

    /// Computes the paths for a club and creates their folder.
    ///
    /// - Parameter clubFolder: Need not exist yet.
    /// - Throws: ``ClubServerError/Code/runtimeFolderNotSafe``.
    public init(
        clubFolder: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ClubServerError) {
        clubID = Self.id(of: clubFolder)
        let fallback = "/tmp/byteclub-\(getuid())"
        var folder = fallback
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            folder = runtime + "/byteclub"
            let longest = "\(folder)/club-\(clubID).sock.lease"
            if longest.utf8.count > Self.socketPathByteLimit || !Self.isFolder(runtime) {
                folder = fallback
            }
        }
        self.folder = folder
        try Self.makeSafe(folder)
    }

    /// The same server's paths in the state folder. A runtime folder is another one for some programs of a user (cron,
    /// `su -`), and is removed at the last logout, under programs that go on in tmux.
    ///
    /// - Returns: Nil where they would be too long for a socket.
    public static func lasting(
        forClub clubFolder: String, in stateFolder: String
    ) -> RuntimePaths? {
        let paths = RuntimePaths(folder: stateFolder, clubID: id(of: clubFolder))
        return paths.leasePath.utf8.count <= socketPathByteLimit ? paths : nil
    }

    private init(folder: String, clubID: String) {
        (self.folder, self.clubID) = (folder, clubID)
    }

    private static func id(of clubFolder: String) -> String {
        sha256(of: Array(realPath(of: clubFolder).utf8)).prefix(4)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The token of the running server, or nil when none runs or ever did.
    public func readToken() -> String? {
        guard
            let file = try? Descriptor.opened(
                "open", open(tokenPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC))
        else { return nil }
        var bytes: [UInt8] = []
        guard (try? FileReader.forEachPiece(of: file, { bytes.append(contentsOf: $0) })) != nil
        else {
            return nil
        }
        let token = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return token.isEmpty ? nil : token
    }

    /// The path with resolved links, as far as it exists.
    static func realPath(of path: String) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        var components = path.split(separator: "/").map(String.init)
        guard path.hasPrefix("/"), let last = components.popLast() else { return path }
        let parent = realPath(of: "/" + components.joined(separator: "/"))
        return parent == "/" ? "/" + last : parent + "/" + last
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a private folder, or checks that an existing one is private.
    private static func makeSafe(_ folder: String) throws(ClubServerError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw ClubServerError(
                .folderNotUsable, "The folder \(folder) cannot be made.", SystemError("mkdir"))
        }
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == getuid()
        else {
            throw ClubServerError(
                .runtimeFolderNotSafe,
                "\(folder) is not a folder of yours, so the club's socket cannot be put there. "
                    + "Set XDG_RUNTIME_DIR to a folder that is.")
        }
        // Makes our own folder private if others have access.
        if status.st_mode & 0o077 != 0, chmod(folder, 0o700) != 0 {
            throw ClubServerError(
                .runtimeFolderNotSafe, "Others may enter \(folder).", SystemError("chmod"))
        }
    }
}
