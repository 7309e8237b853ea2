import Foundation

/// Bytes as HTTP's codings wrap them, without any compression: in stored blocks (RFC 1951 §3.2.4).
enum Compressed {
    /// RFC 1951.
    static func rawDeflate(_ data: Data) -> Data {
        var coded = Data()
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            coded.append(rest.isEmpty ? 1 : 0)
            for number in [UInt16(block.count), ~UInt16(block.count)] {
                coded.append(contentsOf: [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            coded.append(block)
        } while !rest.isEmpty
        return coded
    }

    /// RFC 1950, which is what HTTP means by `deflate`.
    static func deflate(_ data: Data) -> Data {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return Data([0x78, 0x01]) + rawDeflate(data) + bigEndian(high << 16 | low)
    }

    /// RFC 1952.
    static func gzip(_ data: Data) -> Data {
        var sum = ~UInt32(0)
        for byte in data {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + rawDeflate(data)
            + bigEndian((~sum).byteSwapped) + bigEndian(UInt32(data.count).byteSwapped)
    }

    private static func bigEndian(_ number: UInt32) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
