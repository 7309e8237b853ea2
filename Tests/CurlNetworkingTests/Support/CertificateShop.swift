import Foundation
import Synchronization

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
        try make(
            CertificateRequest(
                subject: "/CN=" + name, hosts: hosts, isAuthority: isAuthority || issuer == nil,
                from: from, until: until), by: issuer)
    }

    /// - Parameter issuer: nil signs itself.
    func make(_ wanted: CertificateRequest, by issuer: Item? = nil) throws -> Item {
        let number = nextNumber()
        let item = Item(
            certificate: path("c\(number).pem"), key: wanted.reusedKey ?? path("k\(number).pem"))
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
            default_md = \(wanted.digest)
            rand_serial = yes
            policy = policy
            unique_subject = no
            x509_extensions = extensions
            [policy]
            organizationName = optional
            commonName = optional
            [extensions]
            \(wanted.extensionLines.joined(separator: "\n"))
            """.utf8
        ).write(to: URL(filePath: settings))
        let key =
            wanted.reusedKey.map { ["-key", $0] }
            ?? ["-newkey"] + wanted.key.arguments + ["-nodes", "-keyout", item.key]
        try OpenSSLCommand.run(["req", "-new"] + key + ["-out", request, "-subj", wanted.subject])
        let signer =
            issuer.map { ["-cert", $0.certificate, "-keyfile", $0.key] }
            ?? ["-selfsign", "-keyfile", item.key]
        try OpenSSLCommand.run(
            ["ca", "-batch", "-config", settings] + signer + [
                "-in", request, "-out", item.certificate, "-notext", "-startdate", wanted.from,
                "-enddate", wanted.until,
            ])
        return item
    }

    /// One file with all these certificates, in this order.
    func makeBundle(of items: [Item]) throws -> URL {
        let file = URL(filePath: path("b\(nextNumber()).pem"))
        let texts = try items.map { try String(contentsOf: $0.file, encoding: .utf8) }
        try Data(texts.joined().utf8).write(to: file)
        return file
    }

    /// The same certificate with another last bit, which is one of its signature.
    func makeForgery(of item: Item) throws -> Item {
        let text = try String(contentsOf: item.file, encoding: .utf8)
        let base64 = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        var bytes = Data(base64Encoded: base64) ?? Data()
        bytes[bytes.count - 1] ^= 1
        let forged = path("c\(nextNumber()).pem")
        try Data(
            """
            -----BEGIN CERTIFICATE-----
            \(bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END CERTIFICATE-----

            """.utf8
        ).write(to: URL(filePath: forged))
        return Item(certificate: forged, key: item.key)
    }

    /// A file of parameters for Diffie-Hellman with the generator 2.
    ///
    /// - Parameter modulus: Hexadecimal.
    func makeDiffieHellman(_ modulus: String) throws -> URL {
        let number = nextNumber()
        let settings = URL(filePath: path("s\(number)"))
        let der = URL(filePath: path("d\(number).der"))
        let file = URL(filePath: path("d\(number).pem"))
        try Data("asn1 = SEQUENCE:dh\n[dh]\np = INTEGER:0x\(modulus)\ng = INTEGER:2\n".utf8)
            .write(to: settings)
        try OpenSSLCommand.run(
            ["asn1parse", "-genconf", settings.path, "-out", der.path, "-noout"])
        let base64 = try Data(contentsOf: der).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        try Data(
            "-----BEGIN DH PARAMETERS-----\n\(base64)\n-----END DH PARAMETERS-----\n".utf8
        ).write(to: file)
        return file
    }

    private func nextNumber() -> Int {
        lastNumber.withLock { last in
            last += 1
            return last
        }
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

/// What a certificate says, and how it is signed.
struct CertificateRequest: Sendable {
    enum Key: Sendable {
        case rsa(bits: Int)
        case curve(String)
        case ed25519

        fileprivate var arguments: [String] {
            switch self {
            case .rsa(let bits): ["rsa:\(bits)"]
            case .curve(let name): ["ec", "-pkeyopt", "ec_paramgen_curve:" + name]
            case .ed25519: ["ed25519"]
            }
        }
    }

    /// As `openssl req -subj` takes it; `/` is an empty subject.
    var subject = "/CN=localhost"
    /// As `subjectAltName` has them; nil for none.
    var hosts: String? = "DNS:localhost"
    /// nil: It does not say.
    var isAuthority: Bool? = false
    /// Further lines of OpenSSL's section of extensions.
    var extensions: [String] = []
    var key = Key.curve("prime256v1")
    /// The file of a key that exists already, instead of a new one.
    var reusedKey: String?
    var digest = "sha256"
    /// When it begins to be valid, as ASN.1 writes it.
    var from = "20200101000000Z"
    var until = "20980101000000Z"

    static func authority(
        _ name: String, _ extensions: [String] = [], key: Key = .curve("prime256v1"),
        digest: String = "sha256"
    ) -> CertificateRequest {
        CertificateRequest(
            subject: "/CN=" + name, hosts: nil, isAuthority: true, extensions: extensions, key: key,
            digest: digest)
    }

    fileprivate var extensionLines: [String] {
        var lines = extensions
        if let isAuthority, !extensions.contains(where: { $0.hasPrefix("basicConstraints") }) {
            lines.append("basicConstraints = critical, CA:\(isAuthority ? "TRUE" : "FALSE")")
        }
        if let hosts { lines.append("subjectAltName = " + hosts) }
        return lines
    }
}
