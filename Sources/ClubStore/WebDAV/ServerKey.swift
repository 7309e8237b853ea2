import CurlNetworking
public import FoundationEssentials

/// The fingerprint of a server's public key, in the form people compare and store: `sha256//` and
/// Base64, as curl writes it. It survives the renewal of a certificate.
public struct ServerKey: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes: the SHA-256 of the key (SubjectPublicKeyInfo).
    public let sha256: Data

    init(sha256: Data) {
        self.sha256 = sha256
    }

    /// Nil for anything but `sha256//` and the Base64 of 32 bytes.
    public init?(_ text: String) {
        let mark = "sha256//"
        guard text.hasPrefix(mark),
            let bytes = Data(base64Encoded: String(text.dropFirst(mark.count))), bytes.count == 32
        else { return nil }
        sha256 = bytes
    }

    public var description: String { "sha256//" + sha256.base64EncodedString() }
}

/// A server whose certificate is not trusted, or not for this name: what a user needs to decide about it.
public struct UntrustedServer: Hashable, Sendable {
    /// The host name that was verified.
    public let host: String
    /// Why it is not trusted, in OpenSSL's words: `self-signed certificate`.
    public let reason: String
    public let key: ServerKey
    /// Whether another key is pinned: the server's key was changed, or the connection is intercepted.
    public let differsFromPin: Bool
    /// What this computer's clock says of the certificate.
    public let validity: Validity

    /// When a certificate is valid.
    public enum Validity: Hashable, Sendable {
        case current, notYet, expired
    }

    package init(
        host: String, reason: String, key: ServerKey, differsFromPin: Bool = false,
        validity: Validity = .current
    ) {
        self.host = host
        self.reason = reason
        self.key = key
        self.differsFromPin = differsFromPin
        self.validity = validity
    }

    /// - Parameter now: The time by this computer's clock.
    init?(_ trust: ServerTrust, pinnedKey: ServerKey?, at now: Date) {
        guard let certificate = trust.certificates.first else { return nil }
        host = ServerText.name(trust.host)
        reason = ServerText.line(trust.failureReason ?? "another key than the one to believe")
        let key = ServerKey(sha256: certificate.publicKeySHA256)
        self.key = key
        differsFromPin = pinnedKey != nil && pinnedKey != key
        validity = Validity(of: certificate, at: now)
    }
}

extension UntrustedServer.Validity {
    init(of certificate: ServerCertificate, at now: Date) {
        if let start = certificate.notValidBefore, now < start {
            self = .notYet
        } else if let end = certificate.notValidAfter, now > end {
            self = .expired
        } else {
            self = .current
        }
    }
}
