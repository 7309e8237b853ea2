public import Foundation
import Glibc
import Synchronization

/// A real WebDAV server on a local port, with its own configuration, shared by all tests of this
/// process.
///
/// Started when a test first needs it; it ends with this process.
public final class RealWebDAVServer: Sendable {
    /// Which server it is.
    public enum Kind: String, CaseIterable, Sendable {
        case apache, nginx, lighttpd, rclone, wsgiDAV, sabreDAV
    }

    public let kind: Kind
    public let port: UInt16
    private let process: ServerProcess?

    /// The shared instance of a kind.
    public static func shared(_ kind: Kind) throws -> RealWebDAVServer {
        try running.withLock { running in
            if let server = running[kind] { return try server.get() }
            let server = Result { try RealWebDAVServer(kind) }
            running[kind] = server
            return try server.get()
        }
    }

    private static let running = Mutex<[Kind: Result<RealWebDAVServer, any Error>]>([:])

    private init(_ kind: Kind) throws {
        self.kind = kind
        if kind == .apache {
            (port, process) = (UInt16(try ApacheServer.shared.port), nil)
            return
        }
        let home = FileManager.default.temporaryDirectory.appending(
            path: "\(kind.rawValue)-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        // Until it listens there itself.
        let reserved = try ReservedPort()
        port = reserved.number
        let setup = kind.setup(home: home.path, port: port)
        for folder in ["www", "temporary"] {
            try FileManager.default.createDirectory(
                at: home.appending(path: folder), withIntermediateDirectories: true)
        }
        for (name, text) in setup.files {
            try Data(text.utf8).write(to: home.appending(path: name))
        }
        process = try ServerProcess(
            setup.command, home: home, more: setup.environment, readiness: setup.readiness)
        withExtendedLifetime(reserved) {}
    }

    /// The URL of a new, empty folder.
    public func makeClub() async throws -> URL {
        let name = "club-\(UUID().uuidString.prefix(8))"
        let target = kind == .apache ? "/open/\(name)" : "/\(name)"
        // Through the server: some cache listings, and would not see it on disk.
        let answer = try await LoopbackClient.send(
            """
            MKCOL \(target)/ HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Content-Length: 0\r
            Connection: close\r
            \r

            """, toPort: port)
        guard answer.contains(" 201 "), let url = URL(string: "http://127.0.0.1:\(port)\(target)")
        else { throw ServerProcess.NotStarted(log: answer) }
        return url
    }
}
