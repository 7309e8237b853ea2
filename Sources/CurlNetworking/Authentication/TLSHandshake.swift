import CTLS
import FoundationEssentials

/// A TLS handshake that is held when the server has shown its certificates, until somebody has
/// decided about them. Nothing of the request has left by then.
///
/// Owned by the engine, used on its queue alone; has to live until its transfer is off libcurl or has
/// got past the handshake. See CTLS.h for how the holding works.
final class TLSHandshake {
    private let raw: OpaquePointer
    private let host: String

    /// - Parameter host: Without the brackets of an IPv6 address.
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

    /// To be called in CURLOPT_SSL_CTX_FUNCTION. CURLOPT_SSL_VERIFYHOST has to be 0.
    func attach(to context: UnsafeMutableRawPointer) -> Attachment {
        byteclub_handshake_attach(raw, context) ? .attached : .failed
    }

    /// Has a function called when the handshake is held, while libcurl is on the stack.
    func whenHeld(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ context: UnsafeMutableRawPointer
    ) {
        byteclub_handshake_when_held(raw, function, context)
    }

    var isHeld: Bool { byteclub_handshake_is_held(raw) }

    /// How often libcurl has tried to go on while it was held.
    var heldCount: Int { Int(byteclub_handshake_held_count(raw)) }

    /// Lets the handshake go on: the server is trusted.
    func open() {
        byteclub_handshake_open(raw)
    }

    /// Whether the system trusts the server.
    var isTrusted: Bool { byteclub_handshake_verdict(raw) == 0 }

    /// Whether the server has shown its certificates in this handshake, and the system trusts them. Not so on a
    /// connection that was there already.
    var hasProvedServer: Bool { isTrusted && byteclub_handshake_certificate_count(raw) > 0 }

    /// Whether the server wants a client certificate, and no fitting one was set.
    var wantsClientCertificate: Bool { byteclub_handshake_wants_client_certificate(raw) }

    var trust: ServerTrust {
        let chain = (0..<byteclub_handshake_certificate_count(raw)).map { index in
            var count = 0
            let bytes = byteclub_handshake_certificate(raw, index, &count)
            return Data(bytes: bytes, count: count)
        }
        return ServerTrust(
            host: host, chain: chain, verdict: Int(byteclub_handshake_verdict(raw)))
    }

    /// The names, in DER, of the authorities whose client certificates the server takes; nil when it wants
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
