import FoundationEssentials

/// Whether a cookie from a URL may be stored (RFC 6265bis §5.7).
struct CookieAdmission {
    var url: URL
    /// The URL of the main document; nil if the request is for it.
    var mainDocumentURL: URL?
    var suffixes: PublicSuffixes

    enum Refusal: Error {
        case noHost
        /// The host does not belong to the domain.
        case foreignDomain
        /// The domain is a public suffix.
        case publicSuffix
        /// It requires a secure connection, or would replace a cookie that does.
        case insecure
        /// Its name has a prefix whose conditions its attributes violate.
        case brokenPrefix
        /// It came with a cross-site request, and does not allow that.
        case crossSite
    }

    /// Validates a cookie and returns it as it is stored.
    func admit(_ cookie: Cookie) throws(Refusal) -> Cookie {
        guard let host = CookieScope.canonicalHost(of: url) else { throw .noHost }
        var cookie = cookie
        if !cookie.isHostOnly, suffixes.contains(cookie.domain) {
            guard cookie.domain == host else { throw .publicSuffix }
            cookie.isHostOnly = true
        }
        guard
            cookie.isHostOnly
                ? host == cookie.domain : CookieScope.host(host, matches: cookie.domain)
        else { throw .foreignDomain }
        if cookie.isSecure, !CookieScope.isSecure(url) { throw .insecure }
        try Self.checkPrefix(of: cookie)
        if cookie.sameSite == "strict" || cookie.sameSite == "lax", !isSameSite { throw .crossSite }
        return cookie
    }

    /// Whether the request was for its own site.
    var isSameSite: Bool {
        guard let mainDocumentURL, let main = CookieScope.canonicalHost(of: mainDocumentURL) else {
            return true
        }
        guard let host = CookieScope.canonicalHost(of: url) else { return false }
        return host == main
            || suffixes.registrableDomain(of: host).map {
                $0 == suffixes.registrableDomain(of: main)
            } ?? false
    }

    /// Checks the prefixes `__Secure-` and `__Host-`, ignoring case.
    static func checkPrefix(of cookie: Cookie) throws(Refusal) {
        let name = cookie.name.lowercased()
        if name.hasPrefix("__secure-"), !cookie.isSecure { throw .brokenPrefix }
        if name.hasPrefix("__host-") {
            guard cookie.isSecure, cookie.isHostOnly, cookie.path == "/" else {
                throw .brokenPrefix
            }
        }
    }
}
