public import FoundationEssentials

/// A cookie: a name and a value that a server wants back.
public final class HTTPCookie: NetworkingObject, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state.

    let cookie: Cookie

    init(_ cookie: Cookie) {
        self.cookie = cookie
    }

    /// The name.
    public var name: String { cookie.name }
    /// The value.
    public var value: String { cookie.value }
    /// The domain: `.example.com` for that host and its subdomains, `example.com` for that host only.
    public var domain: String { cookie.isHostOnly ? cookie.domain : "." + cookie.domain }
    /// The path; the cookie is sent to it and to paths below it.
    public var path: String { cookie.path }
    /// When it expires; nil for a session cookie.
    public var expiresDate: Date? { cookie.expires }
    /// Whether it expires at the end of the session; it is never written to a file.
    public var isSessionOnly: Bool { !cookie.isPersistent }
    /// Whether it is sent over secure connections only.
    public var isSecure: Bool { cookie.isSecure }
    /// Whether scripts cannot access it.
    public var isHTTPOnly: Bool { cookie.isHTTPOnly }
    /// Which cross-site requests include it; nil if all do.
    public var sameSitePolicy: HTTPCookieStringPolicy? {
        cookie.sameSite.flatMap { $0 == "none" ? nil : HTTPCookieStringPolicy(rawValue: $0) }
    }
    /// The version; 0 for the cookies of today's servers.
    public var version: Int { cookie.version }
    /// The server's comment (RFC 2965, obsolete).
    public var comment: String? { cookie.comment }
    /// The URL of the server's comment (RFC 2965, obsolete).
    public var commentURL: URL? { cookie.commentURL }
    #if Foundation
        /// The ports it is sent to; nil for all.
        public var portList: [NSNumber]? { cookie.ports?.map { NSNumber(value: $0) } }
    #else
        /// The ports it is sent to; nil for all. Apple's are `NSNumber`s, as with the trait `Foundation`.
        public var portList: [Int]? { cookie.ports }
    #endif

    /// Cookies are equal if everything except their age is.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HTTPCookie)?.cookie.ageless == cookie.ageless
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(cookie.identity)
        hasher.combine(cookie.value)
        return hasher.finalize()
    }

    public override var description: String {
        var text = "<HTTPCookie name: \(name), value: \(value), domain: \(domain), path: \(path)"
        if let expiresDate { text += ", expires: \(expiresDate.timeIntervalSince1970)" }
        if isSecure { text += ", secure" }
        if isHTTPOnly { text += ", HTTP only" }
        return text + ">"
    }
}

// MARK: - From properties and back

extension HTTPCookie {
    /// Creates a cookie from properties.
    ///
    /// Returns nil if name, value, path or domain (or origin URL) is missing, or contains characters that a
    /// cookie cannot have. A path without a leading slash becomes `/`.
    public convenience init?(properties: [HTTPCookiePropertyKey: Any]) {
        let text = { (key: HTTPCookiePropertyKey) in properties[key].flatMap(Self.text) }
        guard let name = text(.name), let value = text(.value), let path = text(.path),
            let domain = text(.domain)
                ?? Self.url(properties[.originURL])?.host(percentEncoded: false),
            Self.isClean(name, refusing: "=;"), !name.isEmpty, Self.isClean(value, refusing: ";"),
            Self.isClean(path, refusing: ";"),
            let host = CookieScope.canonicalHost(
                domain.hasPrefix(".") ? String(domain.dropFirst()) : domain),
            Self.isClean(host, refusing: ";/ ")
        else { return nil }
        var cookie = Cookie(
            name: name, value: value, domain: host,
            isHostOnly: !domain.hasPrefix(".") || CookieScope.isAddress(host),
            path: path.hasPrefix("/") ? path : "/", created: Date())
        cookie.version = text(.version).flatMap { Int($0) } == 1 ? 1 : 0
        cookie.isSecure = Self.isSet(properties[.secure])
        cookie.isHTTPOnly = Self.isSet(properties[.httpOnly])
        cookie.comment = text(.comment)
        cookie.commentURL = Self.url(properties[.commentURL])
        cookie.sameSite = Self.sameSite(properties[.sameSitePolicy])
        let ports = text(.port)?.split(separator: ",").compactMap { Int($0.trimmingSpaces) } ?? []
        cookie.ports =
            ports.isEmpty ? nil : Array(cookie.version == 0 ? ports.prefix(1) : ports[...])
        let maximumAge = cookie.version == 1 ? text(.maximumAge).flatMap { Int($0) } : nil
        cookie.isDiscarded =
            text(.discard).map { $0.uppercased() == "TRUE" }
            ?? (cookie.version == 1 && maximumAge == nil)
        if !cookie.isDiscarded {
            cookie.expires =
                cookie.version == 0
                ? Self.date(properties[.expires])
                : maximumAge.map { Date(timeIntervalSinceNow: Double($0)) }
        }
        self.init(cookie)
    }

    /// The properties from which an equal cookie can be created.
    public var properties: [HTTPCookiePropertyKey: Any]? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: path, .version: String(version),
        ]
        properties[.expires] = expiresDate
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[.httpOnly] = "TRUE" }
        if cookie.isDiscarded { properties[.discard] = "TRUE" }
        properties[.comment] = comment
        properties[.commentURL] = commentURL
        properties[.sameSitePolicy] = sameSitePolicy
        properties[.port] = cookie.ports?.map(String.init).joined(separator: ",")
        return properties
    }

    private static func text(_ value: Any) -> String? {
        switch value {
        case let text as String: text
        case let text as any StringProtocol: String(text)
        case let number as Int: String(number)
        default: nil
        }
    }

    /// Any string means true, as in Apple's implementation.
    private static func isSet(_ value: Any?) -> Bool {
        if let flag = value as? Bool { return flag }
        return value.flatMap(text).map { !$0.isEmpty } ?? false
    }

    private static func url(_ value: Any?) -> URL? {
        value as? URL ?? value.flatMap(text).flatMap { URL(string: $0) }
    }

    private static func date(_ value: Any?) -> Date? {
        value as? Date ?? value.flatMap(text).flatMap { CookieDate.parse($0.utf8) }
    }

    private static func sameSite(_ value: Any?) -> String? {
        let text = (value as? HTTPCookieStringPolicy)?.rawValue ?? value.flatMap(text)
        return ["strict", "lax", "none"].first { $0 == text?.lowercased() }
    }

    private static func isClean(_ text: String, refusing refused: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (byte >= 0x20 || byte == 0x09) && byte != 0x7F && !refused.utf8.contains(byte)
        }
    }
}

// MARK: - From and to header fields

extension HTTPCookie {
    /// Returns the cookies of a response's header fields. Several cookies in one field, joined by commas, are
    /// separated as far as possible.
    ///
    /// Does not check whether the URL's host may set them; a storage does.
    public class func cookies(
        withResponseHeaderFields headerFields: [String: String], for url: URL
    ) -> [HTTPCookie] {
        let now = Date()
        return headerFields.filter { $0.key.isEqualIgnoringASCIICase(to: "Set-Cookie") }
            .flatMap { SetCookieLines.split($0.value) }
            .compactMap { SetCookieField($0) }
            .compactMap { Cookie($0, from: url, now: now) }
            .map(HTTPCookie.init)
    }

    /// Returns the field that sends cookies, in the given order: `["Cookie": "a=1; b=2"]`. Empty without
    /// cookies.
    public class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
        cookies.isEmpty ? [:] : ["Cookie": cookies.map(\.cookie.pair).joined(separator: "; ")]
    }
}

// MARK: -

extension Cookie {
    fileprivate var ageless: Cookie {
        var cookie = self
        cookie.created = .distantPast
        return cookie
    }
}

extension HTTPCookie {
    /// Which cookies a storage accepts, as in Apple's API.
    public typealias AcceptPolicy = HTTPCookieStorage.AcceptPolicy
}
