public import FoundationEssentials

/// What is known of an answer before its body: where it came from, what it is and how long.
public class URLResponse: @unchecked Sendable {
    // Unchecked only because the class has a subclass: every stored property is an immutable value.

    /// The URL that answered, after any redirects.
    public let url: URL?
    /// The media type without parameters, in lower case (`text/plain`).
    public let mimeType: String?
    /// The length of the body in bytes as it will be delivered, or -1 when it cannot be known
    /// (chunked, or compressed on the way).
    public let expectedContentLength: Int64
    /// The `charset` parameter of the media type.
    public let textEncodingName: String?

    public init(
        url: URL, mimeType: String?, expectedContentLength length: Int,
        textEncodingName name: String?
    ) {
        self.url = url
        self.mimeType = mimeType
        self.expectedContentLength = Int64(length)
        self.textEncodingName = name
    }

    fileprivate init(url: URL, mediaType: MediaType?, expectedContentLength: Int64) {
        self.url = url
        self.mimeType = mediaType?.essence
        self.expectedContentLength = expectedContentLength
        self.textEncodingName = mediaType?.charset
    }

    /// A file name to save the body under: the last part of the URL's path, or `Unknown`.
    public var suggestedFilename: String? {
        guard let name = url?.lastPathComponent, !name.isEmpty, name != "/" else {
            return "Unknown"
        }
        return name
    }
}

/// An answer over HTTP, with its status and header fields.
public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
    /// 200, 404 and so on. A 4xx or 5xx is an answer, not an error.
    public let statusCode: Int
    let headers: HTTPHeaderFields

    public convenience init?(
        url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?
    ) {
        let headers = HTTPHeaderFields(headerFields ?? [:])
        self.init(url: url, head: ResponseHead(status: statusCode, headers: headers))
    }

    init(url: URL, head: ResponseHead) {
        statusCode = head.status
        headers = head.headers
        super.init(
            url: url, mediaType: head.headers.mediaType,
            expectedContentLength: head.headers.bodyByteCount ?? -1)
    }

    /// All fields, as Apple types them: names and values are strings. Fields that came several times
    /// are joined with commas.
    public var allHeaderFields: [AnyHashable: Any] { headers.dictionary }

    /// The value of a field, whatever the case of its name.
    public func value(forHTTPHeaderField field: String) -> String? {
        headers[field]
    }

    /// What a status means, in words: `not found`.
    public class func localizedString(forStatusCode statusCode: Int) -> String {
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
private struct MediaType {
    let essence: String
    let charset: String?

    init?(_ field: String) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
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

    /// The length of the body as it will be delivered, when the head alone tells it.
    fileprivate var bodyByteCount: Int64? {
        if let coding = self["Content-Encoding"], !coding.isEqualIgnoringASCIICase(to: "identity") {
            return nil
        }
        if self["Transfer-Encoding"] != nil { return nil }
        guard let length = self["Content-Length"].flatMap(Int64.init), length >= 0 else {
            return nil
        }
        return length
    }
}

extension StringProtocol {
    /// The text without spaces and tabs around it.
    var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = firstIndex(where: { !isSpace($0) }),
            let end = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[start...end])
    }
}
