import FoundationEssentials

/// Whether a cookie may be stored that came from a URL (RFC 6265bis §5.7).
struct CookieAdmission {
    var url: URL
    /// The site whose page or work the request was for; nil when it was for itself.
    var mainDocumentURL: URL?
    var suffixes: PublicSuffixes

    enum Refusal: Error {
        case noHost
        /// It names a domain the host does not belong to.
        case foreignDomain
        /// It names a domain under which strangers register.
        case publicSuffix
        /// It wants secrecy, and came without, or would replace one that came with it.
        case insecure
        /// Its name promises what its attributes do not keep.
        case brokenPrefix
        /// Another site's request brought it, and it wants no such requests.
        case crossSite
    }

    /// Brings the cookie into the form to be kept.
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

    /// Whether the request was made for the site it went to.
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

    /// `__Secure-` and `__Host-`, in any case of letters.
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
