import FoundationEssentials

/// The party that requests credentials.
enum AuthenticationParty: Hashable, Sendable {
    case server
    case proxy

    var status: Int { self == .server ? 401 : 407 }
    var challengeField: String { self == .server ? "WWW-Authenticate" : "Proxy-Authenticate" }
    var answerField: String { self == .server ? "Authorization" : "Proxy-Authorization" }
    /// Whether the status of a head requests credentials.
    static func isAsking(_ head: ResponseHead) -> Bool {
        head.status == server.status || head.status == proxy.status
    }

    var infoField: String { self == .server ? "Authentication-Info" : "Proxy-Authentication-Info" }
}

/// A proxy, as tasks refer to it.
struct ProxyAddress: Hashable, Sendable {
    var host: String
    var port: Int
    /// `NSURLProtectionSpaceHTTPProxy` or `NSURLProtectionSpaceHTTPSProxy`.
    var type = NSURLProtectionSpaceHTTPProxy
    /// The credential from the proxy settings.
    var credential: URLCredential?
}

/// The parts of a request that the response to a challenge depends on.
struct ChallengedRequest: Sendable {
    var url: URL
    var method: String
    /// The request target exactly as it is sent: path and query, or the whole URL for a plain proxy.
    var target: String
    /// The target for a plain proxy, if it differs from `target`.
    var proxyTarget: String?
    /// Whether it is a CONNECT request, which concerns the proxy only.
    var isTunnel = false
    /// The hash of the body in hexadecimal, for `auth-int`; nil without a body. See
    /// `AuthenticationState.bodyHashAlgorithm`.
    var bodyHash: String?
    var proxy: ProxyAddress?

    init(
        url: URL, method: String, target: String, bodyHash: String? = nil,
        proxy: ProxyAddress? = nil
    ) {
        self.url = url
        self.method = method
        self.target = target
        self.bodyHash = bodyHash
        self.proxy = proxy
    }

    /// Creates a request that is sent without a proxy or through a tunnel.
    init(_ url: URL, method: String, proxy: ProxyAddress? = nil) {
        var target = url.path(percentEncoded: true)
        if !target.hasPrefix("/") { target = "/" + target }
        if let query = url.query(percentEncoded: true) { target += "?" + query }
        self.init(url: url, method: method, target: target, proxy: proxy)
    }

    /// The path without the query.
    var path: String {
        let path = url.path(percentEncoded: true)
        return path.hasPrefix("/") ? path : "/" + path
    }

    /// The parties that may request credentials for it.
    var parties: [AuthenticationParty] {
        isTunnel ? [.proxy] : proxy == nil ? [.server] : [.server, .proxy]
    }

    /// Returns the protection space of a party.
    func space(
        of party: AuthenticationParty, realm: String? = nil, method: String,
        serverTrust: ServerTrust? = nil, distinguishedNames: [Data]? = nil
    ) -> URLProtectionSpace? {
        switch party {
        case .server:
            guard let origin = Origin(of: url) else { return nil }
            return URLProtectionSpace(
                host: origin.host, port: origin.port,
                protocol: origin.scheme == "https"
                    ? NSURLProtectionSpaceHTTPS : NSURLProtectionSpaceHTTP,
                realm: realm, method: method, serverTrust: serverTrust,
                distinguishedNames: distinguishedNames)
        case .proxy:
            guard let proxy else { return nil }
            return URLProtectionSpace(
                host: proxy.host, port: proxy.port, protocol: nil, proxyType: proxy.type,
                realm: realm, method: method)
        }
    }
}

/// An authentication method that a server or proxy offers.
struct AuthenticationOffer: Sendable {
    enum Scheme: Sendable {
        case basic
        case digest(DigestOffer)

        /// Larger is stronger.
        var strength: Int {
            switch self {
            case .basic: 0
            case .digest(let offer): 1 + offer.algorithm.rawValue
            }
        }
    }

    var space: URLProtectionSpace
    var scheme: Scheme

    var digest: DigestOffer? {
        if case .digest(let offer) = scheme { offer } else { nil }
    }

    /// Returns the supported offers of a 401 or 407, the strongest first, one per protection space.
    static func all(
        in head: ResponseHead, from party: AuthenticationParty, for request: ChallengedRequest
    ) -> [AuthenticationOffer] {
        let field = head.headers[party.challengeField] ?? ""
        var offers: [AuthenticationOffer] = []
        for challenge in HTTPChallenge.parse(field) {
            guard let offer = AuthenticationOffer(challenge, from: party, for: request) else {
                continue
            }
            if let index = offers.firstIndex(where: { $0.space == offer.space }) {
                if offers[index].scheme.strength < offer.scheme.strength { offers[index] = offer }
            } else {
                offers.append(offer)
            }
        }
        // Among equal strengths, the server's order is kept.
        return offers.enumerated().sorted { one, other in
            let (a, b) = (one.element.scheme.strength, other.element.scheme.strength)
            return a == b ? one.offset < other.offset : a > b
        }.map(\.element)
    }

    private init?(
        _ challenge: HTTPChallenge, from party: AuthenticationParty, for request: ChallengedRequest
    ) {
        let method: String
        switch challenge.scheme {
        case "basic":
            scheme = .basic
            method = NSURLAuthenticationMethodHTTPBasic
        case "digest":
            guard let offer = DigestOffer(challenge) else { return nil }
            scheme = .digest(offer)
            method = NSURLAuthenticationMethodHTTPDigest
        default:
            return nil
        }
        guard let space = request.space(of: party, realm: challenge["realm"], method: method) else {
            return nil
        }
        self.space = space
    }
}
