public import FoundationEssentials

/// A cookie: a name and a value that a server wants back.
public final class HTTPCookie: NetworkingObject, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

    let cookie: Cookie

    init(_ cookie: Cookie) {
        self.cookie = cookie
    }

    /// The name, as the server spells it.
    public var name: String { cookie.name }
    /// What the server wants to hear again.
    public var value: String { cookie.value }
    /// Where it goes: `.example.com` to that host and all below it, `example.com` to that host alone.
    public var domain: String { cookie.isHostOnly ? cookie.domain : "." + cookie.domain }
    /// It goes to this path and all below it.
    public var path: String { cookie.path }
    /// When it ends; nil with the session.
    public var expiresDate: Date? { cookie.expires }
    /// Whether it ends with the session: it is then never written to a file.
    public var isSessionOnly: Bool { !cookie.isPersistent }
    /// Whether it is sent over secure connections only.
    public var isSecure: Bool { cookie.isSecure }
    /// Whether scripts may not see it.
    public var isHTTPOnly: Bool { cookie.isHTTPOnly }
    /// nil when other sites' requests may bring it.
    public var sameSitePolicy: HTTPCookieStringPolicy? {
        cookie.sameSite.flatMap { $0 == "none" ? nil : HTTPCookieStringPolicy(rawValue: $0) }
    }
    /// 0 for all cookies servers set today.
    public var version: Int { cookie.version }
    /// What the cookie is for, in the server's words (RFC 2965; rarely there).
    public var comment: String? { cookie.comment }
    /// Where the server says what the cookie is for (RFC 2965; rarely there).
    public var commentURL: URL? { cookie.commentURL }
    #if Foundation
        /// The ports it goes to; nil for all.
        public var portList: [NSNumber]? { cookie.ports?.map { NSNumber(value: $0) } }
    #else
        /// The ports it goes to; nil for all. Apple's are `NSNumber`s, as with the trait `Foundation`.
        public var portList: [Int]? { cookie.ports }
    #endif

    /// Cookies are equal when all but their age is.
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
    /// Makes a cookie by hand.
    ///
    /// Returns nil when name, value, path or domain (or origin URL) is missing, or when one of them has
    /// characters a cookie cannot carry. A path that does not begin with a slash becomes `/`.
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

    /// What the cookie could be made from again.
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

    /// Any string counts as yes, as in Apple's suite.
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
    /// Reads the cookies of an answer's header fields. Several in one field, joined by commas, are
    /// told apart as well as that is possible.
    ///
    /// Whether the URL's host may set them is for the storage to say.
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

    /// The field that carries cookies, in the order given: `["Cookie": "a=1; b=2"]`. Empty without
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
    /// Which cookies a storage takes; as in Apple's suite.
    public typealias AcceptPolicy = HTTPCookieStorage.AcceptPolicy
}
