public import Foundation
import Glibc
import Synchronization

/// A real Apache with mod_dav on a local port, with its own configuration, shared by all tests of
/// this process.
public final class ApacheServer: Sendable {
    public static let user = "ann"
    public static let password = "correct horse"
    /// The Digest hash of user and password (HA1 of RFC 7616).
    public static let digest = "c64c8b5645f58f7ca2953ea49ac74328"

    /// The authentication scheme of a folder.
    public enum Door: String, CaseIterable, Sendable {
        case open, basic, digest
    }

    public let port: Int
    /// The port of the same server over TLS, with a self-signed certificate.
    public let securePort: Int
    private let home: URL
    private let process: ServerProcess

    /// The instance that all tests share.
    public static var shared: ApacheServer {
        get throws { try starting.get() }
    }

    private static let starting = Result { try ApacheServer() }

    public static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/sbin/apache2"

    private init() throws {
        home = FileManager.default.temporaryDirectory.appending(
            path: "apache-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        // Until it listens there itself.
        let (open, secure) = (try ReservedPort(), try ReservedPort())
        (port, securePort) = (Int(open.number), Int(secure.number))
        try Self.furnish(home, port: port, securePort: securePort)
        process = try ServerProcess(
            [Self.program, "-DFOREGROUND", "-f", home.appending(path: "conf").path], home: home,
            readiness: "resuming normal operations")
        withExtendedLifetime((open, secure)) {}
    }

    /// The URL of a new, empty folder.
    public func makeClub(
        behind door: Door = .open, isSecure: Bool = false
    ) throws -> (url: URL, folder: URL) {
        let name = "club \(UUID().uuidString.prefix(8))"
        let folder = home.appending(path: "www/\(door.rawValue)/\(name)")
        try Self.makeFolder(folder)
        let escaped = name.replacingOccurrences(of: " ", with: "%20")
        let origin = isSecure ? "https://127.0.0.1:\(securePort)" : "http://127.0.0.1:\(port)"
        guard let url = URL(string: "\(origin)/\(door.rawValue)/\(escaped)") else {
            throw ServerProcess.NotStarted(log: "no address: \(origin)")
        }
        return (url, folder)
    }
}

extension ApacheServer {
    private static func makeFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // When started as root, the server runs as another user.
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

    private static func configuration(
        home: String, port: Int, securePort: Int
    ) -> String {
        // Processes, not threads: what guards mod_dav's lock database does not hold between threads of one
        // process, and requests that meet there are answered with 500.
        let modules = [
            "mpm_prefork", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
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
            StartServers 4
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
