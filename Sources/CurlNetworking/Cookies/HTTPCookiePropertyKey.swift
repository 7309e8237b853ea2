/// Keys for creating and describing a cookie. The names are Apple's.
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name, a string. Required.
    public static let name = Self("Name")
    /// The value, a string. Required.
    public static let value = Self("Value")
    /// The domain, a string. With a leading dot, subdomains are included. Required unless there is an
    /// `originURL`.
    public static let domain = Self("Domain")
    /// The path, a string that begins with a slash. Required.
    public static let path = Self("Path")
    /// A URL or string whose host is the domain, unless `domain` is set.
    public static let originURL = Self("OriginURL")
    /// The version, `"0"` or `"1"`; 0 by default.
    public static let version = Self("Version")
    /// Any string: the cookie is sent over secure connections only.
    public static let secure = Self("Secure")
    /// When it expires: a date, or a string in the format of servers.
    public static let expires = Self("Expires")
    /// The lifetime in seconds, as a string. Ignored for version 0.
    public static let maximumAge = Self("Max-Age")
    /// `"TRUE"`: a session cookie, regardless of the other properties.
    public static let discard = Self("Discard")
    /// A comment.
    public static let comment = Self("Comment")
    /// The URL of a comment, as a URL or string.
    public static let commentURL = Self("CommentURL")
    /// Ports, separated by commas. Version 0 uses the first.
    public static let port = Self("Port")
    /// A `HTTPCookieStringPolicy` or its raw value.
    public static let sameSitePolicy = Self("SameSite")
    /// Any string: scripts cannot access the cookie. (Apple has the property, but no public key for it.)
    public static let httpOnly = Self("HttpOnly")
    /// Whether a script has set it.
    public static let setByJavaScript = Self("SetInJavaScript")
}

/// The cross-site policies of a cookie: with `lax` and `strict`, cross-site requests do not include it.
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sameSiteLax = Self(rawValue: "lax")
    public static let sameSiteStrict = Self(rawValue: "strict")
}
