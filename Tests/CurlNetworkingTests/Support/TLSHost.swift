import Foundation
import Synchronization
import TestSupport

/// Keys and certificates for one test, made by the `openssl` command.
final class CertificateShop: Sendable {
    struct Item: Sendable {
        let certificate: String
        let key: String

        var file: URL { URL(filePath: certificate) }
    }

    private let folder: String
    private let lastNumber = Mutex(0)

    init() throws {
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "CurlNetworkingTests-" + UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// - Parameters:
    ///   - hosts: As `subjectAltName` has them.
    ///   - issuer: nil signs itself.
    ///   - from: When it begins to be valid, as ASN.1 writes it.
    func make(
        _ name: String = "localhost", hosts: String = "DNS:localhost", by issuer: Item? = nil,
        from: String = "20200101000000Z", until: String = "20980101000000Z",
        isAuthority: Bool = false
    ) throws -> Item {
        let number = lastNumber.withLock { last in
            last += 1
            return last
        }
        let item = Item(certificate: path("c\(number).pem"), key: path("k\(number).pem"))
        let request = path("r\(number).pem")
        let settings = path("s\(number)")
        let database = path("d\(number)")
        try Data().write(to: URL(filePath: database))
        try Data(
            """
            [ca]
            default_ca = house
            [house]
            database = \(database)
            new_certs_dir = \(folder)
            default_md = sha256
            rand_serial = yes
            policy = policy
            unique_subject = no
            x509_extensions = extensions
            [policy]
            commonName = supplied
            [extensions]
            basicConstraints = critical, CA:\(isAuthority || issuer == nil ? "TRUE" : "FALSE")
            subjectAltName = \(hosts)
            """.utf8
        ).write(to: URL(filePath: settings))
        try OpenSSLCommand.run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", item.key, "-out", request, "-subj", "/CN=" + name,
        ])
        let signer =
            issuer.map { ["-cert", $0.certificate, "-keyfile", $0.key] }
            ?? ["-selfsign", "-keyfile", item.key]
        try OpenSSLCommand.run(
            ["ca", "-batch", "-config", settings] + signer + [
                "-in", request, "-out", item.certificate, "-notext", "-startdate", from, "-enddate",
                until,
            ])
        return item
    }

    /// A certificate and its key in one PKCS #12 file.
    func makePackage(of item: Item, passphrase: String) throws -> URL {
        let file = path("package.p12")
        try OpenSSLCommand.run([
            "pkcs12", "-export", "-in", item.certificate, "-inkey", item.key, "-out", file,
            "-passout", "pass:" + passphrase,
        ])
        return URL(filePath: file)
    }

    func makeLockedKey(of item: Item, passphrase: String) throws -> URL {
        let file = path("locked.pem")
        try OpenSSLCommand.run([
            "ec", "-aes256", "-in", item.key, "-out", file, "-passout", "pass:" + passphrase,
        ])
        return URL(filePath: file)
    }
}

/// `openssl s_server` on 127.0.0.1: an HTTP server over TLS that serves one connection at a time and
/// keeps each open.
final class TLSHost: Sendable {
    let place: ReservedPort
    private let state: State

    /// Used by its thread, stopped by the owner of the host.
    private final class State: @unchecked Sendable {
        // Unchecked because of the command, which is written to by the thread alone, and stopped
        // once, from the host's deinit.
        let command: OpenSSLCommand
        let fields: String
        let text = Mutex("")

        init(_ command: OpenSSLCommand, _ fields: [String]) {
            self.command = command
            self.fields = fields.map { $0 + "\r\n" }.joined()
        }

        func serve() {
            var answered = 0
            _ = command.read { text in
                self.text.withLock { $0 = text }
                let count = text.components(separatedBy: "\r\n\r\n").count - 1
                while answered < count {
                    answered += 1
                    command.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nin")
                }
                return false
            }
        }
    }

    /// - Parameters:
    ///   - place: Where to listen; nil: somewhere.
    ///   - options: Of `openssl s_server`.
    ///   - fields: What it answers beside its length.
    init(
        _ item: CertificateShop.Item, at place: ReservedPort? = nil, _ options: [String] = [],
        fields: [String] = []
    ) throws {
        let place = try place ?? ReservedPort()
        let command = try OpenSSLCommand(
            [
                "s_server", "-accept", "127.0.0.1:\(place.number)", "-cert", item.certificate,
                "-key", item.key,
            ] + options, isFed: true)
        let text = command.read { $0.contains("ACCEPT") && $0.hasSuffix("\n") }
        guard text.contains("ACCEPT") else { throw OpenSSLCommand.Failure(text: text) }
        self.place = place
        state = State(command, fields)
        Thread.detachNewThread { [state] in state.serve() }
    }

    deinit {
        stop()
    }

    /// Closes the connection there is. The next one may come.
    func hangUp() {
        state.command.write("q\n")
    }

    var port: Int { Int(place.number) }

    /// Ends the command. The port stays its own.
    func stop() {
        state.command.stop()
    }

    func url(host: String = "localhost", _ path: String = "/") -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else {
            preconditionFailure("bad host \(host)")
        }
        return url
    }

    /// What the command prints: what it got, between remarks of its own.
    var transcript: String { state.text.withLock { $0 } }

    /// The heads of requests it got.
    var requestCount: Int {
        state.text.withLock { $0.components(separatedBy: "GET /").count - 1 }
    }
}
