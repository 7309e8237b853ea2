import CByteClubCurl
import Glibc
import Testing

@testable import CurlNetworking

/// The holding of a handshake with libcurl and a real server, without the engine.
@Suite(.timeLimit(.minutes(1)), .enabled(if: OpenSSLCommand.isInstalled))
struct TLSHandshakeTests {
    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func holdsUntilItIsOpened(version: String) throws {
        let server = try Server(version)
        let transfer = try Transfer(server, host: "localhost")
        #expect(transfer.runUntilHeld())
        let trust = transfer.handshake.trust
        #expect(trust.certificates.count == 1)
        #expect(trust.certificates.first?.subject == "CN=localhost")
        #expect(trust.failureReason == "self-signed certificate")
        #expect(trust.refusal(nil).code == .serverCertificateUntrusted)
        #expect(transfer.status == 0)
        transfer.handshake.open()
        #expect(transfer.runToTheEnd() == CURLE_OK)
        #expect(transfer.status == 200)
        #expect(transfer.handshake.clientCertificateAuthorities == nil)
    }

    @Test func checksTheHostAlongWithTheChain() throws {
        let right = try Transfer(Server(), host: "localhost", trustsIt: true)
        #expect(right.runUntilHeld())
        #expect(right.handshake.trust.isTrusted)
        let wrong = try Transfer(Server(), host: "elsewhere.test", trustsIt: true)
        #expect(wrong.runUntilHeld())
        #expect(wrong.handshake.trust.failureReason == "hostname mismatch")
    }

    @Test func aHeldTransferCanBeDropped() throws {
        let server = try Server()
        var transfer: Transfer? = try Transfer(server, host: "localhost")
        #expect(transfer?.runUntilHeld() == true)
        transfer = nil
        let next = try Transfer(server, host: "localhost")
        #expect(next.runUntilHeld())
    }

    /// The connection stays in the pool when the handshake's watcher is gone.
    @Test func theConnectionOutlivesItsWatcher() throws {
        let server = try Server("-tls1_3")
        var transfer: Transfer? = try Transfer(server, host: "localhost")
        #expect(transfer?.runUntilHeld() == true)
        transfer?.handshake.open()
        transfer?.forgetsHandshakeEarly = true
        #expect(transfer?.runToTheEnd() == CURLE_OK)
        transfer = nil
    }

    @Test func tellsThatAClientCertificateIsWanted() throws {
        let server = try Server("-tls1_3", asksClient: true)  // serves one after another
        let transfer = try Transfer(server, host: "localhost")
        #expect(transfer.runUntilHeld())
        let names = URLProtectionSpace(
            host: "a.test", port: 443, protocol: nil, method: nil,
            distinguishedNames: transfer.handshake.clientCertificateAuthorities)
        #expect(names.distinguishedNameTexts == ["CN=localhost"])
        transfer.handshake.open()
        #expect(transfer.runToTheEnd() != CURLE_OK)  // it insists
        let equipped = try Transfer(server, host: "localhost", presents: true)
        #expect(equipped.runUntilHeld())
        #expect(equipped.handshake.clientCertificateAuthorities == nil)
        equipped.handshake.open()
        #expect(equipped.runToTheEnd() == CURLE_OK)
    }
}

/// A transfer with a multi handle of its own.
private final class Transfer {
    private(set) var handshake: TLSHandshake
    var forgetsHandshakeEarly = false
    /// Has to live as long.
    private let server: Server
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer

    init(
        _ server: Server, host: String, trustsIt: Bool = false, presents: Bool = false
    ) throws {
        self.server = server
        handshake = try #require(TLSHandshake(host: host))
        easy = try #require(curl_easy_init())
        multi = try #require(curl_multi_init())
        _ = byteclub_easy_set_string(easy, CURLOPT_URL, "https://localhost:\(server.port)/")
        _ = byteclub_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0)
        _ = byteclub_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        _ = byteclub_easy_set_long(easy, CURLOPT_TIMEOUT, 30)
        if trustsIt { _ = byteclub_easy_set_string(easy, CURLOPT_CAINFO, server.certificate) }
        if presents {
            _ = byteclub_easy_set_string(easy, CURLOPT_SSLCERT, server.certificate)
            _ = byteclub_easy_set_string(easy, CURLOPT_SSLKEY, server.key)
        }
        let prepare:
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
            ) -> CURLcode = prepareContext
        _ = byteclub_easy_set_pointer(
            easy, CURLOPT_SSL_CTX_FUNCTION, unsafeBitCast(prepare, to: UnsafeMutableRawPointer.self)
        )
        _ = byteclub_easy_set_pointer(
            easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(handshake).toOpaque())
        _ = byteclub_easy_set_bytes_callback(easy, CURLOPT_WRITEFUNCTION, discardBytes)
        curl_multi_add_handle(multi, easy)
    }

    deinit {
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
    }

    var status: Int {
        var status = 0
        byteclub_easy_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Returns false when the transfer ended instead.
    func runUntilHeld() -> Bool {
        run { handshake.isPaused } == nil
    }

    func runToTheEnd() -> CURLcode? {
        run { false }
    }

    private func run(until isEnough: () -> Bool) -> CURLcode? {
        while !isEnough() {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                if message.pointee.msg == CURLMSG_DONE { return byteclub_message_result(message) }
            }
            if !isEnough() { curl_multi_poll(multi, nil, 0, 1000, nil) }
            if forgetsHandshakeEarly, status > 0, let other = TLSHandshake(host: "") {
                handshake = other
            }
        }
        return nil
    }
}

private func prepareContext(
    easy: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?,
    pointer: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let pointer else { return CURLE_SSL_CONNECT_ERROR }
    let handshake = Unmanaged<TLSHandshake>.fromOpaque(pointer).takeUnretainedValue()
    return handshake.attach(to: context) == .attached ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

private func discardBytes(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    size * count
}

/// `openssl s_server` on 127.0.0.1 with a certificate of its own for `localhost`.
private final class Server {
    let certificate: String
    let key: String
    let port: Int
    private let folder: ScratchFolder
    private let command: OpenSSLCommand

    init(_ version: String? = nil, asksClient: Bool = false) throws {
        folder = try ScratchFolder()
        certificate = folder.path(of: "certificate.pem")
        key = folder.path(of: "key.pem")
        try OpenSSLCommand.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-days", "3650",
        ])
        command = try OpenSSLCommand(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"]
                + (version.map { [$0] } ?? [])
                + (asksClient ? ["-Verify", "1", "-CAfile", certificate] : []))
        let text = command.read { $0.contains("ACCEPT 127.0.0.1:") && $0.hasSuffix("\n") }
        let digits = text.split(separator: "ACCEPT 127.0.0.1:").last?.prefix(while: \.isNumber)
        guard let port = digits.flatMap({ Int($0) }) else {
            throw OpenSSLCommand.Failure(text: text)
        }
        self.port = port
    }
}
