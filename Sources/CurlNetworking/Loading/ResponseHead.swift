/// Status line and header fields of an answer.
struct ResponseHead: Sendable {
    var status: Int
    var headers = HTTPHeaderFields()
    /// The values of the `Set-Cookie` lines one by one: joined, they cannot be told apart for sure.
    var setCookies: [String] = []
}

/// Puts the head of an answer together from its lines.
///
/// Interim answers (1xx) are kept apart. Lines after the head, the trailers of a chunked body, are
/// ignored. A head without measure is refused.
struct ResponseHeadParser: Sendable {
    private(set) var head: ResponseHead?
    /// Whether the empty line behind a final head was seen.
    private(set) var isComplete = false
    /// How the body is coded, the coding that was applied last first: as they are undone. `identity` and
    /// `chunked` are not among them.
    private(set) var codings: [String] = []
    /// Interim answers (1xx) that nobody has taken yet.
    private var interim: [ResponseHead] = []
    private var lastName: String?
    private var byteCount = 0
    private var lineCount = 0

    /// The largest head that is taken, interim answers and trailers included.
    static let largestByteCount = 256 << 10
    /// The most lines that are taken, these included: each costs time whatever its length. As many as
    /// Node.js takes, which is the most generous of those that count; others stop at 100.
    static let largestLineCount = 2000

    /// Whether not a byte of an answer was seen.
    var isUntouched: Bool { byteCount == 0 }

    enum Refusal: Error {
        case tooLarge
        case tooManyLines
        case badStatusLine
        /// `Content-Length` is not a number, too large, or there are several.
        case badLength

        var text: String {
            switch self {
            case .tooLarge: "the head of the answer is over \(largestByteCount >> 10) KiB"
            case .tooManyLines: "the head of the answer has over \(largestLineCount) lines"
            case .badStatusLine: "the status line of the answer makes no sense"
            case .badLength: "the Content-Length of the answer is not one number of bytes"
            }
        }
    }

    /// Takes one line as it came, with its line end.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        byteCount += line.count
        lineCount += 1
        guard byteCount <= Self.largestByteCount else { throw .tooLarge }
        guard lineCount <= Self.largestLineCount else { throw .tooManyLines }
        guard !isComplete else { return }  // a trailer
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = line[..<end]
        switch text.first {
        case nil:
            finish()
        case 0x20, 0x09:
            continueField(String(decoding: text.trimmingSpaces, as: UTF8.self))
        default:
            if text.starts(with: "HTTP/".utf8) { try begin(text) } else { try addField(text) }
        }
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
        let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
        guard let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...999).contains(status)
        else { throw .badStatusLine }
        head = ResponseHead(status: status)
        lastName = nil
    }

    private mutating func addField(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
        guard let colon = line.firstIndex(of: 0x3A), colon != line.startIndex else { return }
        let name = String(decoding: line[..<colon].trimmingSpaces, as: UTF8.self)
        let value = String(decoding: line[(colon + 1)...].trimmingSpaces, as: UTF8.self)
        if name.isEqualIgnoringASCIICase(to: "Content-Length") {
            // Who knows where such a body ends (RFC 9112 §6.3)? The same length twice does no harm.
            guard let length = Self.length(value) else { throw .badLength }
            if let said = head?.headers[name] {
                guard Self.length(said) == length else { throw .badLength }
                return
            }
        }
        head?.headers.add(value, for: name)
        if name.isEqualIgnoringASCIICase(to: "Set-Cookie") { head?.setCookies.append(value) }
        lastName = name
    }

    /// RFC 9110 §8.6: digits, perhaps several times the same.
    private static func length(_ value: String) -> Int64? {
        let numbers = value.split(separator: ",", omittingEmptySubsequences: false).map {
            let digits = $0.trimmingSpaces
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
        }
        guard let first = numbers.first, numbers.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// A folded line, which RFC 9112 §5.2 has us read as a space.
    private mutating func continueField(_ text: String) {
        guard let lastName else { return }
        head?.headers.extend(lastName, by: text)
        if lastName.isEqualIgnoringASCIICase(to: "Set-Cookie"),
            let last = head?.setCookies.popLast()
        {
            head?.setCookies.append(last.isEmpty ? text : last + " " + text)
        }
    }

    private mutating func finish() {
        guard let head, case let status = head.status else { return }
        if status >= 200 || status == 101 {
            isComplete = true
            noteCodings(head.headers)
        } else {
            interim.append(head)
            self.head = nil
        }
        lastName = nil
    }

    /// RFC 9110 §8.4.1. Some servers name things here that are not codings (`utf-8`), and gateways
    /// invent their own.
    private mutating func noteCodings(_ headers: HTTPHeaderFields) {
        guard headers["Content-Encoding"] != nil || headers["Transfer-Encoding"] != nil else {
            return
        }
        codings = ["Content-Encoding", "Transfer-Encoding"]
            .flatMap { ListField.members(of: headers[$0] ?? "").map { $0.lowercased() } }
            .filter { $0 != "identity" && $0 != "chunked" }
            .reversed()
    }

    /// The interim answers since the last call, in order.
    mutating func takeInterim() -> [ResponseHead] {
        guard !interim.isEmpty else { return [] }
        defer { interim = [] }
        return interim
    }
}
