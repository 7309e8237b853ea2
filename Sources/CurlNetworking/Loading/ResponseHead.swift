/// Status line and header fields of an answer.
struct ResponseHead: Sendable {
    var status: Int
    var headers = HTTPHeaderFields()
    /// The values of the `Set-Cookie` lines one by one: joined, they cannot be told apart for sure.
    var setCookies: [String] = []
}

/// Puts the head of an answer together from its lines.
///
/// Interim answers (1xx) are kept apart, and so are the trailers of a chunked body, the lines after the head. A
/// head without measure is refused.
struct ResponseHeadParser: Sendable {
    private(set) var head: ResponseHead?
    /// Whether it comes by HTTP/2 or 3, of which libcurl makes lines.
    var isMultiplexed = false
    /// Whether the empty line behind a final head was seen.
    private(set) var isComplete = false
    /// How the body is coded, the coding that was applied last first: as they are undone. `identity` and
    /// `chunked` are not among them.
    private(set) var codings: [String] = []
    /// The fields behind a chunked body. They are never taken for those of the head: a proxy that has looked at the
    /// head has not seen them (RFC 9110 §6.5.1).
    private(set) var trailers = HTTPHeaderFields()
    /// Interim answers (1xx) that nobody has taken yet.
    private var interim: [ResponseHead] = []
    private var lastLine = LastLine.start
    private var byteCount = 0
    private var lineCount = 0

    /// The largest head that is taken, interim answers and trailers included.
    static let largestByteCount = 256 << 10
    /// The most lines that are taken, these included: each costs time whatever its length. As many as
    /// Node.js takes, which is the most generous of those that count; others stop at 100.
    static let largestLineCount = 2000

    /// Whether not a byte of an answer was seen.
    var isUntouched: Bool { byteCount == 0 }

    /// What a folded line continues.
    private enum LastLine {
        /// The status line.
        case start
        case field(String)
        /// A line that is not read.
        case ignored
    }

    /// Takes one line as it came, with its line end.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        byteCount += line.count
        lineCount += 1
        guard byteCount <= Self.largestByteCount else { throw .tooLarge }
        guard lineCount <= Self.largestLineCount else { throw .tooManyLines }
        guard let text = HeadLine.text(of: line) else { throw .badCharacter }
        guard !isComplete else { return addTrailer(text) }
        switch text.first {
        case nil: try finish()
        case 0x20, 0x09: try continueField(HeadLine.value(text))
        // Only the first line is one: libcurl, too, takes a later one for a field.
        default: if head == nil { try begin(text) } else { try addField(text) }
        }
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
        let status =
            isMultiplexed ? HeadLine.multiplexedStatus(of: line) : HeadLine.status(of: line)
        guard let status else { throw .badStatusLine }
        head = ResponseHead(status: status)
        lastLine = .start
    }

    private mutating func addField(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
        lastLine = .ignored
        guard let field = HeadLine.field(line) else { return }
        let name = field.name
        let value = field.value
        if let kind = HeadLine.Framing(name) {
            // libcurl does not know the name then, and reads a body of another length.
            guard !field.hasSpaceBeforeColon else { throw kind.refusal }
            // Who knows where such a body ends (RFC 9112 §6.3)? The same length twice does no harm.
            if kind == .length {
                guard let length = Self.length(value) else { throw .badLength }
                if let said = head?.headers[name] {
                    guard Self.length(said) == length else { throw .badLength }
                    return
                }
            }
        } else if name.isEqualIgnoringASCIICase(to: "Location"),
            let said = head?.headers[name]
        {
            guard said == value else { throw .twoLocations }
            return
        }
        head?.headers.add(value, for: name)
        if name.isEqualIgnoringASCIICase(to: "Set-Cookie") { head?.setCookies.append(value) }
        lastLine = .field(name)
    }

    private mutating func addTrailer(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let first = line.first else { return }
        if first == 0x20 || first == 0x09 {
            guard case .field(let name) = lastLine else { return }
            return trailers.extend(name, by: HeadLine.value(line))
        }
        lastLine = .ignored
        guard let field = HeadLine.field(line), HeadLine.Framing(field.name) == nil else { return }
        trailers.add(field.value, for: field.name)
        lastLine = .field(field.name)
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
    private mutating func continueField(_ text: String) throws(Refusal) {
        switch lastLine {
        case .start: throw .strayFold
        case .ignored: return
        case .field(let name):
            // Older libcurls have read the line before without this one.
            if let kind = HeadLine.Framing(name) { throw kind.refusal }
            head?.headers.extend(name, by: text)
            if name.isEqualIgnoringASCIICase(to: "Set-Cookie"),
                let last = head?.setCookies.popLast()
            {
                head?.setCookies.append(last.isEmpty ? text : last + " " + text)
            }
        }
    }

    private mutating func finish() throws(Refusal) {
        guard let head, case let status = head.status else { return }
        if status >= 200 || status == 101 {
            guard HeadLine.isReadable(transferEncoding: head.headers["Transfer-Encoding"]) else {
                throw .badTransferEncoding
            }
            isComplete = true
            lastLine = .ignored
            noteCodings(head.headers)
        } else {
            interim.append(head)
            self.head = nil
        }
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
