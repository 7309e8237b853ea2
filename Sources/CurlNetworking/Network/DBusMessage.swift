/// The subset of the D-Bus wire format needed to read one property (D-Bus Specification, "Message Protocol").
/// Little-endian, like all supported machines.
struct DBusMessage {
    private(set) var bytes: [UInt8] = []

    enum Field: UInt8 {
        case path = 1
        case interface = 2
        case member = 3
        case replySerial = 5
        case destination = 6
        case signature = 8
    }

    /// Creates a method call with string arguments.
    static func call(
        _ member: String, of interface: String, at path: String, on destination: String,
        serial: UInt32, arguments: [String] = []
    ) -> [UInt8] {
        var body = DBusMessage()
        for argument in arguments { body.append(string: argument) }
        var fields = DBusMessage()
        fields.append(field: .path, type: "o", path)
        fields.append(field: .interface, type: "s", interface)
        fields.append(field: .member, type: "s", member)
        fields.append(field: .destination, type: "s", destination)
        if !arguments.isEmpty {
            fields.pad(to: 8)
            fields.bytes += [Field.signature.rawValue, 1, UInt8(ascii: "g"), 0]
            fields.append(signature: String(repeating: "s", count: arguments.count))
        }
        var message = DBusMessage()
        message.bytes = [UInt8(ascii: "l"), 1, 0, 1]
        message.append(UInt32(body.bytes.count))
        message.append(serial)
        message.append(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.pad(to: 8)
        return message.bytes + body.bytes
    }

    private mutating func pad(to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    private mutating func append(_ number: UInt32) {
        pad(to: 4)
        for shift in stride(from: 0, through: 24, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
        }
    }

    private mutating func append(string: String) {
        append(UInt32(string.utf8.count))
        bytes += Array(string.utf8) + [0]
    }

    private mutating func append(signature: String) {
        bytes += [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
    }

    /// Fields are aligned to 8 bytes, as is their array.
    private mutating func append(field: Field, type: String, _ value: String) {
        pad(to: 8)
        bytes.append(field.rawValue)
        append(signature: type)
        append(string: value)
    }

    // MARK: - Replies

    struct Reply: Equatable {
        var isReturn: Bool
        var replySerial: UInt32?
        var body: [UInt8]

        /// The number in a body that is a variant with one value (signature `u`).
        var number: UInt32? {
            guard body.count == 8, body.starts(with: [1, UInt8(ascii: "u"), 0]) else { return nil }
            return DBusMessage.number(body[4...])
        }
    }

    static let headByteCount = 16
    /// The maximum length of an expected reply.
    private static let largestByteCount = 64 << 10

    /// Returns the length of a message from its first 16 bytes; nil if they are invalid.
    static func byteCount(of head: [UInt8]) -> Int? {
        guard head.count >= headByteCount, head[0] == UInt8(ascii: "l"), head[3] == 1,
            let body = number(head[4...]), let fields = number(head[12...]),
            body <= largestByteCount, fields <= largestByteCount
        else { return nil }
        return headByteCount + (Int(fields) + 7) / 8 * 8 + Int(body)
    }

    /// Parses a reply.
    ///
    /// - Parameter bytes: A complete message.
    static func reply(_ bytes: [UInt8]) -> Reply? {
        guard let count = byteCount(of: bytes), count == bytes.count, let body = number(bytes[4...])
        else { return nil }
        // Only the field with a plain number is needed; it is found by its tag.
        let fields = bytes[headByteCount..<(bytes.count - Int(body))]
        let tag: [UInt8] = [Field.replySerial.rawValue, 1, UInt8(ascii: "u"), 0]
        let place = stride(from: fields.startIndex, to: fields.endIndex - 7, by: 8)
            .first { fields[$0...].starts(with: tag) }
        return Reply(
            isReturn: bytes[1] == 2, replySerial: place.flatMap { number(fields[($0 + 4)...]) },
            body: Array(bytes.suffix(Int(body))))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        return bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
