import FoundationEssentials

/// The few facts Byte Club takes from a photo's EXIF block.
///
/// Every offset in it was written by somebody else and is checked; what does not make sense is
/// treated as absent.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.5 to 4.6; TIFF 6.0, section 2.
struct Exif {
    private(set) var orientation: Orientation?
    private(set) var hasLocation = false
    private(set) var thumbnail: Data?

    /// How an APP1 marker's content begins when it is EXIF.
    static let signature = Array("Exif\0\0".utf8)

    /// Reads an APP1 marker's content, or answers nil when it is not EXIF.
    init?(marker: [UInt8]) {
        guard marker.starts(with: Self.signature) else { return nil }
        guard let tiff = TIFF(bytes: marker.dropFirst(Self.signature.count)) else { return nil }

        let main = tiff.directory(at: tiff.firstDirectory)
        orientation = main.entries[0x0112].flatMap { Orientation(rawValue: $0) }
        hasLocation = main.entries[0x8825] != nil

        let second = tiff.directory(at: main.next)
        if let offset = second.entries[0x0201], let count = second.entries[0x0202] {
            thumbnail = tiff.data(at: offset, count: count)
        }
    }
}

/// A TIFF structure: numbers in either byte order, offsets from its first byte.
struct TIFF {
    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool

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

    /// The whole-number entries of a directory by tag, and the offset of the directory after it (0:
    /// none). Pointers are whole numbers too; entries of other types are left out.
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

    /// A stretch of bytes that looks like a JPEG.
    func data(at offset: Int, count: Int) -> Data? {
        guard offset >= 8, count > 2, offset <= bytes.count - count else { return nil }
        let start = bytes.startIndex + offset
        guard bytes[start] == 0xFF, bytes[start + 1] == 0xD8 else { return nil }
        return Data(bytes[start..<start + count])
    }

    /// Bytes that lie inside, or nil.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= bytes.count - count else { return nil }
        let start = bytes.startIndex + offset
        return Array(bytes[start..<start + count])
    }

    func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        let start = bytes.startIndex + offset
        let digits = bytes[start..<start + byteCount]
        return isLittleEndian
            ? digits.reversed().reduce(0) { $0 << 8 | Int($1) }
            : digits.reduce(0) { $0 << 8 | Int($1) }
    }
}
