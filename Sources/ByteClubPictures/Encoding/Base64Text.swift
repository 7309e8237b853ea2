/// Base64 (RFC 4648), optimized for megabytes per frame.
enum Base64Text {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Two characters for each 12 bits, in memory order.
    private static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(bigEndian: UInt16(alphabet[bits >> 6]) << 8 | UInt16(alphabet[bits & 63]))
    }

    static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let bytes = ContiguousArray(bytes)
        let groupCount = bytes.count / 3
        var result = [UInt8](unsafeUninitializedCapacity: groupCount * 4) { target, count in
            fill(target, groupCount) { group in
                UInt32(bytes[group * 3]) << 16 | UInt32(bytes[group * 3 + 1]) << 8
                    | UInt32(bytes[group * 3 + 2])
            }
            count = groupCount * 4
        }
        let rest = bytes[(groupCount * 3)...]
        guard !rest.isEmpty else { return result }
        let bits = rest.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - rest.count))
        for index in 0..<4 {
            result.append(
                index <= rest.count
                    ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
        }
        return result
    }

    /// Encodes the colors of a picture, three bytes each: four characters per pixel.
    static func encodeColors(of image: PixelImage) -> [UInt8] {
        let pixelCount = image.size.pixelCount
        return image.bytes.withUnsafeBytes { bytes in
            let words = bytes.bindMemory(to: UInt32.self)
            return [UInt8](unsafeUninitializedCapacity: pixelCount * 4) { target, count in
                fill(target, pixelCount) { UInt32(bigEndian: words[$0]) >> 8 }
                count = pixelCount * 4
            }
        }
    }

    @inline(__always)
    private static func fill(
        _ target: UnsafeMutableBufferPointer<UInt8>, _ groupCount: Int, _ bits: (Int) -> UInt32
    ) {
        let raw = UnsafeMutableRawPointer(target.baseAddress)
        guard let out = raw?.assumingMemoryBound(to: UInt8.self), groupCount > 0 else { return }
        pairs.withUnsafeBufferPointer { pairs in
            for group in 0..<groupCount {
                let value = bits(group)
                let (first, second) = (pairs[Int(value >> 12)], pairs[Int(value & 4095)])
                let place = UnsafeMutableRawPointer(out + group * 4)
                place.storeBytes(of: first, as: UInt16.self)
                place.storeBytes(of: second, toByteOffset: 2, as: UInt16.self)
            }
        }
    }
}
