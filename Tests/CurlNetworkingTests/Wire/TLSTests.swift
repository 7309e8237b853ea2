import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Certificates and servers are made by the `openssl` command, which Debian installs along with
/// `ca-certificates`.
@Suite(.timeLimit(.minutes(1)), .enabled(if: OpenSSL.isInstalled)) struct TLSTests {
    @Test func trustsAnAuthorityItIsGiven() async throws {
        let server = try TLSServer()
        let session = makeSession { $0.certificateAuthoritiesFile = server.certificate }
        let (_, response) = try await session.data(from: server.url(host: "localhost"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        server.stop()
    }

    @Test func refusesASelfSignedCertificate() async throws {
        let server = try TLSServer()
        await expect(
            .serverCertificateUntrusted, from: makeSession(), server.url(host: "localhost"))
        server.stop()
    }

    @Test func refusesACertificateForAnotherHost() async throws {
        let server = try TLSServer()
        let session = makeSession { $0.certificateAuthoritiesFile = server.certificate }
        await expect(.serverCertificateUntrusted, from: session, server.url(host: "127.0.0.1"))
        server.stop()
    }

    @Test func refusesAnExpiredCertificate() async throws {
        let server = try TLSServer(dates: ("20200101000000Z", "20200201000000Z"))
        let session = makeSession { $0.certificateAuthoritiesFile = server.certificate }
        await expect(.serverCertificateHasBadDate, from: session, server.url(host: "localhost"))
        server.stop()
    }

    @Test func aPlainServerMakesNoSecureConnection() async throws {
        let server = try LoopbackServer(scripts: [[.send("HTTP/1.1 200 OK\r\n\r\n"), .stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        await expect(.secureConnectionFailed, from: makeSession(), url)
        server.stop()
    }

    @Test func metricsTellWhatWasAgreedOn() async throws {
        let server = try TLSServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) {
            $0.certificateAuthoritiesFile = server.certificate
        }
        _ = try await session.data(from: server.url(host: "localhost"))
        let leg = try #require(delegate.snapshot.metrics.first?.transactionMetrics.first)
        #expect(leg.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(leg.negotiatedTLSCipherSuite == .AES_256_GCM_SHA384)
        let start = try #require(leg.secureConnectionStartDate)
        let end = try #require(leg.secureConnectionEndDate)
        #expect(start <= end)
        #expect(leg.connectEndDate == end)
        server.stop()
    }

    private func expect(_ code: URLError.Code, from session: URLSession, _ url: URL) async {
        await #expect { try await session.data(from: url) } throws: { error in
            let error = error as? URLError
            #expect(error?.code == code, "\(error as Any)")
            return true
        }
    }
}

/// A run of the `openssl` command. Foundation's `Process` is no use here: its wait turns a run loop on
/// whatever thread it is called from.
private final class OpenSSL {
    static let path = "/usr/bin/openssl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: path)

    struct Failure: Error {
        let text: String
    }

    private let process: pid_t
    /// What it prints, errors included. Kept open: the command dies when nobody could read it.
    private let output: FileHandle
    private var isOver = false

    init(_ arguments: [String]) throws {
        let pipe = Pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for target in 1...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_adddup2(
                &actions, pipe.fileHandleForWriting.fileDescriptor, target)
        }
        posix_spawn_file_actions_addclose(&actions, pipe.fileHandleForReading.fileDescriptor)
        var words = ([Self.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, Self.path, &actions, nil, &words, environ) == 0 else {
            throw Failure(text: "cannot start \(Self.path)")
        }
        try pipe.fileHandleForWriting.close()
        self.process = process
        output = pipe.fileHandleForReading
    }

    /// Reads what it prints until `isEnough`.
    func read(until isEnough: (String) -> Bool) throws -> String {
        var text = ""
        while !isEnough(text) {
            let more = output.availableData
            guard !more.isEmpty else { throw Failure(text: text) }
            text += String(decoding: more, as: UTF8.self)
        }
        return text
    }

    func stop() {
        guard !isOver else { return }
        kill(process, SIGKILL)  // Dispatch threads hand on a mask that holds back all others
        _ = wait()
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isOver = true
        return status
    }

    static func run(_ arguments: [String]) throws {
        let command = try OpenSSL(arguments)
        let text = try command.output.readToEnd() ?? Data()
        guard command.wait() == 0 else {
            throw Failure(text: String(decoding: text, as: UTF8.self))
        }
    }

    deinit {
        stop()
    }
}

/// A server on 127.0.0.1 with a certificate of its own making, for `localhost`.
private final class TLSServer {
    let certificate: URL
    private let port: Int
    private let folder: ScratchFolder
    private let command: OpenSSL

    /// - Parameter dates: From when until when the certificate is valid, as ASN.1 writes them.
    init(dates: (String, String) = ("20200101000000Z", "20980101000000Z")) throws {
        folder = try ScratchFolder()
        certificate = folder.url(of: "certificate.pem")
        let key = folder.url(of: "key.pem").path
        try Self.makeCertificate(certificate.path, key: key, dates: dates, in: folder)
        command = try OpenSSL([
            "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", key, "-www",
        ])
        let text = try command.read { $0.contains("ACCEPT 127.0.0.1:") && $0.hasSuffix("\n") }
        let digits = text.split(separator: "ACCEPT 127.0.0.1:").last?.prefix(while: \.isNumber)
        guard let port = digits.flatMap({ Int($0) }) else { throw OpenSSL.Failure(text: text) }
        self.port = port
    }

    func url(host: String) -> URL {
        guard let url = URL(string: "https://\(host):\(port)/") else {
            preconditionFailure("bad host \(host)")
        }
        return url
    }

    func stop() {
        command.stop()
    }

    private static func makeCertificate(
        _ certificate: String, key: String, dates: (String, String), in folder: ScratchFolder
    ) throws {
        let request = folder.url(of: "request.pem").path
        let settings = """
            [ca]
            default_ca = house
            [house]
            database = \(try folder.put(Data(), "database").path)
            new_certs_dir = \(folder.path)
            default_md = sha256
            rand_serial = yes
            policy = policy
            x509_extensions = extensions
            [policy]
            commonName = supplied
            [extensions]
            basicConstraints = critical, CA:TRUE
            subjectAltName = DNS:localhost
            """
        try OpenSSL.run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", request, "-subj", "/CN=localhost",
        ])
        try OpenSSL.run([
            "ca", "-batch", "-selfsign", "-config",
            try folder.put(Data(settings.utf8), "settings").path, "-keyfile", key,
            "-in",
            request, "-out", certificate, "-notext", "-startdate", dates.0, "-enddate", dates.1,
        ])
    }
}
