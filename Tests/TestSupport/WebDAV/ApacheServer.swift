public import Foundation
import Glibc
import Synchronization

/// A real Apache with mod_dav on a port of this machine, from a configuration of its own, for all
/// tests of this program.
///
/// It ends with the program that started it, however that ends: a shell holds it only as long as a
/// pipe from here is open.
public final class ApacheServer: Sendable {
    public static let user = "ann"
    public static let password = "correct horse"
    /// What is as good as both for Digest (HA1 of RFC 7616).
    public static let digest = "c64c8b5645f58f7ca2953ea49ac74328"

    /// How a folder asks who is there.
    public enum Door: String, CaseIterable, Sendable {
        case open, basic, digest
    }

    public let port: Int
    /// Where the same is served over TLS, with a certificate that nobody has signed.
    public let securePort: Int
    private let home: URL
    /// Open as long as this program runs, and the server with it; never written to.
    private let lease: Int32

    /// The one that all tests share.
    public static var shared: ApacheServer {
        get throws { try starting.get() }
    }

    private static let starting = Result { try ApacheServer() }

    public static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/sbin/apache2"

    struct NotStarted: Error {
        let log: String
    }

    private init() throws {
        home = FileManager.default.temporaryDirectory.appending(
            path: "apache-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        // Until it listens there itself.
        let (open, secure) = (try ReservedPort(), try ReservedPort())
        (port, securePort) = (Int(open.number), Int(secure.number))
        try Self.furnish(home, port: port, securePort: securePort)
        let said: String
        (lease, said) = try Self.start(home: home.path)
        withExtendedLifetime((open, secure)) {}
        guard said.contains(Self.readiness) else { throw NotStarted(log: said) }
    }

    /// The address of an empty folder that no other test has.
    public func makeClub(
        behind door: Door = .open, isSecure: Bool = false
    ) throws -> (url: URL, folder: URL) {
        let name = "club \(UUID().uuidString.prefix(8))"
        let folder = home.appending(path: "www/\(door.rawValue)/\(name)")
        try Self.makeFolder(folder)
        let escaped = name.replacingOccurrences(of: " ", with: "%20")
        let origin = isSecure ? "https://127.0.0.1:\(securePort)" : "http://127.0.0.1:\(port)"
        guard let url = URL(string: "\(origin)/\(door.rawValue)/\(escaped)") else {
            throw NotStarted(log: "no address: \(origin)")
        }
        return (url, folder)
    }
}

extension ApacheServer {
    private static func makeFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Started by root, the server serves as another user.
        chmod(folder.path, 0o777)
    }

    private static func furnish(_ home: URL, port: Int, securePort: Int) throws {
        for door in Door.allCases {
            try makeFolder(home.appending(path: "www/\(door.rawValue)"))
        }
        try makeFolder(home.appending(path: "locks"))
        let files = [
            "basic": "\(user):{SHA}L55TUjtiq8FBorTWAZ0jy6g129A=\n",
            "digest": "\(user):The Club:\(digest)\n",
            "conf": configuration(home: home.path, port: port, securePort: securePort),
            "certificate.pem": certificate, "key.pem": certificateKey,
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: home.appending(path: name))
        }
    }

    private static let readiness = "resuming normal operations"

    /// Returns when the server is ready, or has given up.
    ///
    /// - Returns: The end of the line that the server hangs on, and what it has said.
    private static func start(home: String) throws -> (lease: Int32, said: String) {
        let script = """
            { "$0" -DFOREGROUND -f "$1/conf"; echo server ended >&2; } </dev/null &
            cat >/dev/null
            [ -f "$1/pid" ] && kill "$(cat "$1/pid")"
            wait
            rm -rf "$1"
            """
        // Neither is inherited by a program that another test starts: it would keep the server alive.
        var lease: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &lease) == 0 else { throw NotStarted(log: "no lease") }
        let leaseOfTheirs = HandedFile(owning: lease[1])
        let log = try ChildProgram.makePipe()
        let logOfTheirs = HandedFile(owning: log.writing)
        let output = FileHandle(fileDescriptor: log.reading, closeOnDealloc: true)
        let nothing = try HandedFile(URL(filePath: "/dev/null"), O_WRONLY)
        _ = try ChildProgram(
            "/bin/sh", ["-c", script, program, home],
            environment: ProcessInfo.processInfo.environment, directory: "/",
            input: leaseOfTheirs, output: nothing, error: logOfTheirs)
        var said = ""
        while !said.contains(readiness), !said.contains("server ended") {
            said += String(decoding: output.availableData, as: UTF8.self)
        }
        // What it says later is read by nobody; it must not wait for that.
        Thread.detachNewThread { while !output.availableData.isEmpty {} }
        return (lease[0], said)
    }

    private static func configuration(
        home: String, port: Int, securePort: Int
    ) -> String {
        let modules = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
            "auth_digest", "dav", "dav_fs", "dir", "mime", "filter", "deflate", "ssl",
        ]
        let loading = modules.map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        return """
            \(loading.joined(separator: "\n"))
            User www-data
            Group www-data
            ServerName localhost
            ServerRoot "\(home)"
            Listen 127.0.0.1:\(port)
            Listen 127.0.0.1:\(securePort)
            <VirtualHost 127.0.0.1:\(securePort)>
                SSLEngine on
                SSLCertificateFile "\(home)/certificate.pem"
                SSLCertificateKeyFile "\(home)/key.pem"
            </VirtualHost>
            PidFile "\(home)/pid"
            ErrorLog /dev/stderr
            StartServers 1
            DocumentRoot "\(home)/www"
            DavLockDB "\(home)/locks/db"
            TypesConfig /dev/null
            AddOutputFilterByType DEFLATE text/plain text/html application/octet-stream
            <Directory "\(home)/www">
                Dav On
                Require all granted
            </Directory>
            <Location "/basic">
                AuthType Basic
                AuthName "The Club"
                AuthUserFile "\(home)/basic"
                Require valid-user
            </Location>
            <Location "/digest">
                AuthType Digest
                AuthName "The Club"
                AuthDigestProvider file
                AuthUserFile "\(home)/digest"
                Require valid-user
            </Location>
            """
    }
}
