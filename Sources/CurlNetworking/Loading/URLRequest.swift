public import FoundationEssentials

/// What to ask of a server: a URL, a method, header fields and perhaps a body.
///
/// Header fields are looked up whatever their case. One set to the empty string is sent without a value,
/// except for those that are sent unasked (`Accept`, `Accept-Encoding`, `Content-Type`, `Cookie`,
/// `User-Agent`): they are taken away like this.
public struct URLRequest: Hashable, Sendable {
    /// What to ask for; http or https, or what a ``URLProtocol`` loads.
    public var url: URL?

    /// The method; `GET` unless set. Setting nil goes back to `GET`.
    ///
    /// Methods are case-sensitive (RFC 9110 §9.1). As in Apple's suite the oldest are put in capitals:
    /// `get` becomes `GET`, but `patch` stays as it is.
    public var httpMethod: String? {
        get { method }
        set { method = newValue.flatMap(Self.canonicalMethod) ?? "GET" }
    }

    /// The bytes to send. Setting them takes a stream away. A file to send is given to the upload task.
    ///
    /// With `GET` the task fails with `.dataLengthExceedsMaximum`, with `HEAD` they stay behind. A `POST`
    /// without a `Content-Type` gets `application/x-www-form-urlencoded`, unless that field is set to the
    /// empty string.
    public var httpBody: Data? {
        get { if case .data(let data) = body { data } else { nil } }
        set { body = newValue.map(Body.data) }
    }

    /// The bytes to send, read while they are sent. Setting it takes ``httpBody`` away.
    ///
    /// They go out chunked, unless the field `Content-Length` says how many they are. When they have to
    /// be sent once more, after a redirect for instance, the delegate is asked for a new stream.
    public var httpBodyStream: InputStream? {
        get { if case .stream(let body) = body { body.stream } else { nil } }
        set { body = newValue.map { .stream(BodyStream($0)) } }
    }

    /// How long the transfer may rest without a byte moving, in seconds.
    ///
    /// 60 unless set. Once set it wins over the configuration's `timeoutIntervalForRequest`.
    public var timeoutInterval: TimeInterval {
        get { ownTimeout ?? 60 }
        set { ownTimeout = newValue }
    }

    /// What may be taken from the session's cache.
    ///
    /// `.useProtocolCachePolicy` unless set. Once set it wins over the configuration's
    /// `requestCachePolicy`.
    public var cachePolicy: CachePolicy {
        get { ownCachePolicy ?? .useProtocolCachePolicy }
        set { ownCachePolicy = newValue }
    }

    /// The document this is loaded for; nil when it is for itself. Cookies of other sites than the
    /// document's are refused by `.onlyFromMainDocumentDomain`, and `SameSite` ones not sent there.
    public var mainDocumentURL: URL?

    /// Whether the session's cookie storage is used: its cookies sent, those of the answer taken.
    public var httpShouldHandleCookies = true

    /// What the transfer is for. Kept for the reader: it changes nothing, since Linux has no way for
    /// an unprivileged program to have its packets put first.
    public var networkServiceType = NetworkServiceType.default

    private var access = Access()

    /// Which networks it may use.
    private struct Access: Hashable, Sendable {
        var cellular = true
        var expensive = true
        var constrained = true
    }

    /// Whether it may go over a mobile network. See `URLSessionConfiguration.allowsCellularAccess`;
    /// both have to allow it.
    public var allowsCellularAccess: Bool {
        get { access.cellular }
        set { access.cellular = newValue }
    }
    /// Whether it may go over a connection that is paid by volume. See
    /// `URLSessionConfiguration.allowsExpensiveNetworkAccess`; both have to allow it.
    public var allowsExpensiveNetworkAccess: Bool {
        get { access.expensive }
        set { access.expensive = newValue }
    }
    /// Whether it may go over a connection that its user wants used sparingly. See
    /// `URLSessionConfiguration.allowsConstrainedNetworkAccess`; both have to allow it.
    public var allowsConstrainedNetworkAccess: Bool {
        get { access.constrained }
        set { access.constrained = newValue }
    }

    /// Kept for the reader: see `URLSessionConfiguration.allowsUltraConstrainedNetworkAccess`.
    public var allowsUltraConstrainedNetworkAccess = false

    /// Without effect: requests are not pipelined, which HTTP/1.1 servers never did well and no
    /// client does any more.
    public var httpShouldUsePipelining = false
    /// Whether the server is thought to speak HTTP/3, which is then tried first. Without effect unless libcurl was
    /// built with HTTP/3; see ``URLSessionConfiguration/httpVersion``.
    public var assumesHTTP3Capable = false
    /// On whose behalf it is made. Kept for the reader: it changes nothing.
    public var attribution = Attribution.developer

    /// Who a request is for. The numbers are Apple's.
    public enum Attribution: UInt, Sendable {
        /// The program itself.
        case developer = 0
        /// Its user, by an address they gave or followed.
        case user = 1
    }

    var headers = HTTPHeaderFields()
    private(set) var method = "GET"
    private var body: Body?
    /// What protocols of one's own have noted; no part of what makes two requests equal.
    var properties = URLProtocolProperties()
    private(set) var ownTimeout: TimeInterval?
    private(set) var ownCachePolicy: CachePolicy?

    private enum Body: Hashable, Sendable {
        case data(Data)
        case stream(BodyStream)
    }

    /// A GET of a URL, which is made absolute.
    public init(url: URL) {
        self.url = url.absoluteURL
    }

    /// A GET of a URL with a time-out of its own, in seconds.
    public init(url: URL, timeoutInterval: TimeInterval) {
        self.url = url.absoluteURL
        self.ownTimeout = timeoutInterval
    }

    /// A GET of a URL with a cache policy and a time-out of its own, in seconds.
    public init(url: URL, cachePolicy: CachePolicy, timeoutInterval: TimeInterval = 60) {
        self.url = url
        self.ownCachePolicy = cachePolicy
        self.ownTimeout = timeoutInterval
    }

    /// All fields by name; nil when there are none.
    public var allHTTPHeaderFields: [String: String]? {
        get { headers.isEmpty ? nil : headers.dictionary }
        set { headers = HTTPHeaderFields(newValue ?? [:]) }
    }

    /// The value of a field, whatever the case of its name.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// Replaces a field's value; nil removes the field from the request.
    ///
    /// A field that is there keeps the spelling of its name. A value that could forge another field is
    /// not taken: a line break without a space or tab behind it, or a NUL.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        guard value?.isOneFieldValue ?? true else { return }
        headers[headers.spelling(of: field) ?? field] = value
    }

    /// Adds to a field's value, after a comma. What ``setValue(_:forHTTPHeaderField:)`` refuses is not
    /// taken here either.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        setValue(headers[field].map { $0 + "," + value } ?? value, forHTTPHeaderField: field)
    }
}

extension URLRequest {
    /// What the request says of the length of its body, or -1.
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
    /// Whether a field's value stays one: line breaks only where a folded line goes on (RFC 9112 §5.2).
    fileprivate var isOneFieldValue: Bool {
        var rest = utf8[...]
        while let index = rest.firstIndex(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) {
            // A folded line: CRLF and then a space or a tab.
            let fold = rest[index...].prefix(3)
            guard fold.elementsEqual([0x0D, 0x0A, 0x20]) || fold.elementsEqual([0x0D, 0x0A, 0x09])
            else { return false }
            rest = rest[fold.endIndex...]
        }
        return true
    }
}

extension URLRequest: CustomStringConvertible {
    /// Its URL, without a password.
    public var description: String { url?.withoutCredentials.absoluteString ?? "url: nil" }
}

extension URLRequest {
    /// Without the name and password of its URL, which are for challenges and for nobody's eyes.
    var withoutCredentials: URLRequest {
        guard let url else { return self }
        let bare = url.withoutCredentials
        guard bare != url else { return self }
        var request = self
        request.url = bare
        return request
    }
}
