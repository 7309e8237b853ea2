import FoundationEssentials

/// A TIFF structure: numbers in either byte order, offsets from its first byte.
struct TIFF {
    private let bytes: ArraySlice<UInt8>
    let isLittleEndian: Bool

    /// The offset of the first directory.
    var firstDirectory: Int { number(at: 4, byteCount: 4) ?? 0 }

    init?(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        switch bytes.prefix(2).map({ $0 }) {
        case [0x49, 0x49]: isLittleEndian = true
        case [0x4D, 0x4D]: isLittleEndian = false
        default: return nil
        }
        guard number(at: 2, byteCount: 2) == 42 else { return nil }
    }

    /// The integer entries of a directory by tag, and the offset of the next directory (0: none). Pointers
    /// are integers, too; entries of other types are omitted.
    func directory(at offset: Int) -> (entries: [Int: Int], next: Int) {
        guard offset >= 8, let count = number(at: offset, byteCount: 2) else { return ([:], 0) }
        var entries: [Int: Int] = [:]
        for index in 0..<count {
            let entry = offset + 2 + index * 12
            guard let tag = number(at: entry, byteCount: 2),
                let type = number(at: entry + 2, byteCount: 2)
            else { break }
            let value: Int? =
                switch type {
                case 3: number(at: entry + 8, byteCount: 2)
                case 4, 13: number(at: entry + 8, byteCount: 4)
                default: nil
                }
            if let value, entries[tag] == nil { entries[tag] = value }
        }
        return (entries, number(at: offset + 2 + count * 12, byteCount: 4) ?? 0)
    }

    /// A range of bytes that looks like a JPEG.
    func data(at offset: Int, count: Int) -> Data? {
        guard offset >= 8, count > 2, offset <= bytes.count - count else { return nil }
        let start = bytes.startIndex + offset
        guard bytes[start] == 0xFF, bytes[start + 1] == 0xD8 else { return nil }
        return Data(bytes[start..<start + count])
    }

    func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        let start = bytes.startIndex + offset
        let digits = bytes[start..<start + byteCount]
        return isLittleEndian
            ? digits.reversed().reduce(0) { $0 << 8 | Int($1) }
            : digits.reduce(0) { $0 << 8 | Int($1) }
    }

    /// An unparsed entry of any type.
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// The range of its value in the structure; it is complete.
        let value: Range<Int>
    }

    /// The entries of a directory whose values are within the structure, in order.
    ///
    /// - Parameter limit: The maximum number examined.
    func entries(at offset: Int, limit: Int = 1_000) -> [Entry] {
        guard offset >= 8, let count = number(at: offset, byteCount: 2) else { return [] }
        var entries: [Entry] = []
        for index in 0..<min(count, limit) {
            let place = offset + 2 + index * 12
            guard let tag = number(at: place, byteCount: 2),
                let type = number(at: place + 2, byteCount: 2),
                let count = number(at: place + 4, byteCount: 4),
                let pointer = number(at: place + 8, byteCount: 4)
            else { break }
            guard let unit = Self.byteCounts[type], count <= bytes.count else { continue }
            let byteCount = unit * count
            let start = byteCount <= 4 ? place + 8 : pointer
            guard start >= 8, byteCount <= bytes.count, start <= bytes.count - byteCount else {
                continue
            }
            entries.append(
                Entry(tag: tag, type: type, count: count, value: start..<start + byteCount))
        }
        return entries
    }

    /// A range of bytes; nil if it is not within the structure.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= bytes.count - count else { return nil }
        let start = bytes.startIndex + offset
        return Array(bytes[start..<start + count])
    }

    /// The bytes at a place of the structure.
    func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }

    /// Of one value of a type; nil for an unknown one.
    static func byteCount(ofType type: Int) -> Int? { byteCounts[type] }

    /// Of one value of each type. Source: TIFF 6.0, section 2.
    private static let byteCounts = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4,
    ]
}
