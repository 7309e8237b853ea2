import DropboxAPI
import FoundationEssentials

/// A response, ready to be sent.
struct Response: ~Copyable, Sendable {
    var status: Int
    /// Names as sent.
    var headers: [(name: String, value: String)]
    var body: Body

    enum Body: ~Copyable, Sendable {
        case none
        case bytes([UInt8])
        /// A range of an open file.
        case file(Descriptor, Range<Int64>)
    }

    init(status: Int, headers: [(name: String, value: String)] = [], body: consuming Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Plain text, as Dropbox reports errors of the request itself.
    ///
    /// It may include the client's input, and a terminal may show it: it is sanitized.
    static func text(_ status: Int, _ text: String) -> Response {
        Response(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: .bytes(Array(printable(text).utf8)))
    }

    /// Without characters that move a terminal's cursor, reverse its text or break lines.
    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                result.append("?")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    static func json(_ value: some Encodable, status: Int = 200) -> Response {
        guard let data = try? WireJSON.encode(value) else {
            return .text(500, "The answer could not be written.")
        }
        return Response(
            status: status, headers: [("Content-Type", "application/json")],
            body: .bytes(Array(data)))
    }

    /// The head as bytes.
    ///
    /// - Parameter length: The body's length; nil for responses without one (304).
    func head(length: Int64?, keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(HTTPDate.now)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let length { text += "Content-Length: \(length)\r\n" }
        text += keepsAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n"
        return Array(text.utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: status < 500 ? "Error" : "Internal Server Error"
        }
    }
}

extension WireJSON {
    /// The value of a `Dropbox-API-Result` header.
    static func headerText(_ value: some Encodable) -> String {
        // Our own types can always be encoded as JSON.
        (try? encodeForHeader(value)) ?? "null"
    }
}
