public import FoundationEssentials

/// The metadata of a response: URL, media type and length.
///
/// Subclasses can override its properties, for example in tests.
open class URLResponse: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is immutable and Sendable, and a
    // subclass declares its own conformance.

    private let facts: Facts

    private struct Facts: Sendable {
        var url: URL?
        var mimeType: String?
        var expectedContentLength: Int64
        var textEncodingName: String?
    }

    /// The URL of the response, after redirects.
    open var url: URL? { facts.url }
    /// The media type without parameters, in lower case (`text/plain`).
    open var mimeType: String? { facts.mimeType }
    /// The length of the body as it will be delivered, in bytes; -1 if it is unknown (chunked or compressed).
    open var expectedContentLength: Int64 { facts.expectedContentLength }
    /// The `charset` parameter of the media type.
    open var textEncodingName: String? { facts.textEncodingName }

    /// Creates a response, for a ``URLProtocol`` or a test. `length` is -1 if it is unknown.
    public init(
        url: URL, mimeType: String?, expectedContentLength length: Int,
        textEncodingName name: String?
    ) {
        facts = Facts(
            url: url, mimeType: mimeType, expectedContentLength: Int64(length),
            textEncodingName: name)
    }

    fileprivate init(url: URL, mediaType: MediaType?, expectedContentLength: Int64) {
        facts = Facts(
            url: url, mimeType: mediaType?.essence, expectedContentLength: expectedContentLength,
            textEncodingName: mediaType?.charset)
    }

    /// A file name for the body: the server's proposal (`Content-Disposition`), else the last component of
    /// the URL's path, else `Unknown`. It contains no folders: slashes become `_`.
    open var suggestedFilename: String? {
        if let name = proposedFilename { return name }
        guard let name = url?.lastPathComponent, !name.isEmpty, name != "/" else {
            return "Unknown"
        }
        return name.asFileName ?? "Unknown"
    }

    fileprivate var proposedFilename: String? {
        guard let field = (self as? HTTPURLResponse)?.headers["Content-Disposition"] else {
            return nil
        }
        return ContentDisposition(field).filename?.asFileName
    }

    // MARK: - Comparing and describing

    /// Returns whether two responses have the same URL, type, length and encoding and, over HTTP, the same
    /// status and fields.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLResponse else { return false }
        guard self !== other else { return true }
        let first = self as? HTTPURLResponse
        let second = other as? HTTPURLResponse
        return url == other.url && mimeType == other.mimeType
            && expectedContentLength == other.expectedContentLength
            && textEncodingName == other.textEncodingName
            && first?.statusCode == second?.statusCode && first?.headers == second?.headers
    }

    /// The hash value, equal for equal responses.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(mimeType)
        hasher.combine(expectedContentLength)
        hasher.combine(textEncodingName)
        return hasher.finalize()
    }

    /// Returns the response itself, which is immutable.
    open override func copy() -> Any { self }

    /// A description such as `200 http://a.test/b text/plain, 512 bytes`.
    open override var description: String {
        var parts: [String] = []
        if let http = self as? HTTPURLResponse { parts.append("\(http.statusCode)") }
        parts.append(url?.withoutSecrets.absoluteString ?? "nowhere")
        if let mimeType { parts.append(mimeType) }
        let length = expectedContentLength
        return parts.joined(separator: " ") + (length >= 0 ? ", \(length) bytes" : "")
    }
}

/// A response over HTTP, with a status and header fields.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    // Unchecked like its superclass, and immutable.

    private let head: ResponseHead

    /// The status code, such as 200 or 404. A 4xx or 5xx response is not an error of the task.
    open var statusCode: Int { head.status }

    var headers: HTTPHeaderFields { head.headers }
    var setCookies: [String] { head.setCookies }

    /// Creates a response over HTTP, for a ``URLProtocol`` or a test. Never returns nil; the result is
    /// optional as in Apple's API. The expected length is that of `Content-Length`, regardless of other
    /// fields.
    public init?(
        url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?
    ) {
        let headers = HTTPHeaderFields(headerFields ?? [:])
        head = ResponseHead(status: statusCode, headers: headers)
        super.init(
            url: url, mediaType: headers.mediaType,
            expectedContentLength: headers.announcedByteCount ?? -1)
    }

    /// Creates a received response. Its length is set only if it is certain.
    init(url: URL, head: ResponseHead) {
        self.head = head
        super.init(
            url: url, mediaType: head.headers.mediaType,
            expectedContentLength: head.headers.bodyByteCount ?? -1)
    }

    /// All header fields, with the type of Apple's API: names and values are strings. Repeated fields are
    /// joined with commas.
    ///
    /// Names have Foundation's spelling, regardless of the server's: `Content-Length`, `Etag`, `Request-Id`; those
    /// that begin with `X-` are unchanged. ``value(forHTTPHeaderField:)`` ignores the case.
    open var allHeaderFields: [AnyHashable: Any] {
        Dictionary(
            headers.fields.map { (FieldNames.usual($0.name), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the value of a field, ignoring the case of its name.
    open func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// Returns a description of a status code, such as `not found`.
    open class func localizedString(forStatusCode statusCode: Int) -> String {
        switch statusCode {
        case 200: "no error"
        case 201: "created"
        case 202: "accepted"
        case 204: "no content"
        case 206: "partial content"
        case 301: "moved permanently"
        case 302: "found"
        case 304: "not modified"
        case 307: "temporarily redirected"
        case 308: "permanently redirected"
        case 400: "bad request"
        case 401: "unauthorized"
        case 403: "forbidden"
        case 404: "not found"
        case 405: "method not allowed"
        case 408: "timed out"
        case 409: "conflict"
        case 412: "precondition failed"
        case 413: "request too large"
        case 416: "requested range not satisfiable"
        case 429: "too many requests"
        case 500: "internal server error"
        case 502: "bad gateway"
        case 503: "service unavailable"
        case 504: "gateway timed out"
        case 507: "insufficient storage"
        case 100..<200: "informational"
        case 200..<300: "success"
        case 300..<400: "redirected"
        case 400..<500: "client error"
        default: "server error"
        }
    }
}

/// A media type and its charset, parsed from a `Content-Type` field.
struct MediaType {
    let essence: String
    let charset: String?

    init?(_ field: String) {
        let parts = field.utf8.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
        ).map(Substring.init)
        guard let first = parts.first else { return nil }
        essence = first.trimmingSpaces.lowercased()
        guard !essence.isEmpty else { return nil }
        charset =
            parts.dropFirst().lazy.compactMap { part -> String? in
                guard let equals = part.firstIndex(of: "="),
                    part[..<equals].trimmingSpaces.isEqualIgnoringASCIICase(to: "charset")
                else { return nil }
                let value = part[part.index(after: equals)...].trimmingSpaces
                let bare =
                    value.hasPrefix("\"") && value.hasSuffix("\"") && value.utf8.count >= 2
                    ? value.dropFirst().dropLast() : value[...]
                return bare.isEmpty ? nil : bare.lowercased()
            }.first
    }
}

extension HTTPHeaderFields {
    fileprivate var mediaType: MediaType? {
        guard let field = self["Content-Type"] else { return nil }
        return MediaType(field)
    }

    /// The length of the body as it will be delivered, if the head determines it.
    fileprivate var bodyByteCount: Int64? {
        if let coding = self["Content-Encoding"], !coding.isEqualIgnoringASCIICase(to: "identity") {
            return nil
        }
        if let coding = self["Transfer-Encoding"], !coding.isEqualIgnoringASCIICase(to: "identity")
        {
            return nil
        }
        return announcedByteCount
    }

    /// The value of `Content-Length`.
    fileprivate var announcedByteCount: Int64? {
        guard let length = self["Content-Length"].flatMap(Int64.init), length >= 0 else {
            return nil
        }
        return length
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without leading and trailing spaces and tabs.
    var trimmingSpaces: SubSequence {
        let isInside: (UInt8) -> Bool = { $0 != 0x20 && $0 != 0x09 }
        guard let first = firstIndex(where: isInside), let last = lastIndex(where: isInside) else {
            return self[..<startIndex]
        }
        return self[first...last]
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    var trimmingSpaces: String {
        String(decoding: String(self).utf8.trimmingSpaces, as: UTF8.self)
    }
}
