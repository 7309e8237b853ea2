public import FoundationEssentials

/// What to ask of a server: a URL, a method, header fields and perhaps a body.
///
/// Header fields are looked up whatever their case. A field set to the empty string is not sent at
/// all, not even when the session or the library would add it: that is how a default such as
/// `User-Agent` or `Accept` is taken away.
public struct URLRequest: Hashable, Sendable {
    public var url: URL?

    /// The method in capitals; `GET` unless set. Setting nil goes back to `GET`.
    public var httpMethod: String? {
        get { method }
        set { method = newValue.flatMap { $0.isEmpty ? nil : $0 } ?? "GET" }
    }

    /// The bytes to send. A stream or a file to send is given to the upload task instead.
    public var httpBody: Data?

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

    /// Whether it may go over a mobile network. See `URLSessionConfiguration.allowsCellularAccess`;
    /// both have to allow it.
    public var allowsCellularAccess = true
    /// Whether it may go over a connection that is paid by volume. See
    /// `URLSessionConfiguration.allowsExpensiveNetworkAccess`; both have to allow it.
    public var allowsExpensiveNetworkAccess = true
    /// Whether it may go over a connection that its user wants used sparingly. See
    /// `URLSessionConfiguration.allowsConstrainedNetworkAccess`; both have to allow it.
    public var allowsConstrainedNetworkAccess = true

    /// Without effect: requests are not pipelined, which HTTP/1.1 servers never did well and no
    /// client does any more.
    public var httpShouldUsePipelining = false

    var headers = HTTPHeaderFields()
    private(set) var method = "GET"
    private(set) var ownTimeout: TimeInterval?
    private(set) var ownCachePolicy: CachePolicy?

    public init(url: URL) {
        self.url = url
    }

    public init(url: URL, timeoutInterval: TimeInterval) {
        self.url = url
        self.ownTimeout = timeoutInterval
    }

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

    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// Replaces a field's value; nil removes the field from the request.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        headers[field] = value
    }

    /// Adds to a field's value, after a comma.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        headers.add(value, for: field)
    }
}

extension URLRequest: CustomStringConvertible {
    public var description: String { url?.absoluteString ?? "url: nil" }
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
