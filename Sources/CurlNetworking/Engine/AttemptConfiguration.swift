import CByteClubCurl
import FoundationEssentials

/// Everything libcurl needs for one attempt, as a value.
///
/// The engine handles redirects, timers, credentials and cookies; libcurl only sends this request and
/// receives its response.
struct AttemptConfiguration: Sendable {
    var url: URL
    var method: String
    /// All fields except those that libcurl adds.
    var headers: HTTPHeaderFields
    var body = Body.none
    /// Whether the bytes after the head are raw, without HTTP framing: a WebSocket.
    var isRaw = false
    /// The timeout for all addresses of a host together. Zero and infinity mean no timeout.
    var connectTimeout: TimeInterval = 60
    var connection = Connection.any
    var version = HTTPVersionChoice.http1_1
    /// The task's priority, 0 to 1.
    var streamPriority: Float = 0.5
    /// The rate limit for the response body, in bytes per second.
    var receivingRate: Int64?
    var unixSocketPath: String?
    var proxy: Proxy?
    /// nil for a URL without TLS.
    var tls: TLS?

    enum Body: Equatable, Sendable {
        case none
        /// A body.
        ///
        /// - byteCount: The length of the whole body, -1 if unknown.
        /// - start: The offset in it at which this attempt starts.
        case some(byteCount: Int64, start: Int64)
    }

    /// Which connections may carry the request.
    enum Connection: Equatable, Sendable {
        case any
        case new
        /// New connections, and those opened less than this many seconds ago.
        case youngerThan(Int)
    }

    struct Proxy: Sendable {
        var server: ProxyServer
        /// The value of the `Proxy-Authorization` field.
        var authorization: String?
    }

    struct TLS: Sendable {
        var version: Int
        /// A PEM file, under any spelling of its path; nil for libcurl's default.
        var authoritiesFile: String?
        var authoritiesFolder: String?
        /// Whether to read that file for each connection: it belongs to the program, is small, and may
        /// change.
        var readsAuthoritiesAgain = false
        /// Whether the engine verifies the host name along with the chain.
        var checksServerItself = false
        /// Whether TLS sessions may be kept and resumed; a resumed one has no certificates to ask a delegate about.
        var resumesSessions = true
        var identity: ClientIdentity?
    }

    // MARK: - The fields

    /// Whether the request has `Expect: 100-continue`. libcurl, too, looks for it anywhere in the value.
    var expectsContinue: Bool {
        headers["Expect"]?.lowercased().contains("100-continue") == true
    }

    /// The value of `Accept-Encoding` if libcurl sends it and decodes the body.
    var acceptedCodings: String? {
        if let codings = headers["Accept-Encoding"]?.withoutLineBreaks.trimmingSpaces {
            return codings.isEmpty || codings == "identity" ? nil : codings
        }
        return headers["Range"] == nil ? "gzip, deflate" : nil  // a range counts bytes on the wire
    }

    /// Whether libcurl may decode the body: needed for requested codings that only libcurl knows.
    func letsLibcurlDecode(_ library: LibraryDefects) -> Bool {
        guard library.choosesDecoderEarly, let acceptedCodings else { return true }
        let asked = acceptedCodings.lowercased()
        return asked.contains("br") || asked.contains("zstd") || asked.contains("*")
    }

    /// The header lines, formatted as libcurl expects them.
    var headerLines: [String] {
        var headers = headers
        // libcurl sends these itself.
        for name in ["Content-Length", "Transfer-Encoding"] { headers[name] = nil }
        headers["Proxy-Authorization"] = nil  // must not reach the server
        if isRaw { headers["Transfer-Encoding"] = "" }
        if headers["Expect"] == nil { headers["Expect"] = "" }
        if acceptedCodings != nil { headers["Accept-Encoding"] = nil }
        return headers.fields.map { field in
            let value = field.value.withoutLineBreaks.trimmingSpaces
            guard value.isEmpty else { return field.name + ": " + value }
            // In libcurl's syntax, a colon removes a field and a semicolon sends it empty.
            let isDefault = Self.defaultFields.contains(field.name.lowercased())
            return field.name + (isDefault ? ":" : ";")
        }
    }

    /// Fields that libcurl or the session sends by default. An empty value suppresses them.
    private static let defaultFields: Set = [
        "accept", "accept-encoding", "content-type", "cookie", "expect", "host",
        "transfer-encoding", "user-agent",
    ]

    /// Rejects a request that could inject header lines: libcurl sends the method and field names unchecked.
    /// `.badURL` is the closest of Apple's codes.
    func validate() throws(URLError) {
        guard method.isHTTPToken else {
            throw URLError(
                .badURL, failingURL: url, underlyingText: "the method is not an HTTP token")
        }
        for field in headers.fields where !field.name.isHTTPToken {
            throw URLError(
                .badURL, failingURL: url,
                underlyingText: "the name of a header field is not an HTTP token")
        }
    }
}

/// Where libcurl finds the certificate authorities to trust.
enum CertificateAuthorities {
    /// libcurl's built-in PEM file; nil if it has none.
    static let systemFile = byteclub_curl_authorities_file().map { String(cString: $0) }

    static let systemFolder = byteclub_curl_authorities_folder().map { String(cString: $0) }

    /// Returns another path of the same file for each number from 0: `/etc/ssl/././/certificates.crt`.
    static func spelling(of path: String, number: Int) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        var marks = ""
        var rest = number + 1
        while rest > 0 {
            marks += rest & 1 == 0 ? "./" : ".//"
            rest >>= 1
        }
        return path[...slash] + marks + path[path.index(after: slash)...]
    }
}

extension String {
    /// Whether the text is a token (RFC 9110 §5.6.2).
    var isHTTPToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// The text with line breaks and NUL replaced by spaces (RFC 9110 §5.5).
    var withoutLineBreaks: String {
        guard utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else { return self }
        return String(
            decoding: utf8.map { $0 == 0x0A || $0 == 0x0D || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }
}
