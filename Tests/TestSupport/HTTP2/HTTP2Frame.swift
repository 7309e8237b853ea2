/// One frame of HTTP/2 (RFC 9113 §4.1), as bytes.
public struct HTTP2Frame: Sendable {
    /// Numbers of RFC 9113 §6.
    public enum Kind: UInt8, Sendable {
        case data = 0
        case headers = 1
        case priority = 2
        case reset = 3
        case settings = 4
        case push = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    public var kind: UInt8
    public var flags: UInt8
    public var stream: UInt32
    public var payload: [UInt8]

    public static let endStream: UInt8 = 0x1
    public static let acknowledgement: UInt8 = 0x1
    public static let endHeaders: UInt8 = 0x4

    public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.kind = kind.rawValue
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    init(kind: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8]) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    public var bytes: [UInt8] {
        let count = payload.count
        return [
            UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), kind, flags,
        ]
            + Self.word(stream) + payload
    }

    /// Big-endian.
    public static func word(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// Why a stream or a connection ends (RFC 9113 §7).
public enum HTTP2ErrorCode: UInt32, Sendable {
    case none = 0
    case protocolError = 1
    case internalError = 2
    case refusedStream = 7
    case cancel = 8
    case enhanceYourCalm = 11
    case http1Required = 13
}

extension HTTP2Frame {
    /// Fields as HPACK literals that enter no table (RFC 7541 §6.2.2).
    public static func block(_ fields: [(name: String, value: String)]) -> [UInt8] {
        fields.flatMap { [0x00] + text($0.name) + text($0.value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
