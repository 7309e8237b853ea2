/// The grammar of the lines of a head (RFC 9112 §4 and §5).
///
/// If a line is ambiguous, a proxy, libcurl and this code could see different responses in the same bytes,
/// which response splitting exploits. Versions of libcurl differ, too. So ambiguous lines are rejected here,
/// and the result is the same with every version.
enum HeadLine {
    typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// Returns a line without its end; nil if it contains a NUL or a bare carriage return, which some
    /// implementations take for the end of the line (RFC 9112 §2.2).
    static func text(of line: UnsafeRawBufferPointer) -> Bytes? {
        var end = line.count
        if end > 0, line[end - 1] == 0x0A { end -= 1 }
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        let text = line[..<end]
        return text.contains { $0 == 0x0D || $0 == 0 } ? nil : text
    }

    /// Parses a status line such as `HTTP/1.1 200 OK`, of HTTP/1.0 or 1.1, with one space and three digits.
    /// The reason phrase is optional and ignored.
    static func status(of line: Bytes) -> Int? {
        let parts = Array(line.prefix(13))
        guard parts.count >= 12, parts.starts(with: "HTTP/1.".utf8),
            parts[7] == 0x30 || parts[7] == 0x31, parts[8] == 0x20,
            parts.count == 12 || parts[12] == 0x20
        else { return nil }
        return status(in: parts[9..<12])
    }

    /// Parses the line `HTTP/2 200`, which libcurl creates from `:status`.
    static func multiplexedStatus(of line: Bytes) -> Int? {
        let parts = Array(line.prefix(11))
        guard parts.count >= 10,
            parts.starts(with: "HTTP/2 ".utf8) || parts.starts(with: "HTTP/3 ".utf8),
            parts.count == 10 || parts[10] == 0x20
        else { return nil }
        return status(in: parts[7..<10])
    }

    private static func status(in digits: ArraySlice<UInt8>) -> Int? {
        var status = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            status = status * 10 + Int(byte - 0x30)
        }
        return status >= 100 ? status : nil
    }

    struct Field {
        var name: String
        var value: String
        var hasSpaceBeforeColon: Bool
    }

    /// Parses a field. Returns nil if its name is not a token (RFC 9110 §5.1); browsers ignore such lines,
    /// too.
    static func field(_ line: Bytes) -> Field? {
        guard let colon = line.firstIndex(of: 0x3A) else { return nil }
        let name = line[..<colon].trimmingSpaces
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return nil }
        return Field(
            name: String(decoding: name, as: UTF8.self), value: value(line[(colon + 1)...]),
            hasSpaceBeforeColon: name.endIndex != colon)
    }

    /// Decodes a value as UTF-8 or, if it is invalid, as ISO 8859-1, the former encoding of HTTP (RFC 9110
    /// §5.5).
    static func value(_ bytes: Bytes) -> String {
        let value = bytes.trimmingSpaces
        return String(validating: value, as: UTF8.self) ?? String(latin1: value)
    }

    /// The fields that determine where the body ends.
    enum Framing {
        case length
        case transferEncoding

        init?(_ name: String) {
            if name.isEqualIgnoringASCIICase(to: "Content-Length") {
                self = .length
            } else if name.isEqualIgnoringASCIICase(to: "Transfer-Encoding") {
                self = .transferEncoding
            } else {
                return nil
            }
        }

        var refusal: ResponseHeadParser.Refusal {
            switch self {
            case .length: .badLength
            case .transferEncoding: .badTransferEncoding
            }
        }
    }

    /// Whether the end of a body with these codings is known (RFC 9112 §6.3): `chunked` must be last, and
    /// `identity` must be alone. A repeated `chunked`, which some proxies write, counts once.
    static func isReadable(transferEncoding field: String?) -> Bool {
        guard let field else { return true }
        var codings = ListField.members(of: field).map { $0.lowercased() }
        if codings.allSatisfy({ $0 == "identity" }) { return true }
        while codings.last == "chunked" { codings.removeLast() }
        return codings.allSatisfy(transferCodings.contains)
    }

    private static let transferCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]
}

extension ResponseHeadParser {
    enum Refusal: Error {
        case tooLarge
        case tooManyLines
        case badStatusLine
        /// A NUL or a bare carriage return.
        case badCharacter
        /// A folded line without a preceding field.
        case strayFold
        /// `Content-Length` is not a number, is too large, or differs among lines.
        case badLength
        /// `chunked` is not last, or a coding is unknown.
        case badTransferEncoding
        /// Several different `Location` fields.
        case twoLocations

        var code: URLError.Code {
            // libcurl reports such codings with the same code.
            if case .badTransferEncoding = self { return .cannotDecodeContentData }
            return .cannotParseResponse
        }

        var text: String {
            switch self {
            case .tooLarge: "the head of the answer is over \(largestByteCount >> 10) KiB"
            case .tooManyLines: "the head of the answer has over \(largestLineCount) lines"
            case .badStatusLine: "the status line of the answer makes no sense"
            case .badCharacter: "a line in the head of the answer has a control character"
            case .strayFold: "the head of the answer begins with a folded line"
            case .badLength: "the Content-Length of the answer is not one number of bytes"
            case .badTransferEncoding: "the Transfer-Encoding of the answer makes no sense"
            case .twoLocations: "the answer has two different Locations"
            }
        }
    }
}
