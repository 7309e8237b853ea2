import Foundation

extension RealWebDAVServer.Kind {
    /// Its name, and the files required to start it.
    private var needs: (name: String, files: [String]) {
        switch self {
        case .apache: ("apache2", ["/usr/sbin/apache2"])
        case .nginx: ("nginx with dav-ext", ["/usr/sbin/nginx", Self.nginxModule])
        case .lighttpd:
            ("lighttpd with mod_webdav", ["/usr/sbin/lighttpd", "/usr/lib/lighttpd/mod_webdav.so"])
        case .rclone: ("rclone", ["/usr/bin/rclone"])
        case .wsgiDAV: ("WsgiDAV (scripts/install-wsgidav)", [Self.python])
        case .sabreDAV: ("sabre/dav on PHP", ["/usr/bin/php", Self.sabreDAVLibrary])
        }
    }

    public var isInstalled: Bool {
        needs.files.allSatisfy { FileManager.default.fileExists(atPath: $0) }
    }

    /// Why tests on it are skipped.
    public var reasonToSkip: String { "\(needs.name) is not installed" }

    /// Whether it rejects a `PUT` whose `If-Match` fails.
    public var honorsConditions: Bool {
        switch self {
        case .apache, .lighttpd, .wsgiDAV, .sabreDAV: true
        case .nginx, .rclone: false
        }
    }

    private static let nginxModule = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
    private static let sabreDAVLibrary = "/usr/share/php/Sabre/autoload.php"

    /// Installed by `scripts/install-wsgidav`.
    private static let python = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/wsgidav-venv/bin/python").path
}

extension RealWebDAVServer.Kind {
    /// How to start one.
    struct Setup {
        var command: [String]
        var environment: [String: String] = [:]
        /// By name in the server's home.
        var files: [String: String] = [:]
        /// The log line that shows that it is listening.
        var readiness: String
    }

    /// - Parameter home: Its own folder, with an empty `www` to serve and a `temporary`.
    func setup(home: String, port: UInt16) -> Setup {
        switch self {
        case .apache: preconditionFailure("see ApacheServer")
        case .nginx:
            Setup(
                command: ["/usr/sbin/nginx", "-p", home, "-c", home + "/conf", "-e", "stderr"],
                files: ["conf": Self.nginxConfiguration(home: home, port: port)],
                readiness: "event method")
        case .lighttpd:
            Setup(
                command: ["/usr/sbin/lighttpd", "-D", "-f", home + "/conf"],
                files: ["conf": Self.lighttpdConfiguration(home: home, port: port)],
                readiness: "server started")
        case .rclone:
            Setup(
                command: [
                    "/usr/bin/rclone", "serve", "webdav", "--addr", "127.0.0.1:\(port)",
                    "--config", home + "/conf", "--cache-dir", home + "/temporary", home + "/www",
                ],
                files: ["conf": ""], readiness: "Server started")
        case .wsgiDAV:
            Setup(
                command: [Self.python, home + "/server.py"],
                files: ["server.py": Self.wsgiDAVProgram(home: home, port: port)],
                readiness: "listening")
        case .sabreDAV:
            Setup(
                command: [
                    "/usr/bin/php", "-d", "display_errors=0", "-d", "memory_limit=256M", "-S",
                    "127.0.0.1:\(port)", home + "/server.php",
                ],
                files: ["server.php": Self.sabreProgram(home: home)], readiness: "started")
        }
    }

    private static func nginxConfiguration(home: String, port: UInt16) -> String {
        NginxConfiguration.make(
            home: home, module: nginxModule,
            http: """
                dav_ext_lock_zone zone=locks:1m;
                server {
                    listen 127.0.0.1:\(port);
                    root \(home)/www;
                    location / {
                        dav_methods PUT DELETE MKCOL COPY MOVE;
                        dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK;
                        dav_ext_lock zone=locks;
                        create_full_put_path on;
                    }
                }
                """)
    }

    private static func lighttpdConfiguration(home: String, port: UInt16) -> String {
        """
        server.bind = "127.0.0.1"
        server.port = \(port)
        server.document-root = "\(home)/www"
        server.upload-dirs = ("\(home)/temporary")
        server.modules = ("mod_webdav")
        webdav.activate = "enable"
        webdav.sqlite-db-name = "\(home)/temporary/webdav.db"
        mimetype.assign = (".txt" => "text/plain", ".jpg" => "image/jpeg", "" => "application/octet-stream")
        """
    }

    /// Equals its command line, plus a message when it listens: its own comes too early.
    private static func wsgiDAVProgram(home: String, port: UInt16) -> String {
        """
        import sys
        from cheroot import wsgi
        from wsgidav.wsgidav_app import WsgiDAVApp
        app = WsgiDAVApp({
            "provider_mapping": {"/": "\(home)/www"}, "verbose": 1,
            "simple_dc": {"user_mapping": {"*": True}},
        })
        server = wsgi.Server(bind_addr=("127.0.0.1", \(port)), wsgi_app=app, numthreads=50)
        server.prepare()
        print("listening", file=sys.stderr, flush=True)
        server.serve()
        """
    }

    private static func sabreProgram(home: String) -> String {
        """
        <?php
        error_reporting(E_ALL & ~E_DEPRECATED & ~E_NOTICE & ~E_WARNING);
        require '\(sabreDAVLibrary)';
        $server = new Sabre\\DAV\\Server(new Sabre\\DAV\\FSExt\\Directory('\(home)/www'));
        $server->setBaseUri('/');
        $server->addPlugin(new Sabre\\DAV\\Locks\\Plugin(
            new Sabre\\DAV\\Locks\\Backend\\File('\(home)/temporary/locks')));
        $server->exec();
        """
    }
}
