import CByteClubTLS
import FoundationEssentials

/// A TLS handshake that pauses after the server's certificates until trust is decided. No request byte has
/// been sent.
///
/// Owned by the engine, used on its thread only. Must outlive its transfer in libcurl, or the handshake.
/// CByteClubTLS.h describes how it pauses.
final class TLSHandshake {
    private let raw: OpaquePointer
    private let host: String

    /// Creates a handshake.
    ///
    /// - Parameter host: The host without the brackets of an IPv6 address.
    init?(host: String) {
        guard let raw = byteclub_handshake_make(host) else { return nil }
        self.raw = raw
        self.host = host
    }

    deinit {
        byteclub_handshake_release(raw)
    }

    enum Attachment {
        case attached
        case failed
    }

    /// Attaches it to a connection. Called in CURLOPT_SSL_CTX_FUNCTION; CURLOPT_SSL_VERIFYHOST must be 0.
    func attach(to context: UnsafeMutableRawPointer) -> Attachment {
        byteclub_handshake_attach(raw, context) ? .attached : .failed
    }

    /// Sets the function that is called, inside a call to libcurl, when the handshake pauses.
    func onPause(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ context: UnsafeMutableRawPointer
    ) {
        byteclub_handshake_on_pause(raw, function, context)
    }

    var isPaused: Bool { byteclub_handshake_is_paused(raw) }

    /// How often libcurl has tried to continue while it was paused.
    var blockedCount: Int { Int(byteclub_handshake_blocked_count(raw)) }

    /// Continues the handshake: the server is trusted.
    func open() {
        byteclub_handshake_open(raw)
    }

    /// Whether the system trusts the server.
    var isTrusted: Bool { byteclub_handshake_verification_result(raw) == 0 }

    /// Whether the system trusts the server of a new connection: by the certificates of this handshake, or by those
    /// of the one whose TLS session it has resumed. False for a reused connection.
    ///
    /// - Parameter connection: The connection's `SSL *`, after its handshake.
    func hasVerifiedServer(of connection: UnsafeRawPointer) -> Bool {
        if byteclub_handshake_certificate_count(raw) > 0 { return isTrusted }
        return byteclub_tls_resumes_verified(connection, host)
    }

    /// Whether the server requests a client certificate, and no suitable one was set.
    var wantsClientCertificate: Bool { byteclub_handshake_wants_client_certificate(raw) }

    var trust: ServerTrust {
        let chain = (0..<byteclub_handshake_certificate_count(raw)).map { index in
            var count = 0
            let bytes = byteclub_handshake_certificate(raw, index, &count)
            return Data(bytes: bytes, count: count)
        }
        return ServerTrust(
            host: host, chain: chain,
            verificationResult: Int(byteclub_handshake_verification_result(raw)))
    }

    /// The names, in DER, of the authorities whose client certificates the server accepts; nil if it requests
    /// none, or was shown one.
    var clientCertificateAuthorities: [Data]? {
        guard wantsClientCertificate else { return nil }
        return (0..<byteclub_handshake_authority_count(raw)).map { index in
            var count = 0
            let bytes = byteclub_handshake_authority(raw, index, &count)
            return Data(bytes: bytes, count: count)
        }
    }
}
