/// One step of a ``LoopbackServer`` on a connection.
public enum LoopbackStep: Sendable {
    /// Reads up to the empty line after a head.
    case readHead
    /// Reads a head and its body.
    case readRequest
    /// Reads this many bytes.
    case read(byteCount: Int)
    case send([UInt8])
    /// Sends in pieces, with a delay before each.
    case trickle([UInt8], pieceByteCount: Int, every: Duration)
    /// Sends one byte repeatedly.
    case fill(UInt8, byteCount: Int)
    /// Waits for the test.
    case wait(LoopbackGate)
    /// Relays both directions to another port of this machine until either side closes.
    case relay(to: UInt16)
    /// The same; when the other side closes, sends these bytes to the client first.
    case relayAndSend(to: UInt16, [UInt8])
    /// Reads without responding until the client closes.
    case stall
    case close
    /// Closes so that the client gets a reset.
    case reset

    /// Sends text.
    public static func send(_ text: String) -> LoopbackStep { .send(Array(text.utf8)) }

    /// Sends a complete response with its length.
    public static func answer(
        _ status: String = "200 OK", _ fields: [String] = [], body: String = ""
    ) -> LoopbackStep {
        .answer(status, fields, body: Array(body.utf8))
    }

    public static func answer(
        _ status: String = "200 OK", _ fields: [String] = [], body: [UInt8]
    ) -> LoopbackStep {
        let lines = ["HTTP/1.1 " + status] + fields + ["Content-Length: \(body.count)", "", ""]
        return .send(Array(lines.joined(separator: "\r\n").utf8) + body)
    }
}

/// A request as received.
public struct LoopbackRequest: Sendable {
    /// The connection's number, from 0.
    public let connection: Int
    /// The exact head, including the empty line.
    public let head: String
    /// The body without any chunking.
    public let body: [UInt8]

    public var lines: [Substring] { head.split(separator: "\r\n") }
    public var method: String { part(0) }
    public var target: String { part(1) }
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a field, in order; its name is case-insensitive.
    public func values(of name: String) -> [String] {
        lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"),
                line[..<colon].lowercased() == name.lowercased()
            else { return nil }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }

    public subscript(name: String) -> String? { values(of: name).first }

    private func part(_ index: Int) -> String {
        let parts = (lines.first ?? "").split(separator: " ")
        return parts.indices.contains(index) ? String(parts[index]) : ""
    }
}
