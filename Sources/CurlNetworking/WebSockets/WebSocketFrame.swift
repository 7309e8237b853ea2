import FoundationEssentials

/// One frame of a WebSocket, as it is sent (RFC 6455 §5).
struct WebSocketFrame: Equatable, Sendable {
    enum Opcode: UInt8, Sendable {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue >= 0x8 }
    }

    var opcode: Opcode
    var isFinal = true
    var payload = Data()

    /// The bytes of the frame. A client masks its frames (§5.3), so that nobody can make it send a
    /// certain row of bytes.
    ///
    /// - Parameter mask: Four random bytes.
    func encoded(mask: [UInt8]) -> Data {
        var bytes = Data(capacity: payload.count + 14)
        bytes.append(opcode.rawValue | (isFinal ? 0x80 : 0))
        switch payload.count {
        case ..<126:
            bytes.append(0x80 | UInt8(payload.count))
        case ..<65536:
            bytes.append(0x80 | 126)
            bytes.append(contentsOf: [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
        default:
            bytes.append(0x80 | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: mask)
        let start = bytes.count
        bytes.append(payload)
        bytes.withUnsafeMutableBytes { bytes in
            for index in start..<bytes.count { bytes[index] ^= mask[(index - start) & 3] }
        }
        return bytes
    }

    /// The frame that ends a connection. `reason` is cut to what fits.
    static func close(_ code: UInt16, reason: Data?) -> WebSocketFrame {
        guard code != 0 else { return WebSocketFrame(opcode: .close) }
        let payload = Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + (reason ?? Data()).prefix(123)
        return WebSocketFrame(opcode: .close, payload: payload)
    }
}

/// Puts messages together from the bytes that a server sends.
///
/// Whatever breaks the protocol is refused with the code the connection is to be closed with; nothing
/// is taken after that.
struct WebSocketReader: Sendable {
    enum Arrival: Equatable, Sendable {
        case text(String)
        case binary(Data)
        case ping(Data)
        case pong(Data)
        /// `code` is nil when the server gave none.
        case close(code: UInt16?, reason: Data)
    }

    /// Why a connection has to be closed.
    enum Refusal: UInt16, Error {
        case protocolError = 1002
        case invalidText = 1007
        case messageTooBig = 1009
    }

    /// No message may be longer, in bytes.
    var largestMessage: Int
    private var unread = Data()
    /// How many bytes at the start of `unread` were read.
    private var position = 0
    private var message = Data()
    private var messageOpcode: WebSocketFrame.Opcode?

    private var isRefused = false

    init(largestMessage: Int) {
        self.largestMessage = largestMessage
    }

    /// Takes bytes as they come, cut anywhere. Returns what became complete, in order.
    mutating func append(_ bytes: Data) -> (arrivals: [Arrival], refusal: Refusal?) {
        guard !isRefused else { return ([], nil) }
        unread.append(bytes)
        var arrivals: [Arrival] = []
        do throws(Refusal) {
            while let frame = try nextFrame() {
                if let arrival = try take(frame) { arrivals.append(arrival) }
            }
            // Once for all frames: a server may pack thousands of them into one piece.
            unread = Data(unread.dropFirst(position))
            position = 0
            return (arrivals, nil)
        } catch {
            isRefused = true
            unread = Data()
            position = 0
            message = Data()
            return (arrivals, error)
        }
    }

    private mutating func nextFrame() throws(Refusal) -> WebSocketFrame? {
        let rest = unread.dropFirst(position)
        guard rest.count >= 2 else { return nil }
        let first = rest[rest.startIndex]
        let second = rest[rest.startIndex + 1]
        // Nothing was negotiated that would use the reserved bits, and servers do not mask.
        guard first & 0x70 == 0, second & 0x80 == 0,
            let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F)
        else { throw .protocolError }
        let isFinal = first & 0x80 != 0
        let lengthByteCount =
            switch second {
            case 126: 2
            case 127: 8
            default: 0
            }
        guard rest.count >= 2 + lengthByteCount else { return nil }
        let length =
            lengthByteCount == 0
            ? UInt64(second)
            : rest.dropFirst(2).prefix(lengthByteCount).reduce(0) { $0 << 8 | UInt64($1) }
        if opcode.isControl, !isFinal || length > 125 { throw .protocolError }
        guard length <= UInt64(max(0, largestMessage - message.count)) || opcode.isControl else {
            throw .messageTooBig
        }
        let headByteCount = 2 + lengthByteCount
        guard rest.count >= headByteCount + Int(length) else { return nil }
        position += headByteCount + Int(length)
        return WebSocketFrame(
            opcode: opcode, isFinal: isFinal,
            payload: Data(rest.dropFirst(headByteCount).prefix(Int(length))))
    }

    private mutating func take(_ frame: WebSocketFrame) throws(Refusal) -> Arrival? {
        switch frame.opcode {
        case .ping: return .ping(frame.payload)
        case .pong: return .pong(frame.payload)
        case .close: return try closing(frame.payload)
        case .continuation:
            guard messageOpcode != nil else { throw .protocolError }
        case .text, .binary:
            guard messageOpcode == nil else { throw .protocolError }
            messageOpcode = frame.opcode
        }
        message.append(frame.payload)
        guard frame.isFinal else { return nil }
        defer {
            message = Data()
            messageOpcode = nil
        }
        guard messageOpcode == .text else { return .binary(message) }
        guard let text = String(validating: message, as: UTF8.self) else { throw .invalidText }
        return .text(text)
    }

    private func closing(_ payload: Data) throws(Refusal) -> Arrival {
        if payload.isEmpty { return .close(code: nil, reason: Data()) }
        guard payload.count >= 2 else { throw .protocolError }
        let code = payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        guard URLSessionWebSocketTask.CloseCode(code).isSendable else { throw .protocolError }
        let reason = Data(payload.dropFirst(2))
        guard String(validating: reason, as: UTF8.self) != nil else { throw .invalidText }
        return .close(code: code, reason: reason)
    }
}
