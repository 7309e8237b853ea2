import FoundationEssentials

/// Validates UTF-8 that arrives in pieces, and detects the first byte that cannot be valid (RFC 3629 §4).
struct UTF8Validator: Sendable {
    /// Whether the bytes so far can be the beginning of valid text.
    private(set) var isValidSoFar = true
    /// How many bytes the last character still needs.
    private var missingByteCount = 0
    /// The allowed values of the next of them.
    private var next = Self.continuation

    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes so far are valid text.
    var isComplete: Bool { isValidSoFar && missingByteCount == 0 }

    mutating func append(_ bytes: Data) {
        bytes.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count, isValidSoFar {
                // Most text is ASCII: check eight bytes at once.
                if missingByteCount == 0, index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                        & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                } else {
                    take(bytes[index])
                    index += 1
                }
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        guard missingByteCount == 0 else {
            isValidSoFar = next.contains(byte)
            missingByteCount -= 1
            next = Self.continuation
            return
        }
        switch byte {
        case ..<0x80: break
        case 0xC2...0xDF: expect(1)
        case 0xE0: expect(2, 0xA0...0xBF)  // no overlong encodings
        case 0xED: expect(2, 0x80...0x9F)  // no surrogates
        case 0xE1...0xEF: expect(2)
        case 0xF0: expect(3, 0x90...0xBF)
        case 0xF1...0xF3: expect(3)
        case 0xF4: expect(3, 0x80...0x8F)  // nothing above U+10FFFF
        default: isValidSoFar = false
        }
    }

    private mutating func expect(_ count: Int, _ first: ClosedRange<UInt8> = Self.continuation) {
        missingByteCount = count
        next = first
    }
}
