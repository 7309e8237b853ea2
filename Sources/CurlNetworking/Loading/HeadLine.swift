/// The grammar of the lines of a head (RFC 9112 §4 and §5).
///
/// Where a line can be read in two ways, a proxy, libcurl and the code here could see different answers in the
/// same bytes, the trick of response splitting. Versions of libcurl differ; so what is loose is refused here, and
/// every version of it gives the same answer.
enum HeadLine {
    typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// A line without its end. nil with a NUL or a bare carriage return in it, which some take for the end of
    /// the line (RFC 9112 §2.2).
    static func text(of line: UnsafeRawBufferPointer) -> Bytes? {
        var end = line.count
        if end > 0, line[end - 1] == 0x0A { end -= 1 }
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        let text = line[..<end]
        return text.contains { $0 == 0x0D || $0 == 0 } ? nil : text
    }

    /// The status of `HTTP/1.1 200 OK`: of HTTP/1.0 and 1.1, with one space and three digits. The reason may be
    /// missing, and is read by nobody.
    static func status(of line: Bytes) -> Int? {
        let parts = Array(line.prefix(13))
        guard parts.count >= 12, parts.starts(with: "HTTP/1.".utf8),
            parts[7] == 0x30 || parts[7] == 0x31, parts[8] == 0x20,
            parts.count == 12 || parts[12] == 0x20
        else { return nil }
        return status(in: parts[9..<12])
    }

    /// The status of `HTTP/2 200`, which libcurl writes for a `:status`.
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

    /// nil for a line whose name is not a token (RFC 9110 §5.1): browsers pass over such lines, too.
    static func field(_ line: Bytes) -> Field? {
        guard let colon = line.firstIndex(of: 0x3A) else { return nil }
        let name = line[..<colon].trimmingSpaces
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return nil }
        return Field(
            name: String(decoding: name, as: UTF8.self), value: value(line[(colon + 1)...]),
            hasSpaceBeforeColon: name.endIndex != colon)
    }

    /// Values are UTF-8 nowadays; what is not is ISO 8859-1, as HTTP once had it (RFC 9110 §5.5).
    static func value(_ bytes: Bytes) -> String {
        let value = bytes.trimmingSpaces
        return String(validating: value, as: UTF8.self) ?? String(latin1: value)
    }

    /// The fields that say where the body ends.
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

    /// Whether it is known where a body in these codings ends (RFC 9112 §6.3): chunks come last, and `identity`
    /// stands alone. `chunked` twice, which proxies write, is read by all as once.
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
        /// A folded line that continues nothing.
        case strayFold
        /// `Content-Length` is not a number, too large, or there are several.
        case badLength
        /// Chunks do not come last, or nobody knows the coding.
        case badTransferEncoding
        /// Who knows which of them is meant?
        case twoLocations

        var code: URLError.Code {
            // The code that libcurl's own objections to such codings have.
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
