/// Parses a request's body incrementally (RFC 9112 §6, §7.1).
struct RequestBodyReader {
    private enum State {
        case bytes(rest: UInt64)
        case chunkSize
        case chunk(rest: UInt64)
        case chunkEnd
        case trailer
        case complete
    }

    private var state: State
    /// The received part of a line.
    private var line: [UInt8] = []
    private var trailerByteCount = 0

    /// A line of a chunked body: its size and its extensions, or a field of the trailer.
    static let lineByteLimit = 4096

    enum Failure: Error, Hashable {
        case malformedChunk
    }

    enum Progress: Hashable {
        case needsMore
        case complete
    }

    init(_ framing: RequestHead.Framing) {
        state =
            switch framing {
            case .none, .length(0): .complete
            case .length(let length): .bytes(rest: length)
            case .chunked: .chunkSize
            }
    }

    var isComplete: Bool {
        if case .complete = state { true } else { false }
    }

    /// The minimum number of remaining bytes.
    var expectedByteCount: UInt64 {
        switch state {
        case .bytes(let rest), .chunk(let rest): rest
        default: 0
        }
    }

    /// Calls `body` with the content received so far, and consumes it. Trailers are dropped.
    mutating func read(
        _ buffer: ReceiveBuffer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Progress {
        while true {
            switch state {
            case .complete:
                return .complete
            case .bytes(let rest):
                let left = try take(rest, buffer, body)
                state = left == 0 ? .complete : .bytes(rest: left)
                if left > 0 { return .needsMore }
            case .chunk(let rest):
                let left = try take(rest, buffer, body)
                state = left == 0 ? .chunkEnd : .chunk(rest: left)
                if left > 0 { return .needsMore }
            case .chunkSize:
                guard let line = try takeLine(buffer) else { return .needsMore }
                guard let size = Self.chunkSize(line) else { throw Failure.malformedChunk }
                state = size == 0 ? .trailer : .chunk(rest: size)
            case .chunkEnd:
                guard let line = try takeLine(buffer) else { return .needsMore }
                guard line.isEmpty else { throw Failure.malformedChunk }
                state = .chunkSize
            case .trailer:
                guard let line = try takeLine(buffer) else { return .needsMore }
                trailerByteCount += line.count
                if trailerByteCount > RequestHead.byteLimit { throw Failure.malformedChunk }
                if line.isEmpty { state = .complete }
            }
        }
    }

    /// - Returns: How many bytes remain.
    private func take(
        _ rest: UInt64, _ buffer: ReceiveBuffer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> UInt64 {
        let count = Int(min(rest, UInt64(buffer.count)))
        if count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer.unread[..<count]))
            buffer.take(count)
        }
        return rest - UInt64(count)
    }

    /// - Returns: A line without its line ending, or nil while it is incomplete.
    private mutating func takeLine(_ buffer: ReceiveBuffer) throws(Failure) -> [UInt8]? {
        let unread = buffer.unread
        let end = unread.firstIndex(of: 0x0A)
        line += unread[..<(end ?? unread.count)]
        guard line.count <= Self.lineByteLimit else { throw .malformedChunk }
        buffer.take(end.map { $0 + 1 } ?? unread.count)
        guard end != nil else { return nil }
        if line.last == 0x0D { line.removeLast() }
        defer { line = [] }
        return line
    }

    /// Digits, optionally followed by whitespace and extensions; nil for anything else. A size that
    /// two parsers may read differently enables request smuggling.
    static func chunkSize(_ line: [UInt8]) -> UInt64? {
        let digits = line.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
            default: false
            }
        }
        let next = line.dropFirst(digits.count).first { $0 != 0x20 && $0 != 0x09 }
        guard (1...15).contains(digits.count), next == nil || next == UInt8(ascii: ";") else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
