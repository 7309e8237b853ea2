import FoundationEssentials

/// A cookie as a value, as `HTTPCookie`, the jar and the file use it.
struct Cookie: Hashable, Sendable, Codable {
    var name: String
    var value: String
    /// Canonical, without a leading dot.
    var domain: String
    /// Whether it is sent to the domain itself only, not to its subdomains.
    var isHostOnly: Bool
    var path: String
    /// nil for a session cookie.
    var expires: Date?
    var isSecure = false
    var isHTTPOnly = false
    /// `strict`, `lax` or `none`.
    var sameSite: String?
    var created: Date

    // Attributes of older cookies, which have no effect.
    var version = 0
    var comment: String?
    var commentURL: URL?
    var ports: [Int]?
    var isDiscarded = false

    /// Cookies with the same identity replace each other (RFC 6265bis §5.7).
    struct Identity: Hashable, Sendable {
        var name: String
        var domain: String
        var isHostOnly: Bool
        var path: String
    }

    var identity: Identity {
        Identity(name: name, domain: domain, isHostOnly: isHostOnly, path: path)
    }

    /// Creates a cookie from a server's field. It is not checked against the URL, which must have a host.
    init?(_ field: SetCookieField, from url: URL, now: Date) {
        guard let host = CookieScope.canonicalHost(of: url) else { return nil }
        name = field.name
        value = field.value
        if let named = field.domain {
            guard let domain = CookieScope.canonicalHost(named) else { return nil }
            self.domain = domain
            isHostOnly = CookieScope.isAddress(domain)
        } else {
            domain = host
            isHostOnly = true
        }
        path = field.path ?? CookieScope.defaultPath(of: url)
        expires = field.isDiscarded ? nil : field.expiry(now: now)
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        sameSite = field.sameSite
        created = now
        comment = field.comment
        commentURL = field.commentURL.flatMap { URL(string: $0) }
        isDiscarded = field.isDiscarded
    }

    init(name: String, value: String, domain: String, isHostOnly: Bool, path: String, created: Date)
    {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.created = created
    }

    var isPersistent: Bool { expires != nil }

    func isExpired(at now: Date) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    /// `name=value`, as it is sent.
    var pair: String { name + "=" + value }
}
