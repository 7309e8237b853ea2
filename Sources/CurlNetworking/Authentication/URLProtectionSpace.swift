import CByteClubTLS
public import FoundationEssentials

/// The scope of a credential: a server or proxy, and a realm.
///
/// Tasks with the same protection space can use the same credential.
open class URLProtectionSpace: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state, and for subclasses in tests.

    /// The host name of the server or proxy.
    public let host: String
    /// The port; 0 for the protocol's default.
    public let port: Int
    /// `NSURLProtectionSpaceHTTP` or `NSURLProtectionSpaceHTTPS`; nil for a proxy.
    public let `protocol`: String?
    /// `NSURLProtectionSpaceHTTPProxy` or another proxy type; nil for a server.
    public let proxyType: String?
    /// The server's name for the protected area. It is untrusted text.
    public let realm: String?
    /// One of the `NSURLAuthenticationMethod…` constants.
    public let authenticationMethod: String
    /// For `NSURLAuthenticationMethodServerTrust`: the server's certificates.
    public let serverTrust: ServerTrust?
    /// For `NSURLAuthenticationMethodClientCertificate`: the names, in DER, of the authorities whose
    /// certificates the server accepts. Empty if it accepts any.
    public let distinguishedNames: [Data]?

    /// Creates the protection space of a server.
    public convenience init(
        host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
        self.init(
            host: host, port: port, protocol: `protocol`, proxyType: nil, realm: realm,
            method: authenticationMethod)
    }

    /// Creates the protection space of a proxy.
    public convenience init(
        proxyHost host: String, port: Int, type: String?, realm: String?,
        authenticationMethod: String?
    ) {
        self.init(
            host: host, port: port, protocol: nil, proxyType: type ?? NSURLProtectionSpaceHTTPProxy,
            realm: realm, method: authenticationMethod)
    }

    init(
        host: String, port: Int, protocol: String?, proxyType: String? = nil, realm: String? = nil,
        method: String?, serverTrust: ServerTrust? = nil, distinguishedNames: [Data]? = nil
    ) {
        self.host = host
        self.port = port
        self.protocol = `protocol`
        self.proxyType = proxyType
        self.realm = realm
        self.authenticationMethod = method ?? NSURLAuthenticationMethodDefault
        self.serverTrust = serverTrust
        self.distinguishedNames = distinguishedNames
    }

    #if Foundation
        // `NSObject` has a method `isProxy()`.

        /// Whether it belongs to a proxy.
        public override func isProxy() -> Bool { isOfProxy }
    #else
        /// Returns whether it belongs to a proxy.
        public func isProxy() -> Bool { isOfProxy }
    #endif

    private var isOfProxy: Bool { proxyType != nil }

    /// ``distinguishedNames`` in the format of RFC 2253: `CN=House`. Invalid names are omitted. Not part of
    /// Apple's API.
    public var distinguishedNameTexts: [String]? {
        distinguishedNames?.compactMap { name in
            name.withUnsafeBytes { bytes in
                guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                    let text = byteclub_name_text(start, bytes.count)
                else { return nil }
                defer { byteclub_text_free(text) }
                return String(cString: text)
            }
        }
    }

    /// Whether the password is protected from eavesdroppers.
    public var receivesCredentialSecurely: Bool {
        `protocol` == NSURLProtectionSpaceHTTPS
            || authenticationMethod == NSURLAuthenticationMethodHTTPDigest
            || authenticationMethod == NSURLAuthenticationMethodServerTrust
            || authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }

    /// Trust and authority names do not affect equality.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLProtectionSpace else { return false }
        return host.isEqualIgnoringASCIICase(to: other.host) && port == other.port
            && `protocol` == other.protocol && proxyType == other.proxyType
            && realm == other.realm && authenticationMethod == other.authenticationMethod
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(host.lowercased())
        hasher.combine(port)
        hasher.combine(realm)
        hasher.combine(authenticationMethod)
        return hasher.finalize()
    }

    public override var description: String {
        let scheme = `protocol` ?? proxyType ?? ""
        let part = realm.map { " “\($0)”" } ?? ""
        return "\(scheme)://\(host):\(port)\(part) (\(authenticationMethod))"
    }
}

/// The protocol of an HTTP server.
public let NSURLProtectionSpaceHTTP = "http"
/// The protocol of an HTTPS server.
public let NSURLProtectionSpaceHTTPS = "https"
/// The protocol of an FTP server, which only a custom ``URLProtocol`` supports.
public let NSURLProtectionSpaceFTP = "ftp"
/// The type of a proxy for HTTP.
public let NSURLProtectionSpaceHTTPProxy = "NSURLProtectionSpaceHTTPProxy"
/// The type of a proxy for HTTPS.
public let NSURLProtectionSpaceHTTPSProxy = "NSURLProtectionSpaceHTTPSProxy"
/// The type of a proxy for FTP. Not used here.
public let NSURLProtectionSpaceFTPProxy = "NSURLProtectionSpaceFTPProxy"
/// The type of a SOCKS proxy.
public let NSURLProtectionSpaceSOCKSProxy = "NSURLProtectionSpaceSOCKSProxy"

/// The default method of the protocol.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// User name and password in clear text (RFC 7617).
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// User name and a hash of the password (RFC 7616).
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// A client certificate in the TLS handshake.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// Trust in the server's certificate.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

// For code that distinguishes all methods. Challenges with these methods do not occur.

/// An HTML form.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// Kerberos or NTLM by negotiation (RFC 4559). Not supported; such offers are ignored.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// NTLM. Not supported; such offers are ignored.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
