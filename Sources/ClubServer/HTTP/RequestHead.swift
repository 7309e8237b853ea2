/// The request line and headers.
///
/// Source: RFC 9112 §2–§5.
struct RequestHead: Hashable, Sendable {
    let method: String
    /// The path as sent, without the query.
    let path: String
    /// The query parameters, percent-decoded.
    let query: [String: String]
    /// Whether the connection stays open by default (HTTP/1.1).
    let isVersion11: Bool
    /// Names in lowercase. Repeated fields are joined by commas.
    let headers: [String: String]

    /// The maximum size of a head. An argument in a header can be several kilobytes.
    static let byteLimit = 64 << 10
    static let headerCountLimit = 100

    enum Failure: Error, Hashable {
        case malformed(String)
        case tooManyHeaders
        case unknownVersion
    }

    /// Parses a head up to the empty line at its end.
    init(_ bytes: some Collection<UInt8>) throws(Failure) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }[...]
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.popFirst() else { throw .malformed("empty request") }
        let words = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, let method = String(validating: words[0], as: UTF8.self),
            let target = String(validating: words[1], as: UTF8.self),
            !method.isEmpty, words[0].allSatisfy(Self.isTokenByte), target.hasPrefix("/")
        else { throw .malformed("malformed request line") }
        switch String(decoding: words[2], as: UTF8.self) {
        case "HTTP/1.1": isVersion11 = true
        case "HTTP/1.0": isVersion11 = false
        default: throw .unknownVersion
        }
        if lines.count > Self.headerCountLimit { throw .tooManyHeaders }
        var headers: [String: String] = [:]
        for line in lines {
            let (name, value) = try Self.header(line)
            if let known = headers[name] {
                // With two lengths, two parsers could disagree about where a request ends.
                if name == "content-length", known != value {
                    throw .malformed("contradicting Content-Length")
                }
                headers[name] = name == "content-length" ? value : known + ", " + value
            } else {
                headers[name] = value
            }
        }
        self.headers = headers
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? Self.parameters(parts[1]) : [:]
    }

    /// Whether the client wants the connection to stay open.
    var wantsKeepAlive: Bool {
        let words = (headers["connection"] ?? "").lowercased().split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        return isVersion11 ? !words.contains("close") : words.contains("keep-alive")
    }

    /// Whether the client waits for `100 Continue` before sending the body.
    var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" }

    /// How the body is delimited.
    enum Framing: Hashable, Sendable {
        case none
        case length(UInt64)
        case chunked

        /// 0 if unknown.
        var announcedByteCount: UInt64 {
            if case .length(let length) = self { length } else { 0 }
        }
    }

    /// - Throws: `.malformed` for ambiguous framing (RFC 9112 §6.3).
    func framing() throws(Failure) -> Framing {
        if let coding = headers["transfer-encoding"] {
            guard headers["content-length"] == nil, coding.lowercased() == "chunked" else {
                throw .malformed("unsupported Transfer-Encoding")
            }
            return .chunked
        }
        guard let text = headers["content-length"] else { return .none }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = UInt64(text) else {
            throw .malformed("malformed Content-Length")
        }
        return .length(length)
    }

    private static func header(
        _ line: some Collection<UInt8>
    ) throws(Failure) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw .malformed("header without a colon")
        }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
            throw .malformed("malformed header name")
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var value = Array(line[line.index(after: colon)...].drop(while: isBlank))
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
            let text = String(validating: value, as: UTF8.self)
        else {
            throw .malformed("malformed header value")
        }
        return (String(decoding: name, as: UTF8.self).lowercased(), text)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func parameters(_ query: Substring) -> [String: String] {
        var result: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? decoded(parts[1]) : ""
            if let name = decoded(parts[0]), let value { result[name] = value }
        }
        return result
    }

    /// Percent-decodes; a plus is a space, as in forms.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2,
                    let value = UInt8(String(Substring(rest.prefix(2))), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
