import FoundationEssentials

/// A frame that a WebSocket sends (RFC 6455 §5).
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

    /// Returns the bytes of the frame. A client masks its frames (§5.3), so that the bytes on the wire cannot
    /// be chosen by others.
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
        let words = (mask + mask).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        bytes.withUnsafeMutableBytes { bytes in
            var index = start
            // Eight bytes at once: messages may be long.
            while index + 8 <= bytes.count {
                let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                bytes.storeBytes(of: value ^ words, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < bytes.count {
                bytes[index] ^= mask[(index - start) & 3]
                index += 1
            }
        }
        return bytes
    }

    /// Returns a close frame. `reason` is cut to fit.
    static func close(_ code: UInt16, reason: Data?) -> WebSocketFrame {
        guard code != 0 else { return WebSocketFrame(opcode: .close) }
        let payload = Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + (reason ?? Data()).prefix(123)
        return WebSocketFrame(opcode: .close, payload: payload)
    }
}

/// Assembles messages from the bytes that a server sends.
///
/// Protocol violations are reported with the code with which to close the connection. No bytes are accepted
/// afterwards.
struct WebSocketReader: Sendable {
    enum Arrival: Equatable, Sendable {
        case text(String)
        case binary(Data)
        case ping(Data)
        case pong(Data)
        /// `code` is nil if the server sent none.
        case close(code: UInt16?, reason: Data)
    }

    /// Why a connection has to be closed.
    enum Refusal: UInt16, Error {
        case protocolError = 1002
        case invalidText = 1007
        case messageTooBig = 1009
    }

    /// The maximum length of a message in bytes.
    var largestMessage: Int
    /// The bytes of a frame's header that have arrived.
    private var head: [UInt8] = []
    /// The frame whose payload is arriving.
    private var frame: Frame?
    /// The payload of a control frame, which may arrive between the frames of a message.
    private var control = Data()
    private var message = Data()
    private var messageOpcode: WebSocketFrame.Opcode?
    private var text = UTF8Validator()

    /// Whether the connection has to be closed, or the server has sent a close frame: later bytes are ignored
    /// (§1.4).
    private var isOver = false

    private struct Frame: Sendable {
        let opcode: WebSocketFrame.Opcode
        let isFinal: Bool
        /// How much of its payload is still missing.
        var missingByteCount: Int
    }

    init(largestMessage: Int) {
        self.largestMessage = largestMessage
    }

    /// Accepts the next bytes. Returns complete messages and control frames in order.
    ///
    /// Payload bytes are appended directly to their message and never moved or read again, however small the
    /// pieces. Text is rejected at the first invalid byte.
    mutating func append(_ bytes: Data) -> (arrivals: [Arrival], refusal: Refusal?) {
        guard !isOver else { return ([], nil) }
        var arrivals: [Arrival] = []
        var position = bytes.startIndex
        do throws(Refusal) {
            while position < bytes.endIndex, !isOver {
                try readHead(bytes, &position)
                try readPayload(bytes, &position)
                if let arrival = try finishFrame() { arrivals.append(arrival) }
            }
            return (arrivals, nil)
        } catch {
            isOver = true
            frame = nil
            control = Data()
            message = Data()
            return (arrivals, error)
        }
    }

    private mutating func readHead(_ bytes: Data, _ position: inout Int) throws(Refusal) {
        guard frame == nil else { return }
        while head.count < headByteCount {
            guard position < bytes.endIndex else { return }
            head.append(bytes[position])
            position += 1
            if head.count == 2 { try checkHead() }
        }
        guard let opcode = WebSocketFrame.Opcode(rawValue: head[0] & 0x0F) else {
            throw .protocolError
        }
        let length =
            head.count == 2
            ? UInt64(head[1]) : head.dropFirst(2).reduce(0) { $0 << 8 | UInt64($1) }
        let room = opcode.isControl ? 125 : max(0, largestMessage - message.count)
        guard length <= UInt64(room) else {
            throw opcode.isControl ? .protocolError : .messageTooBig
        }
        frame = Frame(
            opcode: opcode, isFinal: head[0] & 0x80 != 0, missingByteCount: Int(length))
        head.removeAll(keepingCapacity: true)
        if opcode == .text || opcode == .binary { messageOpcode = opcode }
    }

    /// The length of the header, as far as it is known.
    private var headByteCount: Int {
        switch head.count < 2 ? 0 : head[1] {
        case 126: 4
        case 127: 10
        default: 2
        }
    }

    /// Validates the first two bytes.
    private func checkHead() throws(Refusal) {
        // No extension uses the reserved bits, and servers must not mask.
        guard head[0] & 0x70 == 0, head[1] & 0x80 == 0 else { throw .protocolError }
        let isFinal = head[0] & 0x80 != 0
        let isLegal =
            switch WebSocketFrame.Opcode(rawValue: head[0] & 0x0F) {
            case .continuation: messageOpcode != nil
            case .text, .binary: messageOpcode == nil
            case .close, .ping, .pong: isFinal && head[1] <= 125
            case nil: false
            }
        guard isLegal else { throw .protocolError }
    }

    private mutating func readPayload(_ bytes: Data, _ position: inout Int) throws(Refusal) {
        guard let frame else { return }
        let count = min(frame.missingByteCount, bytes.endIndex - position)
        let piece = bytes[position..<position + count]
        position += count
        self.frame?.missingByteCount -= count
        if frame.opcode.isControl { return control.append(piece) }
        message.append(piece)
        guard messageOpcode == .text else { return }
        text.append(piece)
        guard text.isValidSoFar else { throw .invalidText }
    }

    private mutating func finishFrame() throws(Refusal) -> Arrival? {
        guard let frame, frame.missingByteCount == 0 else { return nil }
        self.frame = nil
        if frame.opcode.isControl {
            defer { control = Data() }
            switch frame.opcode {
            case .ping: return .ping(control)
            case .pong: return .pong(control)
            default:
                isOver = true
                return try closing(control)
            }
        }
        guard frame.isFinal else { return nil }
        defer {
            message = Data()
            messageOpcode = nil
            text = UTF8Validator()
        }
        guard messageOpcode == .text else { return .binary(message) }
        guard text.isComplete, let text = String(validating: message, as: UTF8.self) else {
            throw .invalidText
        }
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
