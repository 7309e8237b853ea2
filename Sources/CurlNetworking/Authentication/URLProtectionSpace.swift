import CTLS
public import FoundationEssentials

/// Where a credential is good for: a server or proxy, and a realm of it.
///
/// Two tasks that meet the same space can use the same credential.
public final class URLProtectionSpace: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

    /// The server's or proxy's name.
    public let host: String
    /// As it was given; 0 stands for the usual one of the protocol.
    public let port: Int
    /// `NSURLProtectionSpaceHTTP`, `NSURLProtectionSpaceHTTPS`; nil for a proxy.
    public let `protocol`: String?
    /// `NSURLProtectionSpaceHTTPProxy` and others; nil for a server.
    public let proxyType: String?
    /// What the server calls the part of it that the credential opens, in its own words: show it as
    /// text that is not to be trusted.
    public let realm: String?
    /// One of the `NSURLAuthenticationMethod…` constants.
    public let authenticationMethod: String
    /// For `NSURLAuthenticationMethodServerTrust`: who the server claims to be.
    public let serverTrust: ServerTrust?
    /// For `NSURLAuthenticationMethodClientCertificate`: the names, in DER, of the authorities whose
    /// certificates the server takes. Empty when it takes any.
    public let distinguishedNames: [Data]?

    /// Makes a space of a server or a proxy.
    public convenience init(
        host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
        self.init(
            host: host, port: port, protocol: `protocol`, proxyType: nil, realm: realm,
            method: authenticationMethod)
    }

    /// Makes a space of a server or a proxy.
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
        // Every `NSObject` has such a method there.

        /// Whether a proxy asks.
        public override func isProxy() -> Bool { isOfProxy }
    #else
        /// Whether a proxy asks.
        public func isProxy() -> Bool { isOfProxy }
    #endif

    private var isOfProxy: Bool { proxyType != nil }

    /// ``distinguishedNames`` as RFC 2253 writes them: `CN=House`. What is not a name is left out. Not in
    /// Apple's suite.
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

    /// Whether a password is not sent so that others on the way can read it.
    public var receivesCredentialSecurely: Bool {
        `protocol` == NSURLProtectionSpaceHTTPS
            || authenticationMethod == NSURLAuthenticationMethodHTTPDigest
            || authenticationMethod == NSURLAuthenticationMethodServerTrust
            || authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }

    /// What is presented in a space (the trust, the names) does not make it another one.
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

/// A server spoken to over HTTP.
public let NSURLProtectionSpaceHTTP = "http"
/// A server spoken to over HTTPS.
public let NSURLProtectionSpaceHTTPS = "https"
/// A server spoken to over FTP, which only a ``URLProtocol`` of one's own can.
public let NSURLProtectionSpaceFTP = "ftp"
/// A proxy for HTTP.
public let NSURLProtectionSpaceHTTPProxy = "NSURLProtectionSpaceHTTPProxy"
/// A proxy for HTTPS.
public let NSURLProtectionSpaceHTTPSProxy = "NSURLProtectionSpaceHTTPSProxy"
/// A proxy for FTP; never met here.
public let NSURLProtectionSpaceFTPProxy = "NSURLProtectionSpaceFTPProxy"
/// A SOCKS proxy.
public let NSURLProtectionSpaceSOCKSProxy = "NSURLProtectionSpaceSOCKSProxy"

/// Whatever suits the protocol.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// Name and password in the clear (RFC 7617).
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// Name and a credential of the password (RFC 7616).
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// The client's own certificate, in the TLS handshake.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// Whether to believe the server's certificate.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

// For files that tell all methods apart. No challenge of these kinds is ever raised here.

/// A form of a web page.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// Kerberos or NTLM by agreement (RFC 4559): not spoken, such an offer is passed over.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// NTLM: not spoken, such an offer is passed over.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
