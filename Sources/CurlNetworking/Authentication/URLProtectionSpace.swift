/// Where a credential is good for: a server or proxy, and a realm of it.
///
/// Two tasks that meet the same space can use the same credential.
public final class URLProtectionSpace: Hashable, Sendable {
    public let host: String
    /// As it was given; 0 stands for the usual one of the protocol.
    public let port: Int
    /// `NSURLProtectionSpaceHTTP`, `NSURLProtectionSpaceHTTPS`; nil for a proxy.
    public let `protocol`: String?
    /// `NSURLProtectionSpaceHTTPProxy` and the like; nil for a server.
    public let proxyType: String?
    /// What the server calls the part of it that the credential opens, in its own words: show it as
    /// text that is not to be trusted.
    public let realm: String?
    /// One of the `NSURLAuthenticationMethod…` constants.
    public let authenticationMethod: String
    /// For `NSURLAuthenticationMethodServerTrust`: who the server claims to be.
    public let serverTrust: ServerTrust?
    /// For `NSURLAuthenticationMethodClientCertificate`: the names, as RFC 2253 writes them, of the
    /// authorities whose certificates the server takes. Empty when it takes any.
    public let distinguishedNames: [String]?

    public convenience init(
        host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?
    ) {
        self.init(
            host: host, port: port, protocol: `protocol`, proxyType: nil, realm: realm,
            method: authenticationMethod)
    }

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
        method: String?, serverTrust: ServerTrust? = nil, distinguishedNames: [String]? = nil
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

    public var isProxy: Bool { proxyType != nil }

    /// Whether a password is not sent so that others on the way can read it.
    public var receivesCredentialSecurely: Bool {
        `protocol` == NSURLProtectionSpaceHTTPS
            || authenticationMethod == NSURLAuthenticationMethodHTTPDigest
            || authenticationMethod == NSURLAuthenticationMethodServerTrust
            || authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }

    /// What is presented in a space (the trust, the names) does not make it another one.
    public static func == (one: URLProtectionSpace, other: URLProtectionSpace) -> Bool {
        one.host.isEqualIgnoringASCIICase(to: other.host) && one.port == other.port
            && one.protocol == other.protocol && one.proxyType == other.proxyType
            && one.realm == other.realm && one.authenticationMethod == other.authenticationMethod
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(host.lowercased())
        hasher.combine(port)
        hasher.combine(realm)
        hasher.combine(authenticationMethod)
    }
}

extension URLProtectionSpace: CustomStringConvertible {
    public var description: String {
        let scheme = `protocol` ?? proxyType ?? ""
        let part = realm.map { " “\($0)”" } ?? ""
        return "\(scheme)://\(host):\(port)\(part) (\(authenticationMethod))"
    }
}

public let NSURLProtectionSpaceHTTP = "http"
public let NSURLProtectionSpaceHTTPS = "https"
public let NSURLProtectionSpaceHTTPProxy = "NSURLProtectionSpaceHTTPProxy"
public let NSURLProtectionSpaceHTTPSProxy = "NSURLProtectionSpaceHTTPSProxy"
public let NSURLProtectionSpaceSOCKSProxy = "NSURLProtectionSpaceSOCKSProxy"

public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
