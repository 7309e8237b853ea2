/// A scalar read from bytes that ought to be UTF-8.
struct DecodedScalar {
    /// The scalar, or the byte itself when `isValid` is false.
    var value: UInt32
    /// Bytes it takes, 1…4; an invalid byte of UTF-8 stands alone.
    var length: Int
    var isValid: Bool
}

/// Lenient decoding: every invalid byte is an item of its own, so that text of any origin can be
/// edited and saved without changing a byte of it.
enum UTF8Decoding {
    /// Reads the scalar at `offset`, which must be inside `bytes`.
    @inline(__always)
    static func scalar(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> DecodedScalar {
        let first = bytes[offset]
        if first < 0x80 {
            return DecodedScalar(value: UInt32(first), length: 1, isValid: true)
        }
        return multibyteScalar(in: bytes, at: offset, first: first)
    }

    static func multibyteScalar(
        in bytes: UnsafeBufferPointer<UInt8>, at offset: Int, first: UInt8
    ) -> DecodedScalar {
        let invalid = DecodedScalar(value: UInt32(first), length: 1, isValid: false)
        let rest = bytes.count &- offset
        switch first {
        case 0xC2...0xDF:
            guard rest >= 2, let a = tail(bytes[offset &+ 1]) else { return invalid }
            return DecodedScalar(value: UInt32(first & 0x1F) << 6 | a, length: 2, isValid: true)
        case 0xE0...0xEF:
            guard rest >= 3, let a = tail(bytes[offset &+ 1]), let b = tail(bytes[offset &+ 2])
            else { return invalid }
            let value = UInt32(first & 0x0F) << 12 | a << 6 | b
            guard value >= 0x800, value & 0xFFFF_F800 != 0xD800 else { return invalid }
            return DecodedScalar(value: value, length: 3, isValid: true)
        case 0xF0...0xF4:
            guard rest >= 4, let a = tail(bytes[offset &+ 1]), let b = tail(bytes[offset &+ 2]),
                let c = tail(bytes[offset &+ 3])
            else { return invalid }
            let value = UInt32(first & 0x07) << 18 | a << 12 | b << 6 | c
            guard value >= 0x10000, value < 0x110000 else { return invalid }
            return DecodedScalar(value: value, length: 4, isValid: true)
        default:
            return invalid
        }
    }

    /// Reads the scalar that ends at `offset`, which must be above 0.
    static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, endingAt offset: Int
    ) -> DecodedScalar {
        let last = bytes[offset &- 1]
        if last < 0x80 { return DecodedScalar(value: UInt32(last), length: 1, isValid: true) }
        let window = UnsafeBufferPointer(rebasing: bytes[..<offset])
        var start = offset &- 2
        while start >= 0, start >= offset &- 4 {
            if bytes[start] & 0xC0 != 0x80 {
                let found = scalar(in: window, at: start)
                if found.isValid, start &+ found.length == offset { return found }
                break
            }
            start &-= 1
        }
        return DecodedScalar(value: UInt32(last), length: 1, isValid: false)
    }

    /// Where the scalar begins that has a byte at `offset`, which must be inside `bytes`.
    static func scalarStart(in bytes: UnsafeBufferPointer<UInt8>, of offset: Int) -> Int {
        var start = offset
        while start > 0, start > offset &- 3, bytes[start] & 0xC0 == 0x80 { start &-= 1 }
        return start &+ scalar(in: bytes, at: start).length > offset ? start : offset
    }

    @inline(__always)
    private static func tail(_ byte: UInt8) -> UInt32? {
        byte & 0xC0 == 0x80 ? UInt32(byte & 0x3F) : nil
    }
}
