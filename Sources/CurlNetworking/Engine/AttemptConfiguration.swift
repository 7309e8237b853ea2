import CCurl
import FoundationEssentials

/// All that libcurl has to know of one attempt, as a value.
///
/// Redirects, timers, credentials and cookies are the engine's: libcurl only moves this request and its
/// response.
struct AttemptConfiguration: Sendable {
    var url: URL
    var method: String
    /// All fields but libcurl's own.
    var headers: HTTPHeaderFields
    var body = Body.none
    /// Whether the bytes after the head are not an HTTP body and have no framing: a WebSocket.
    var isRaw = false
    /// Shared among the addresses of a host; zero and infinite spans never run out.
    var connectTimeout: TimeInterval = 60
    var connection = Connection.any
    var version = HTTPVersionChoice.http1_1
    /// The task's, from 0 to 1.
    var streamPriority: Float = 0.5
    /// Of the answer's body, in bytes per second.
    var receivingRate: Int64?
    var unixSocketPath: String?
    var proxy: Proxy?
    /// Nil for a plain URL.
    var tls: TLS?

    enum Body: Equatable, Sendable {
        case none
        /// - byteCount: Of the whole body, -1 when it is not known.
        /// - start: Where in it the attempt begins.
        case some(byteCount: Int64, start: Int64)
    }

    /// Which connections the request may go out on.
    enum Connection: Equatable, Sendable {
        case any
        case new
        /// New ones, and those that have not been open for longer, in seconds.
        case youngerThan(Int)
    }

    struct Proxy: Sendable {
        var server: ProxyServer
        /// The value of `Proxy-Authorization`.
        var authorization: String?
    }

    struct TLS: Sendable {
        var version: Int
        /// A file of PEM, under any of its names; nil: libcurl's own.
        var authoritiesFile: String?
        var authoritiesFolder: String?
        /// Whether the file is the program's own: small, and what it says now is what counts.
        var readsAuthoritiesAgain = false
        /// Whether the host is checked by the engine, along with the chain.
        var checksServerItself = false
        /// A resumed session shows no certificates.
        var resumesSessions = true
        var identity: ClientIdentity?
    }

    // MARK: - The fields

    /// The value of `Accept-Encoding` if libcurl sends it, so that the body is decompressed.
    var acceptedCodings: String? {
        if let codings = headers["Accept-Encoding"] {
            return codings.isEmpty || codings == "identity" ? nil : codings
        }
        return headers["Range"] == nil ? "gzip, deflate" : nil  // a range counts bytes on the wire
    }

    /// Whether libcurl may decode the body: needed for codings that only it knows, if they were asked for.
    func letsLibcurlDecode(_ library: LibraryDefects) -> Bool {
        guard library.settlesCodingsEarly, let acceptedCodings else { return true }
        let asked = acceptedCodings.lowercased()
        return asked.contains("br") || asked.contains("zstd") || asked.contains("*")
    }

    /// The lines of the head, in the form libcurl wants them.
    var headerLines: [String] {
        var headers = headers
        // These are libcurl's.
        for name in ["Content-Length", "Transfer-Encoding"] { headers[name] = nil }
        headers["Proxy-Authorization"] = nil  // never for the server
        if isRaw { headers["Transfer-Encoding"] = "" }
        if headers["Expect"] == nil { headers["Expect"] = "" }
        if acceptedCodings != nil { headers["Accept-Encoding"] = nil }
        return headers.fields.map { field in
            let value = field.value.withoutLineBreaks.trimmingSpaces
            guard value.isEmpty else { return field.name + ": " + value }
            // To libcurl a colon takes a field away, a semicolon sends it without a value.
            let isDefault = Self.defaultFields.contains(field.name.lowercased())
            return field.name + (isDefault ? ":" : ";")
        }
    }

    /// What libcurl or the session sends by default: empty, they are not sent.
    private static let defaultFields: Set = [
        "accept", "accept-encoding", "content-type", "cookie", "expect", "host",
        "transfer-encoding", "user-agent",
    ]

    /// libcurl sends a method and names as they are: what could forge a line is refused. Apple has no
    /// code for a request that cannot be written; that of a bad URL says as much of a part of it.
    func validate() throws(URLError) {
        guard method.isHTTPToken else {
            throw URLError(
                .badURL, failingURL: url, underlyingText: "the method is no HTTP token")
        }
        for field in headers.fields where !field.name.isHTTPToken {
            throw URLError(
                .badURL, failingURL: url,
                underlyingText: "the name of a header field is no HTTP token")
        }
    }
}

/// Where libcurl finds the certificate authorities to trust.
enum CertificateAuthorities {
    /// As libcurl was built: a file of PEM; nil when it has none.
    static let systemFile = byteclub_curl_authorities_file().map { String(cString: $0) }

    static let systemFolder = byteclub_curl_authorities_folder().map { String(cString: $0) }

    /// Another name of the same file for each number, 0 and up: `/etc/ssl/././/certificates.crt`.
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
    /// RFC 9110 §5.6.2.
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

    /// RFC 9110 §5.5: line ends and NUL in a value become spaces.
    var withoutLineBreaks: String {
        guard utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else { return self }
        return String(
            decoding: utf8.map { $0 == 0x0A || $0 == 0x0D || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }
}
