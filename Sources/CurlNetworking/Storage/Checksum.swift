/// Detects damaged files. It does not protect against forgery, because anyone who can write the file can
/// compute it.
///
/// It processes eight bytes at a time in reversible steps, so that every change within eight bytes is
/// detected.
struct Checksum: Sendable {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var pending: UInt64 = 0
    private var pendingByteCount: UInt64 = 0
    private var byteCount: UInt64 = 0

    static func of(_ bytes: some Collection<UInt8>) -> UInt64 {
        var sum = Checksum()
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable {
            sum.add(UnsafeRawBufferPointer($0))
        }
        if isContiguous == nil { Array(bytes).withUnsafeBytes { sum.add($0) } }
        return sum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var index = 0
        while index < bytes.count, pendingByteCount > 0 {
            addByte(bytes[index])
            index += 1
        }
        while index + 8 <= bytes.count {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        while index < bytes.count {
            addByte(bytes[index])
            index += 1
        }
    }

    private mutating func addByte(_ byte: UInt8) {
        pending |= UInt64(byte) << (pendingByteCount * 8)
        pendingByteCount += 1
        guard pendingByteCount == 8 else { return }
        mix(pending)
        pending = 0
        pendingByteCount = 0
    }

    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
        state = state << 29 | state >> 35
    }

    /// The checksum of all added bytes.
    var value: UInt64 {
        var end = self
        end.mix(pending)
        end.mix(byteCount)
        return end.state ^ end.state >> 32
    }
}

extension UInt64 {
    /// Sixteen hexadecimal digits.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
