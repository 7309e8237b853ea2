import CTLS
public import FoundationEssentials

/// Who a server claims to be, and what the system thinks of it. Stands where Apple's suite has
/// `SecTrust`.
///
/// ```swift
/// // Pinning: whatever authority signed it, only this key.
/// trust.certificates.first?.publicKeySHA256 == expected
/// ```
public struct ServerTrust: Hashable, Sendable {
    /// The server's own certificate, then its issuers' as far as they are known.
    public let certificates: [ServerCertificate]
    /// The name or address it was asked to authenticate.
    public let host: String
    /// OpenSSL's verdict: 0, or the number of an X509_V_ERR.
    let verdict: Int

    /// - Parameter chain: DER, the server's own first. Invalid certificates are left out.
    init(host: String, chain: [Data], verdict: Int) {
        self.host = host
        self.certificates = chain.compactMap(ServerCertificate.init)
        self.verdict = verdict
    }

    /// Whether the chain leads to an authority of the system's, all dates are right and the
    /// certificate is for the host.
    public var isTrusted: Bool { verdict == 0 && !certificates.isEmpty }

    /// Why it is not trusted, in OpenSSL's words: `self-signed certificate`.
    public var failureReason: String? {
        isTrusted ? nil : String(cString: byteclub_verdict_text(Int32(truncatingIfNeeded: verdict)))
    }

    /// Whether the server's own certificate is for another host too.
    public func isFor(host: String) -> Bool {
        certificates.first?.isFor(host: host) ?? false
    }

    /// The error of a task that does not go on.
    func refusal(_ url: URL?) -> URLError {
        URLError(
            URLError.Code(certificateVerdict: verdict), failingURL: url,
            underlyingText: failureReason ?? "the delegate rejected the server's certificate"
        ).adding(self, for: URLError.peerTrustKey)
    }
}

/// What a certificate says of itself. Only a trusted one has to be believed.
public struct ServerCertificate: Hashable, Sendable {
    /// The certificate itself, in DER.
    public let derEncoded: Data
    /// Names as RFC 2253 writes them, the most particular part first: `CN=localhost,O=House`.
    public let subject: String
    /// Whose signature it bears.
    public let issuer: String
    /// Hexadecimal, in capitals.
    public let serialNumber: String
    /// From when on it is valid; nil when its date cannot be read.
    public let notValidBefore: Date?
    /// Until when it is valid; nil when its date cannot be read.
    public let notValidAfter: Date?
    /// Host names and addresses it is for; at most 100. Names may begin with `*.`.
    public let hosts: [String]
    /// Whether it names itself as its issuer.
    public let isSelfIssued: Bool
    /// SHA-256 of the certificate: what people compare.
    public let sha256: Data
    /// SHA-256 of its public key (SubjectPublicKeyInfo): what outlives a renewal, for pinning. In
    /// base64 it is curl's `sha256//…`.
    public let publicKeySHA256: Data

    /// nil unless the bytes are one certificate.
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

    /// `AB:CD:…`, as browsers show it.
    public var fingerprint: String {
        let digits = Array("0123456789ABCDEF")
        return sha256.map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }
            .joined(separator: ":")
    }

    /// Whether it is for this host name or address (RFC 9525).
    public func isFor(host: String) -> Bool {
        Handle(derEncoded)?.isFor(host) ?? false
    }
}

extension URLError.Code {
    /// - Parameter verdict: An X509_V_ERR number of OpenSSL's.
    init(certificateVerdict verdict: Int) {
        switch verdict {
        case 9, 13: self = .serverCertificateNotYetValid
        case 10, 14: self = .serverCertificateHasBadDate
        case 2, 19, 20, 21: self = .serverCertificateHasUnknownRoot
        default: self = .serverCertificateUntrusted  // self-signed, for another host, revoked
        }
    }
}

extension URLError {
    fileprivate static let peerTrustKey = "NSURLErrorFailingURLPeerTrustErrorKey"

    /// Who the server claimed to be, when a delegate was asked and the server was not trusted.
    public var failureURLPeerTrust: ServerTrust? {
        errorUserInfo[Self.peerTrustKey] as? ServerTrust
    }
}

// MARK: -

/// A certificate as OpenSSL has read it.
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
