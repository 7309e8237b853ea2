import CByteClubTLS
public import FoundationEssentials

/// The scope of a credential: a server or proxy, and a realm.
///
/// Tasks with the same protection space can use the same credential.
open class URLProtectionSpace: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state, and for subclasses in tests.

    /// The host name of the server or proxy.
    open var host: String { parts.host }
    /// The port; 0 for the protocol's default.
    open var port: Int { parts.port }
    /// `NSURLProtectionSpaceHTTP` or `NSURLProtectionSpaceHTTPS`; nil for a proxy.
    open var `protocol`: String? { parts.`protocol` }
    /// `NSURLProtectionSpaceHTTPProxy` or another proxy type; nil for a server.
    open var proxyType: String? { parts.proxyType }
    /// The server's name for the protected area. It is untrusted text.
    open var realm: String? { parts.realm }
    /// One of the `NSURLAuthenticationMethod…` constants.
    open var authenticationMethod: String { parts.authenticationMethod }
    /// For `NSURLAuthenticationMethodServerTrust`: the server's certificates.
    open var serverTrust: ServerTrust? { parts.serverTrust }
    /// For `NSURLAuthenticationMethodClientCertificate`: the names, in DER, of the authorities whose
    /// certificates the server accepts. Empty if it accepts any.
    open var distinguishedNames: [Data]? { parts.distinguishedNames }

    /// Creates the protection space of a server.
    public init(
        host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
        parts = Parts(
            host: host, port: port, protocol: `protocol`, realm: realm,
            authenticationMethod: authenticationMethod ?? NSURLAuthenticationMethodDefault)
    }

    /// Creates the protection space of a proxy.
    public init(
        proxyHost host: String, port: Int, type: String?, realm: String?,
        authenticationMethod: String?
    ) {
        parts = Parts(
            host: host, port: port, proxyType: type ?? NSURLProtectionSpaceHTTPProxy, realm: realm,
            authenticationMethod: authenticationMethod ?? NSURLAuthenticationMethodDefault)
    }

    init(
        host: String, port: Int, protocol: String?, proxyType: String? = nil, realm: String? = nil,
        method: String?, serverTrust: ServerTrust? = nil, distinguishedNames: [Data]? = nil
    ) {
        parts = Parts(
            host: host, port: port, protocol: `protocol`, proxyType: proxyType, realm: realm,
            authenticationMethod: method ?? NSURLAuthenticationMethodDefault,
            serverTrust: serverTrust, distinguishedNames: distinguishedNames)
    }

    private struct Parts {
        var host: String
        var port: Int
        var `protocol`: String?
        var proxyType: String?
        var realm: String?
        var authenticationMethod: String
        var serverTrust: ServerTrust?
        var distinguishedNames: [Data]?
    }

    private let parts: Parts

    #if Foundation
        // `NSObject` has a method `isProxy()`.

        /// Whether it belongs to a proxy.
        open override func isProxy() -> Bool { isOfProxy }
    #else
        /// Returns whether it belongs to a proxy.
        open func isProxy() -> Bool { isOfProxy }
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
    open var receivesCredentialSecurely: Bool {
        `protocol` == NSURLProtectionSpaceHTTPS
            || authenticationMethod == NSURLAuthenticationMethodHTTPDigest
            || authenticationMethod == NSURLAuthenticationMethodServerTrust
            || authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }

    /// Trust and authority names do not affect equality.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLProtectionSpace else { return false }
        return host.isEqualIgnoringASCIICase(to: other.host) && port == other.port
            && `protocol` == other.protocol && proxyType == other.proxyType
            && realm == other.realm && authenticationMethod == other.authenticationMethod
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(host.lowercased())
        hasher.combine(port)
        hasher.combine(realm)
        hasher.combine(authenticationMethod)
        return hasher.finalize()
    }

    open override var description: String {
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
