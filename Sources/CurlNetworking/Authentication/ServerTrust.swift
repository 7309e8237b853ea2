import CByteClubTLS
public import FoundationEssentials

/// A server's certificates and the result of their verification. Corresponds to Apple's `SecTrust`.
///
/// ```swift
/// // Pinning: accept this key only, whichever authority signed the certificate.
/// trust.certificates.first?.publicKeySHA256 == expected
/// ```
public struct ServerTrust: Hashable, Sendable {
    /// The certificate chain: the server's own certificate, then its issuers'.
    public let certificates: [ServerCertificate]
    /// The expected host name or address.
    public let host: String
    /// OpenSSL's verification result: 0, or an X509_V_ERR number.
    let verificationResult: Int

    /// Creates a trust.
    ///
    /// - Parameter chain: Certificates in DER, the server's own first. Invalid ones are omitted.
    init(host: String, chain: [Data], verificationResult: Int) {
        self.host = host
        self.certificates = chain.compactMap(ServerCertificate.init)
        self.verificationResult = verificationResult
    }

    /// Whether the chain leads to one of the system's authorities, all dates are valid, and the certificate
    /// is for the host.
    public var isTrusted: Bool { verificationResult == 0 && !certificates.isEmpty }

    /// Why the server is not trusted, as OpenSSL's text, such as `self-signed certificate`.
    public var failureReason: String? {
        isTrusted
            ? nil
            : String(
                cString: byteclub_verification_text(Int32(truncatingIfNeeded: verificationResult)))
    }

    /// Whether the server's own certificate is for another host.
    public func isFor(host: String) -> Bool {
        certificates.first?.isFor(host: host) ?? false
    }

    /// Returns the error of a task that is refused.
    func refusal(_ url: URL?) -> URLError {
        URLError(
            URLError.Code(verificationResult: verificationResult), failingURL: url,
            underlyingText: failureReason ?? "the delegate rejected the server's certificate"
        ).adding(self, for: URLError.peerTrustKey)
    }
}

/// The contents of a certificate. They are authentic only if the certificate is trusted.
public struct ServerCertificate: Hashable, Sendable {
    /// The certificate in DER.
    public let derEncoded: Data
    /// The subject in the format of RFC 2253, the most specific part first: `CN=localhost,O=House`.
    public let subject: String
    /// The issuer in the same format.
    public let issuer: String
    /// The serial number in hexadecimal, in upper case.
    public let serialNumber: String
    /// The start of the validity; nil if it cannot be parsed.
    public let notValidBefore: Date?
    /// The end of the validity; nil if it cannot be parsed.
    public let notValidAfter: Date?
    /// The host names and addresses it is for; at most 100. Names may begin with `*.`.
    public let hosts: [String]
    /// Whether the subject is also the issuer.
    public let isSelfIssued: Bool
    /// The SHA-256 of the certificate, for comparing fingerprints.
    public let sha256: Data
    /// The SHA-256 of the public key (SubjectPublicKeyInfo), for pinning: it can stay the same when a
    /// certificate is renewed. In base64, it is curl's `sha256//…`.
    public let publicKeySHA256: Data

    /// Parses a certificate. Returns nil if the data is not a single certificate.
    public init?(derEncoded: Data) {
        guard let handle = Handle(derEncoded),
            let fingerprint = DigestAlgorithm.sha256.hash(derEncoded),
            let key = handle.publicKey, let keyHash = DigestAlgorithm.sha256.hash(key)
        else { return nil }
        self.derEncoded = derEncoded
        subject = handle.text(byteclub_certificate_subject) ?? ""
        issuer = handle.text(byteclub_certificate_issuer) ?? ""
        serialNumber = handle.text(byteclub_certificate_serial) ?? ""
        let dates = handle.dates
        notValidBefore = dates?.from
        notValidAfter = dates?.until
        hosts = handle.hosts
        isSelfIssued = handle.isSelfIssued
        sha256 = Data(fingerprint)
        publicKeySHA256 = Data(keyHash)
    }

    /// Returns the fingerprint as `AB:CD:…`, as browsers show it.
    public var fingerprint: String {
        let digits = Array("0123456789ABCDEF")
        return sha256.map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }
            .joined(separator: ":")
    }

    /// Returns whether it is for a host name or address (RFC 9525).
    public func isFor(host: String) -> Bool {
        Handle(derEncoded)?.isFor(host) ?? false
    }
}

extension URLError.Code {
    /// Converts a verification result to an error code.
    ///
    /// - Parameter verificationResult: An X509_V_ERR number of OpenSSL.
    init(verificationResult: Int) {
        switch verificationResult {
        case 9, 13: self = .serverCertificateNotYetValid
        case 10, 14: self = .serverCertificateHasBadDate
        case 2, 19, 20, 21: self = .serverCertificateHasUnknownRoot
        default: self = .serverCertificateUntrusted  // self-signed, for another host, or revoked
        }
    }
}

extension URLError {
    fileprivate static let peerTrustKey = "NSURLErrorFailingURLPeerTrustErrorKey"

    /// The server's trust, if a delegate was asked and did not accept it.
    public var failureURLPeerTrust: ServerTrust? {
        errorUserInfo[Self.peerTrustKey] as? ServerTrust
    }
}

// MARK: -

/// A certificate that OpenSSL has parsed.
private struct Handle: ~Copyable {
    private let raw: OpaquePointer

    init?(_ der: Data) {
        let raw = der.withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: UInt8.self).baseAddress.flatMap {
                byteclub_certificate_read($0, bytes.count)
            }
        }
        guard let raw else { return nil }
        self.raw = raw
    }

    deinit { byteclub_certificate_free(raw) }

    func text(
        _ read: (OpaquePointer) -> UnsafeMutablePointer<CChar>?
    ) -> String? {
        guard let text = read(raw) else { return nil }
        defer { byteclub_text_free(text) }
        return String(cString: text)
    }

    var dates: (from: Date, until: Date)? {
        var from: Int64 = 0
        var until: Int64 = 0
        guard byteclub_certificate_dates(raw, &from, &until) else { return nil }
        return (
            Date(timeIntervalSince1970: TimeInterval(from)),
            Date(timeIntervalSince1970: TimeInterval(until))
        )
    }

    var hosts: [String] {
        var hosts: [String] = []
        while hosts.count < 100,
            let host = text({ byteclub_certificate_host($0, Int32(hosts.count)) })
        {
            hosts.append(host)
        }
        return hosts
    }

    var publicKey: Data? {
        var count = 0
        guard let bytes = byteclub_certificate_public_key(raw, &count) else { return nil }
        defer { byteclub_bytes_free(bytes) }
        return Data(bytes: bytes, count: count)
    }

    var isSelfIssued: Bool { byteclub_certificate_is_self_issued(raw) }

    func isFor(_ host: String) -> Bool { byteclub_certificate_is_for(raw, host) }
}
