public import FoundationEssentials

/// What is known of an answer before its body: where it came from, what it is and how long.
///
/// Subclasses may override what it says, for a test for instance.
open class URLResponse: NetworkingObject, @unchecked Sendable {
    // Unchecked only because the class is open: every stored property is an immutable value, and a
    // subclass makes the same promise with its own conformance.

    private let facts: Facts

    private struct Facts: Sendable {
        var url: URL?
        var mimeType: String?
        var expectedContentLength: Int64
        var textEncodingName: String?
    }

    /// The URL that answered, after any redirects.
    open var url: URL? { facts.url }
    /// The media type without parameters, in lower case (`text/plain`).
    open var mimeType: String? { facts.mimeType }
    /// The length of the body in bytes as it will be delivered, or -1 when it cannot be known
    /// (chunked, or compressed on the way).
    open var expectedContentLength: Int64 { facts.expectedContentLength }
    /// The `charset` parameter of the media type.
    open var textEncodingName: String? { facts.textEncodingName }

    /// Makes an answer of one's own, for a ``URLProtocol`` or a test. `length` is -1 when it is not known.
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

    /// A file name to save the body under: what the server proposes (`Content-Disposition`), else the
    /// last part of the URL's path, else `Unknown`. Never a path: slashes become `_`.
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

    /// Equal are answers from the same URL, of the same type, length and encoding, and over HTTP of the
    /// same status and fields.
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

    /// The same for equal answers.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(mimeType)
        hasher.combine(expectedContentLength)
        hasher.combine(textEncodingName)
        return hasher.finalize()
    }

    /// The same answer: it never changes.
    open override func copy() -> Any { self }

    /// `200 http://a.test/b text/plain, 512 bytes`.
    open override var description: String {
        var parts: [String] = []
        if let http = self as? HTTPURLResponse { parts.append("\(http.statusCode)") }
        parts.append(url?.withoutSecrets.absoluteString ?? "nowhere")
        if let mimeType { parts.append(mimeType) }
        let length = expectedContentLength
        return parts.joined(separator: " ") + (length >= 0 ? ", \(length) bytes" : "")
    }
}

/// An answer over HTTP, with its status and header fields.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    // Unchecked as its superclass is, and as immutable.

    private let head: ResponseHead

    /// 200, 404 and so on. A 4xx or 5xx is an answer, not an error.
    open var statusCode: Int { head.status }

    var headers: HTTPHeaderFields { head.headers }
    var setCookies: [String] { head.setCookies }

    /// Makes an answer over HTTP of one's own, for a ``URLProtocol`` or a test. Never nil; optional as
    /// Apple's is. Its expected length is what `Content-Length` says, whatever other fields say.
    public init?(
        url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?
    ) {
        let headers = HTTPHeaderFields(headerFields ?? [:])
        head = ResponseHead(status: statusCode, headers: headers)
        super.init(
            url: url, mediaType: headers.mediaType,
            expectedContentLength: headers.announcedByteCount ?? -1)
    }

    /// An answer that has come: its length is given only when it is certain.
    init(url: URL, head: ResponseHead) {
        self.head = head
        super.init(
            url: url, mediaType: head.headers.mediaType,
            expectedContentLength: head.headers.bodyByteCount ?? -1)
    }

    /// All fields, as Apple types them: names and values are strings. Fields that came several times
    /// are joined with commas.
    ///
    /// The names of HTTP's own fields are in their usual spelling whatever the server's
    /// (`Content-Length`, also for `content-length`); others are as they came.
    open var allHeaderFields: [AnyHashable: Any] {
        Dictionary(
            headers.fields.map { (FieldNames.usual($0.name), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The value of a field, whatever the case of its name.
    open func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// What a status means, in words: `not found`.
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

/// A `Content-Type` taken apart.
/// A media type and its charset, of a `Content-Type` field.
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

    /// The length of the body as it will be delivered, when the head alone says it.
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

    /// What `Content-Length` says.
    fileprivate var announcedByteCount: Int64? {
        guard let length = self["Content-Length"].flatMap(Int64.init), length >= 0 else {
            return nil
        }
        return length
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs around them.
    var trimmingSpaces: SubSequence {
        let isInside: (UInt8) -> Bool = { $0 != 0x20 && $0 != 0x09 }
        guard let first = firstIndex(where: isInside), let last = lastIndex(where: isInside) else {
            return self[..<startIndex]
        }
        return self[first...last]
    }
}

extension StringProtocol {
    /// The text without spaces and tabs around it.
    var trimmingSpaces: String {
        String(decoding: String(self).utf8.trimmingSpaces, as: UTF8.self)
    }
}
