import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// One case of Autobahn's fuzzing server: what a server sends, and what a client that echoes each message makes
/// of it.
struct AutobahnCase: Sendable, CustomTestStringConvertible {
    /// What a client sends; a ping is among what no case expects.
    enum Event: Equatable, Sendable {
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(code: Int?)
        /// Not masked, in parts, or with a length in more bytes than it needs.
        case malformed
    }

    struct Frame: Sendable {
        var opcode: UInt8
        var payload: [UInt8] = []
        var isFinal = true
        var reserved: UInt8 = 0

        var bytes: [UInt8] {
            let first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
            let count = payload.count
            var bytes =
                switch count {
                case ..<126: [first, UInt8(count)]
                case ..<65536: [first, 126, UInt8(count >> 8), UInt8(count & 0xFF)]
                default: [first, 127] + withUnsafeBytes(of: UInt64(count).bigEndian, Array.init)
                }
            bytes += payload
            return bytes
        }
    }

    enum Pieces: Sendable {
        case whole
        case perFrame
        case of(Int)
    }

    enum Step: Sendable {
        case send([Frame], Pieces)
        /// Bytes that are no whole frames.
        case sendBytes([UInt8])
        /// Reads until the client has sent this many frames.
        case await(Int)
    }

    enum Ending: Sendable {
        /// The server says goodbye once it has what it expects, and so does the client.
        case normal
        /// The steps contain a goodbye, which is answered with one of these codes.
        case answered([Int?])
        /// The client closes the connection, with this code.
        case refused(Int)
    }

    let number: String
    var steps: [Step]
    /// What the client sends before a goodbye, in this order.
    var events: [Event] = []
    /// What its user gets, in this order.
    var messages: [Event] = []
    var ending = Ending.normal
    /// Whether echoes may be lost because the connection is closed before them: Autobahn has both as well.
    var mayMissEvents = false

    var testDescription: String { number }
    var group: Int { Int(number.prefix { $0 != "." }) ?? 0 }
}

// MARK: - Playing

extension AutobahnCase {
    func check(_ location: SourceLocation = #_sourceLocation) async throws {
        let sent = Mutex<[Event]>([])
        let finished = Signal()
        let server = try LoopbackServer { peer in
            let events = serve(peer)
            sent.withLock { $0 = events }
            finished.add()
        }
        let delegate = WebSocketRecorder()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.webSocketTask(with: webSocketURL(server))
        task.maximumMessageSize = 16 << 20
        task.resume()
        var received: [Event] = []
        while let message = try? await task.receive() {
            switch message {
            case .string(let text): received.append(.text(Array(text.utf8)))
            case .data(let data): received.append(.binary(Array(data)))
            }
            try? await task.send(message)
        }
        await delegate.completed.wait()
        await finished.wait()

        #expect(received == messages, sourceLocation: location)
        var events = sent.withLock { $0 }
        let goodbye = events.popLast()
        if mayMissEvents {
            #expect(self.events.starts(with: events), sourceLocation: location)
        } else {
            #expect(events == self.events, sourceLocation: location)
        }
        let allowed: [Event] =
            switch ending {
            case .normal: [.close(code: 1000)]
            case .answered(let codes): codes.map { .close(code: $0) }
            case .refused(let code): [.close(code: code)]
            }
        #expect(
            goodbye.map(allowed.contains) == true, "\(goodbye as Any)", sourceLocation: location)
        #expect(task.error == nil, sourceLocation: location)
    }

    /// Plays the server. Returns all that the client has sent, its goodbye last.
    private func serve(_ peer: LoopbackPeer) -> [Event] {
        guard let head = peer.readHead() else { return [] }
        let name = "sec-websocket-key: "
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
        peer.send(agree(toKey: line.map { String($0.dropFirst(name.count)) }))
        var events: [Event] = []
        /// Reads one more frame, unless the client has said goodbye or has gone.
        func read() -> Bool {
            if case .close = events.last { return false }
            guard let event = Self.readEvent(peer) else { return false }
            events.append(event)
            return true
        }
        for step in steps {
            switch step {
            case .send(let frames, .whole): peer.send(frames.flatMap(\.bytes))
            case .send(let frames, .perFrame): for frame in frames { peer.send(frame.bytes) }
            case .send(let frames, .of(let count)):
                let bytes = frames.flatMap(\.bytes)
                for start in stride(from: 0, to: bytes.count, by: count) {
                    peer.send(Array(bytes[start..<min(start + count, bytes.count)]))
                }
            case .sendBytes(let bytes): peer.send(bytes)
            case .await(let count): while events.count < count, read() {}
            }
        }
        if case .normal = ending {
            while events.count < self.events.count, read() {}
            peer.send(Frame(opcode: 8, payload: [0x03, 0xE8]).bytes)
        }
        while read() {}
        if case .refused = ending {
            // After both close frames, the server closes first (RFC 6455 §7.1.1).
            if case .close(let code?) = events.last {
                peer.send(Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)]).bytes)
            }
            return events
        }
        peer.readToEnd()
        return events
    }

    private static func readEvent(_ peer: LoopbackPeer) -> Event? {
        guard let head = peer.read(2) else { return nil }
        var count = Int(head[1] & 0x7F)
        if count >= 126 {
            guard let bytes = peer.read(count == 126 ? 2 : 8) else { return nil }
            let long = bytes.reduce(0) { $0 << 8 | Int($1) }
            guard long >= (count == 126 ? 126 : 65536) else { return .malformed }
            count = long
        }
        guard head[0] & 0xF0 == 0x80, head[1] & 0x80 != 0 else { return .malformed }
        guard let mask = peer.read(4), var payload = peer.read(count) else { return nil }
        unmask(&payload, mask)
        switch head[0] & 0x0F {
        case 1: return .text(payload)
        case 2: return .binary(payload)
        case 8:
            return .close(
                code: payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil)
        case 9: return .ping(payload)
        case 10: return .pong(payload)
        default: return .malformed
        }
    }

    /// Eight bytes at once, because some messages are long.
    private static func unmask(_ payload: inout [UInt8], _ mask: [UInt8]) {
        let word = (mask + mask).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.bigEndian
        payload.withUnsafeMutableBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                bytes.storeBytes(of: value ^ word, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < bytes.count {
                bytes[index] ^= mask[index & 3]
                index += 1
            }
        }
    }
}

// MARK: - Writing cases

extension AutobahnCase {
    static let hello = Array("Hello, world!".utf8)

    static func text(
        _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0
    ) -> Frame {
        Frame(opcode: 1, payload: payload, isFinal: isFinal, reserved: reserved)
    }

    static func text(_ payload: String, isFinal: Bool = true) -> Frame {
        text(Array(payload.utf8), isFinal: isFinal)
    }

    static func binary(_ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0) -> Frame {
        Frame(opcode: 2, payload: payload, isFinal: isFinal, reserved: reserved)
    }

    static func more(_ payload: [UInt8], isFinal: Bool = false) -> Frame {
        Frame(opcode: 0, payload: payload, isFinal: isFinal)
    }

    static func more(_ payload: String, isFinal: Bool = false) -> Frame {
        more(Array(payload.utf8), isFinal: isFinal)
    }

    static func ping(_ payload: [UInt8] = []) -> Frame { Frame(opcode: 9, payload: payload) }
    static func ping(_ payload: String) -> Frame { ping(Array(payload.utf8)) }
    static func pong(_ payload: String = "") -> Frame {
        Frame(opcode: 10, payload: Array(payload.utf8))
    }

    static func close(_ code: UInt16?, _ reason: [UInt8] = []) -> Frame {
        Frame(
            opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
    }

    /// Messages that come back.
    static func echo(
        _ number: String, _ frames: [Frame], _ pieces: Pieces, _ messages: [Event]
    ) -> AutobahnCase {
        AutobahnCase(
            number: number, steps: [.send(frames, pieces)], events: messages, messages: messages)
    }

    static func echo(_ number: String, _ frames: [Frame], _ messages: [Event]) -> AutobahnCase {
        echo(number, frames, .whole, messages)
    }

    /// Frames after which the client closes the connection.
    static func refused(
        _ number: String, _ frames: [Frame], _ pieces: Pieces = .whole, code: Int = 1002,
        after messages: [Event] = []
    ) -> AutobahnCase {
        AutobahnCase(
            number: number, steps: [.send(frames, pieces)], events: messages, messages: messages,
            ending: .refused(code), mayMissEvents: true)
    }
}
