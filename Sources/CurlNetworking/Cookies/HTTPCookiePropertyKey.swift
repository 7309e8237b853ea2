/// What a cookie can be made from, and told as. The names are Apple's.
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A string; must be there.
    public static let name = Self("Name")
    /// A string; must be there.
    public static let value = Self("Value")
    /// A string. With a dot in front the cookie goes to all hosts below as well. Must be there unless
    /// `originURL` is.
    public static let domain = Self("Domain")
    /// A string that begins with a slash; must be there.
    public static let path = Self("Path")
    /// A URL or a string: the domain is its host unless `domain` says otherwise.
    public static let originURL = Self("OriginURL")
    /// `"0"` or `"1"`; 0 unless set.
    public static let version = Self("Version")
    /// Any string: only to be sent over secure connections.
    public static let secure = Self("Secure")
    /// A date, or a string as servers write them.
    public static let expires = Self("Expires")
    /// A number of seconds as a string. Cookies of version 0 ignore it.
    public static let maximumAge = Self("Max-Age")
    /// `"TRUE"`: ends with the session, whatever else is set.
    public static let discard = Self("Discard")
    /// What the cookie is for.
    public static let comment = Self("Comment")
    /// A URL or a string.
    public static let commentURL = Self("CommentURL")
    /// Numbers with commas between them. Cookies of version 0 keep the first.
    public static let port = Self("Port")
    /// A `HTTPCookieStringPolicy` or its string.
    public static let sameSitePolicy = Self("SameSite")
    /// Any string: scripts may not see it. (Apple has the property but no public key for it.)
    public static let httpOnly = Self("HttpOnly")
    /// Whether a script has set it.
    public static let setByJavaScript = Self("SetInJavaScript")
}

/// Which requests of other sites a cookie goes along with: with `lax` and `strict`, none.
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sameSiteLax = Self(rawValue: "lax")
    public static let sameSiteStrict = Self(rawValue: "strict")
}
