import CCurl
import FoundationEssentials

extension EasyHandle {
    /// How many bytes are read from a socket at a time: with what is on its way to the delegate they
    /// stay in the processor's own cache.
    static let receiveBufferByteCount = 128 << 10
    /// How many bytes of a large body are given to a socket at a time.
    static let sendBufferByteCount = 256 << 10

    /// Sets everything for one attempt on a handle that is new or was reset.
    ///
    /// Redirects, timers, credentials and cookies are the engine's; libcurl only moves this request
    /// and its answer.
    ///
    /// - Parameter headers: All fields but libcurl's own.
    func configure(for transfer: Transfer, headers: HTTPHeaderFields) throws(URLError) {
        let request = transfer.request
        guard let url = request.url else { throw URLError(.badURL) }
        try Self.check(request, headers)
        set(CURLOPT_URL, url.absoluteString)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)  // a slow name look-up is left behind, not waited for
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // HTTP/2 of libcurl 7.88 stalls and spins when paused.
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        if transfer.needsFreshConnection { set(CURLOPT_FRESH_CONNECT, 1) }
        transfer.task.session.avoidOldConnections(on: self)
        setRoute(transfer)
        setTLS(for: transfer, to: url)
        setMethodAndBody(request, transfer.body, from: transfer.bodyOffset)
        transfer.acceptsCodings = setHeaders(headers, isRaw: transfer.webSocket != nil)
        let timeout = request.ownTimeout ?? transfer.settings.requestTimeout
        // Shares the time among the addresses of a host; the timers that count are the engine's.
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            timeout > 0 && timeout < 1e6 ? max(1, Int(timeout * 1000)) : 1_000_000_000)
        transfer.installCallbacks(on: self)
    }

    private func setRoute(_ transfer: Transfer) {
        if let path = transfer.settings.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        setProxy(for: transfer)
    }

    private func setMethodAndBody(
        _ request: URLRequest, _ body: OutgoingBody, from offset: Int64
    ) {
        let method = request.method
        var sends = ["POST", "PUT", "PATCH"].contains(method)
        if case .none = body {} else { sends = true }
        if method == "HEAD" {
            // With a body of its own libcurl would wait for one in the answer, too.
            set(CURLOPT_NOBODY, 1)
        } else if sends {
            // The same path for every method: it adds no content type and no form.
            set(CURLOPT_UPLOAD, 1)
            let byteCount = body.byteCount
            set(CURLOPT_INFILESIZE_LARGE, offset: byteCount < 0 ? -1 : byteCount - offset)
            set(CURLOPT_CUSTOMREQUEST, method)
        } else {
            set(CURLOPT_HTTPGET, 1)
            if method != "GET" { set(CURLOPT_CUSTOMREQUEST, method) }
        }
        set(CURLOPT_BUFFERSIZE, Self.receiveBufferByteCount)
        if body.byteCount < 0 || body.byteCount > 64 << 10 {
            set(CURLOPT_UPLOAD_BUFFERSIZE, Self.sendBufferByteCount)
        }
    }

    /// - Parameter isRaw: Whether what follows the head is no body of HTTP's and has no framing.
    /// - Returns: Whether a compressed body is asked for, and is to be decompressed.
    private func setHeaders(_ headers: HTTPHeaderFields, isRaw: Bool) -> Bool {
        var headers = headers
        var acceptsCodings = false
        // These are libcurl's.
        for name in ["Content-Length", "Transfer-Encoding"] { headers[name] = nil }
        headers["Proxy-Authorization"] = nil  // never for the server
        if isRaw {
            headers["Transfer-Encoding"] = ""
            set(CURLOPT_HTTPPROXYTUNNEL, 1)
        }
        if headers["Expect"] == nil { headers["Expect"] = "" }
        if let codings = headers["Accept-Encoding"] {
            if !codings.isEmpty, codings != "identity" {
                set(CURLOPT_ACCEPT_ENCODING, codings)
                acceptsCodings = true
                headers["Accept-Encoding"] = nil
            }
        } else if headers["Range"] == nil {  // a range counts the bytes on the wire
            set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
            acceptsCodings = true
        }
        set(CURLOPT_USERAGENT, Self.userAgent)
        setHeaderLines(
            headers.fields.map { field in
                let value = field.value.withoutLineBreaks.trimmingSpaces
                guard value.isEmpty else { return field.name + ": " + value }
                // To libcurl a colon takes a field away, a semicolon sends it without a value.
                let isDefault = Self.defaultFields.contains(field.name.lowercased())
                return field.name + (isDefault ? ":" : ";")
            })
        return acceptsCodings
    }

    /// What libcurl or the session sends unasked: empty, they are not sent.
    private static let defaultFields: Set = [
        "accept", "accept-encoding", "content-type", "cookie", "expect", "host",
        "transfer-encoding", "user-agent",
    ]

    /// `CurlNetworking libcurl/7.88.1`
    private static let userAgent =
        "CurlNetworking " + String(cString: curl_version()).prefix { $0 != " " }

    /// libcurl sends a method and names as they are: what could forge a line is refused. Apple has no
    /// code for a request that cannot be written; that of a bad URL says as much of a part of it.
    private static func check(
        _ request: URLRequest, _ headers: HTTPHeaderFields
    ) throws(URLError) {
        guard request.method.isHTTPToken else {
            throw URLError(
                .badURL, failingURL: request.url, underlyingText: "the method is no HTTP token")
        }
        for field in headers.fields where !field.name.isHTTPToken {
            throw URLError(
                .badURL, failingURL: request.url,
                underlyingText: "the name of a header field is no HTTP token")
        }
    }
}

extension String {
    /// RFC 9110 §5.6.2.
    fileprivate var isHTTPToken: Bool {
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
