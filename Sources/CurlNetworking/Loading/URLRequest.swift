public import FoundationEssentials

/// A request: a URL, a method, header fields and optionally a body.
///
/// Requests are equal if their URLs, methods, bodies, header fields and settings are; the order of the fields and the
/// spelling of their names do not count. Field names are case-insensitive. A field set to the empty string is sent without a value, except for the
/// fields that are sent by default (`Accept`, `Accept-Encoding`, `Content-Type`, `Cookie`, `User-Agent`): the
/// empty string suppresses them.
public struct URLRequest: Hashable, Sendable {
    /// The URL to load: http, https, or another that a ``URLProtocol`` loads.
    public var url: URL?

    /// The method; `GET` by default. Setting nil restores `GET`.
    ///
    /// Methods are case-sensitive (RFC 9110 §9.1). As in Apple's implementation, the oldest methods are
    /// converted to upper case: `get` becomes `GET`, but `patch` is unchanged.
    public var httpMethod: String? {
        get { method }
        set { method = newValue.flatMap(Self.canonicalMethod) ?? "GET" }
    }

    /// The body. Setting it removes a stream. To send a file, pass it to the upload task.
    ///
    /// With `GET` the task fails with `.dataLengthExceedsMaximum`; with `HEAD` the body is not sent. A `POST`
    /// without a `Content-Type` gets `application/x-www-form-urlencoded`, unless that field is set to the
    /// empty string.
    public var httpBody: Data? {
        get { if case .data(let data) = body { data } else { nil } }
        set { body = newValue.map(Body.data) }
    }

    /// A stream that provides the body while it is sent. Setting it removes ``httpBody``.
    ///
    /// It is sent with chunked encoding, unless `Content-Length` is set. If the body has to be sent again,
    /// for example after a redirect, the delegate is asked for a new stream.
    public var httpBodyStream: InputStream? {
        get { if case .stream(let body) = body { body.stream } else { nil } }
        set { body = newValue.map { .stream(BodyStream($0)) } }
    }

    /// The timeout for a transfer without progress, in seconds.
    ///
    /// 60 by default. A value that is set overrides the configuration's `timeoutIntervalForRequest`.
    public var timeoutInterval: TimeInterval {
        get { timeout.current }
        set { timeout.value = newValue }
    }

    /// How the session's cache may be used.
    ///
    /// `.useProtocolCachePolicy` by default. A value that is set overrides the configuration's
    /// `requestCachePolicy`.
    public var cachePolicy: CachePolicy {
        get { policy.current }
        set { policy.value = newValue }
    }

    /// The URL of the main document, if this is a subresource. Under `.onlyFromMainDocumentDomain`, cookies
    /// of other sites than the document's are rejected, and `SameSite` cookies are not sent to them.
    public var mainDocumentURL: URL?

    /// Whether the session's cookie storage is used to send cookies and to store those of the response.
    public var httpShouldHandleCookies = true

    /// The purpose of the transfer. Has no effect: unprivileged programs cannot prioritize packets on Linux.
    public var networkServiceType = NetworkServiceType.default

    private var access = Access()

    /// The networks that the request may use.
    private struct Access: Hashable, Sendable {
        var cellular = true
        var expensive = true
        var constrained = true
    }

    /// Whether cellular networks may be used. `URLSessionConfiguration.allowsCellularAccess` must allow it,
    /// too.
    public var allowsCellularAccess: Bool {
        get { access.cellular }
        set { access.cellular = newValue }
    }
    /// Whether metered networks may be used. `URLSessionConfiguration.allowsExpensiveNetworkAccess` must
    /// allow it, too.
    public var allowsExpensiveNetworkAccess: Bool {
        get { access.expensive }
        set { access.expensive = newValue }
    }
    /// Whether networks in Low Data Mode may be used.
    /// `URLSessionConfiguration.allowsConstrainedNetworkAccess` must allow it, too.
    public var allowsConstrainedNetworkAccess: Bool {
        get { access.constrained }
        set { access.constrained = newValue }
    }

    /// Has no effect; see `URLSessionConfiguration.allowsUltraConstrainedNetworkAccess`.
    public var allowsUltraConstrainedNetworkAccess = false

    /// Has no effect: requests are not pipelined, because HTTP/1.1 servers support that poorly.
    public var httpShouldUsePipelining = false
    /// Whether the server is assumed to support HTTP/3, which is then tried first. Has no effect unless
    /// libcurl supports HTTP/3; see ``URLSessionConfiguration/httpVersion``.
    public var assumesHTTP3Capable = false
    /// The party that causes the request. Has no effect.
    public var attribution = Attribution.developer

    /// The party that causes a request. The raw values are Apple's.
    public enum Attribution: UInt, Sendable {
        /// The program itself.
        case developer = 0
        /// The user, who has entered or followed the URL.
        case user = 1
    }

    var headers = HTTPHeaderFields()
    private(set) var method = "GET"
    private var body: Body?
    /// The properties that URL protocols have attached. They are ignored when requests are compared.
    var properties = URLProtocolProperties()
    private var timeout = Override(standard: 60.0)
    private var policy = Override(standard: CachePolicy.useProtocolCachePolicy)
    /// The timeout that was set.
    var ownTimeout: TimeInterval? { timeout.value }
    /// The cache policy that was set.
    var ownCachePolicy: CachePolicy? { policy.value }

    /// A value that overrides the session's if it was set. What was set to the standard is equal to what was not
    /// set.
    private struct Override<Value: Hashable & Sendable>: Hashable, Sendable {
        var value: Value?
        let standard: Value

        init(standard: Value) { self.standard = standard }

        var current: Value { value ?? standard }

        static func == (one: Self, other: Self) -> Bool { one.current == other.current }
        func hash(into hasher: inout Hasher) { hasher.combine(current) }
    }

    private enum Body: Hashable, Sendable {
        case data(Data)
        case stream(BodyStream)
    }

    /// Creates a GET request for a URL, which is made absolute.
    public init(url: URL) {
        self.url = url.absoluteURL
    }

    /// Creates a GET request for a URL with a timeout in seconds.
    public init(url: URL, timeoutInterval: TimeInterval) {
        self.url = url.absoluteURL
        timeout.value = timeoutInterval
    }

    /// Creates a GET request for a URL with a cache policy. The timeout is the session's.
    public init(url: URL, cachePolicy: CachePolicy) {
        self.url = url.absoluteURL
        policy.value = cachePolicy
    }

    /// Creates a GET request for a URL with a cache policy and a timeout in seconds.
    public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval) {
        self.url = url.absoluteURL
        policy.value = cachePolicy
        timeout.value = timeoutInterval
    }

    /// All header fields by name; nil if none was ever set.
    public var allHTTPHeaderFields: [String: String]? {
        get { headers.wereSet ? headers.dictionary : nil }
        set { headers = newValue.map(HTTPHeaderFields.init) ?? HTTPHeaderFields() }
    }

    /// Returns the value of a field, ignoring the case of its name.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// Sets a field's value; nil removes the field.
    ///
    /// An existing field keeps the spelling of its name. Values that could inject another field are ignored:
    /// those with a NUL, or a line break that is not followed by a space or tab.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        guard value?.isOneFieldValue ?? true else { return }
        headers[headers.spelling(of: field) ?? field] = value
    }

    /// Appends a value to a field, after a comma. Values that ``setValue(_:forHTTPHeaderField:)`` ignores are
    /// ignored here, too.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        setValue(headers[field].map { $0 + "," + value } ?? value, forHTTPHeaderField: field)
    }
}

extension URLRequest {
    /// A request that cannot be loaded.
    static var withoutURL: URLRequest {
        var request = URLRequest(url: URL(filePath: "/"))
        request.url = nil
        return request
    }

    /// The length of the body that the request declares, or -1.
    var announcedByteCount: Int64 {
        guard let count = headers["Content-Length"].flatMap(Int64.init), count >= 0 else {
            return -1
        }
        return count
    }

    private static func canonicalMethod(_ method: String) -> String? {
        guard !method.isEmpty else { return nil }
        let capitals = method.uppercased()
        return ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT"].contains(capitals)
            ? capitals : method
    }
}

extension String {
    /// Whether the text is a single field value: line breaks only in folded lines (RFC 9112 §5.2).
    fileprivate var isOneFieldValue: Bool {
        var rest = utf8[...]
        while let index = rest.firstIndex(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) {
            // A folded line: CRLF followed by a space or a tab.
            let fold = rest[index...].prefix(3)
            guard fold.elementsEqual([0x0D, 0x0A, 0x20]) || fold.elementsEqual([0x0D, 0x0A, 0x09])
            else { return false }
            rest = rest[fold.endIndex...]
        }
        return true
    }
}

extension URLRequest: CustomStringConvertible {
    /// The URL, without its password.
    public var description: String { url?.withoutCredentials.absoluteString ?? "url: nil" }
}

extension URLRequest {
    /// The request without the user name and password of its URL, which are used for challenges only.
    var withoutCredentials: URLRequest {
        guard let url else { return self }
        let bare = url.withoutCredentials
        guard bare != url else { return self }
        var request = self
        request.url = bare
        return request
    }
}
