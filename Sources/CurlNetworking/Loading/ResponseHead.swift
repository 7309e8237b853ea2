/// The status and header fields of a response.
struct ResponseHead: Sendable {
    var status: Int
    var headers = HTTPHeaderFields()
    /// The values of the separate `Set-Cookie` lines, which cannot be joined unambiguously.
    var setCookies: [String] = []
}

/// Parses the head of a response from its lines.
///
/// Interim responses (1xx) are collected separately, as are the trailers of a chunked body. Heads that are
/// too large are rejected.
struct ResponseHeadParser: Sendable {
    private(set) var head: ResponseHead?
    /// Whether the lines come from HTTP/2 or 3, for which libcurl creates them.
    var isMultiplexed = false
    /// Whether the empty line after a final head was parsed.
    private(set) var isComplete = false
    /// The codings of the body, the last applied first, without `identity` and `chunked`.
    private(set) var codings: [String] = []
    /// The trailers of a chunked body. They never count as header fields: a proxy that has checked the head
    /// has not seen them (RFC 9110 §6.5.1).
    private(set) var trailers = HTTPHeaderFields()
    /// Interim responses (1xx) that were not taken yet.
    private var interim: [ResponseHead] = []
    private var lastLine = LastLine.start
    private var byteCount = 0
    private var lineCount = 0

    /// The maximum length of a head, including interim responses and trailers.
    static let largestByteCount = 256 << 10
    /// The maximum number of lines, including interim responses and trailers, since each takes time. Node.js
    /// has the same limit; others stop at 100.
    static let largestLineCount = 2000

    /// Whether no byte of a response was received.
    var isUntouched: Bool { byteCount == 0 }

    /// What a folded line continues.
    private enum LastLine {
        /// The status line.
        case start
        case field(String)
        /// A line that is ignored.
        case ignored
    }

    /// Parses one line, which includes its line end.
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
        // Only the first line is a status line: libcurl, too, takes a later one for a field.
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
            // libcurl does not recognize the name then, and reads a body of another length.
            guard !field.hasSpaceBeforeColon else { throw kind.refusal }
            // The end of the body is ambiguous (RFC 9112 §6.3). Repeating the same length is harmless.
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

    /// Parses a length (RFC 9110 §8.6): digits, possibly the same number several times.
    private static func length(_ value: String) -> Int64? {
        let numbers = value.split(separator: ",", omittingEmptySubsequences: false).map {
            let digits = $0.trimmingSpaces
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
        }
        guard let first = numbers.first, numbers.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Appends a folded line, joined by a space as RFC 9112 §5.2 requires.
    private mutating func continueField(_ text: String) throws(Refusal) {
        switch lastLine {
        case .start: throw .strayFold
        case .ignored: return
        case .field(let name):
            // Older versions of libcurl have used the field's value without this line.
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

    /// Records the content codings (RFC 9110 §8.4.1). Some servers list other names (`utf-8`), and some
    /// gateways invent their own.
    private mutating func noteCodings(_ headers: HTTPHeaderFields) {
        guard headers["Content-Encoding"] != nil || headers["Transfer-Encoding"] != nil else {
            return
        }
        codings = ["Content-Encoding", "Transfer-Encoding"]
            .flatMap { ListField.members(of: headers[$0] ?? "").map { $0.lowercased() } }
            .filter { $0 != "identity" && $0 != "chunked" }
            .reversed()
    }

    /// Returns the interim responses since the last call, in order.
    mutating func takeInterim() -> [ResponseHead] {
        guard !interim.isEmpty else { return [] }
        defer { interim = [] }
        return interim
    }
}
