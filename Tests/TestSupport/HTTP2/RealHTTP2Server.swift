public import Foundation

/// A real server of HTTP/2 over TLS on a port of 127.0.0.1, with a folder of its own; it ends with this object.
public final class RealHTTP2Server: Sendable {
    /// Which server it is.
    public enum Kind: String, CaseIterable, Sendable {
        /// Serves its folder: `/files/` is read, `/put/` written, `/protocol` names the version.
        case nginx
        /// Passes requests on to another server, over HTTP/1.1.
        case nghttpx

        private var program: String { "/usr/sbin/" + rawValue }

        public var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }
        public var reasonToSkip: String { "\(rawValue) is not installed" }
    }

    public let port: UInt16
    /// What it serves and keeps; nginx only.
    public let folder: URL
    private let process: ServerProcess

    /// - Parameters:
    ///   - certificate: PEM; its key, too.
    ///   - requestsPerConnection: After how many nginx says that it takes no more (GOAWAY).
    ///   - streamsPerConnection: How many it takes at a time.
    public static func nginx(
        certificate: String, key: String, requestsPerConnection: Int = 1000,
        streamsPerConnection: Int = 128, isHTTP2: Bool = true
    ) throws -> RealHTTP2Server {
        try RealHTTP2Server(.nginx) { home, port in
            let configuration = NginxConfiguration.make(
                home: home,
                http: """
                    keepalive_requests \(requestsPerConnection);
                    http2_max_concurrent_streams \(streamsPerConnection);
                    server {
                        listen 127.0.0.1:\(port) ssl\(isHTTP2 ? " http2" : "");
                        ssl_certificate \(certificate);
                        ssl_certificate_key \(key);
                        root \(home)/www;
                        location /put/ { dav_methods PUT; create_full_put_path on; }
                        location /protocol { return 200 $server_protocol; }
                    }
                    """)
            try Data(configuration.utf8).write(to: URL(filePath: home + "/conf"))
            return (
                ["/usr/sbin/nginx", "-p", home, "-c", home + "/conf", "-e", "stderr"],
                "event method"
            )
        }
    }

    /// - Parameter backend: The port of the server behind it.
    public static func nghttpx(
        certificate: String, key: String, backend: UInt16
    ) throws -> RealHTTP2Server {
        try RealHTTP2Server(.nghttpx) { home, port in
            (
                [
                    "/usr/sbin/nghttpx", "--conf=/dev/null", "--frontend=127.0.0.1,\(port)",
                    "--backend=127.0.0.1,\(backend)", "--workers=1", "--log-level=NOTICE",
                    "--errorlog-file=/dev/stderr", "--accesslog-file=/dev/null",
                    "--single-process", key, certificate,
                ], "Listening on"
            )
        }
    }

    private init(
        _ kind: Kind, _ setUp: (_ home: String, _ port: UInt16) throws -> ([String], String)
    ) throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "\(kind.rawValue)-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        let reserved = try ReservedPort()
        port = reserved.number
        folder = home.appending(path: "www", directoryHint: .isDirectory)
        for name in ["www/files", "www/put", "temporary"] {
            try FileManager.default.createDirectory(
                at: home.appending(path: name), withIntermediateDirectories: true)
        }
        let (command, readiness) = try setUp(home.path, port)
        process = try ServerProcess(command, home: home, readiness: readiness)
        withExtendedLifetime(reserved) {}
    }

    deinit { process.stop() }

    public func url(_ path: String) -> URL {
        guard let url = URL(string: "https://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("bad path \(path)")
        }
        return url
    }
}
