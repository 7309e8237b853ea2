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

    var headers = HTTPHeaderFields()
    private(set) var method = "GET"
    private(set) var ownTimeout: TimeInterval?

    public init(url: URL) {
        self.url = url
    }

    public init(url: URL, timeoutInterval: TimeInterval) {
        self.url = url
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
