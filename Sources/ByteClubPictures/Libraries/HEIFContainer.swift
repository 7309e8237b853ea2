import FoundationEssentials

/// Reads information about the main picture of a HEIF file (HEIC, AVIF).
///
/// Source: ISO/IEC 23008-12, 6 (properties of items); ISO/IEC 14496-12, 8.11 (`meta` and its contents).
enum HEIFContainer {
    /// The size of `meta`: a picture of thousands of tiles has some hundred thousand bytes.
    private static let metaByteLimit = 8 << 20
    private static let boxLimit = 64

    static func head(of bytes: PictureBytes, to operation: String) throws(PictureError)
        -> ContainerHead
    {
        var reader = PictureByteReader(bytes, to: operation)
        for _ in 0..<boxLimit {
            let start = try reader.bytes(8)
            guard start.count == 8 else { break }
            var byteCount = ISOBox.number(start[0..<4])
            var headCount = 8
            if byteCount == 1 {
                let long = try reader.bytes(8)
                guard long.count == 8 else { break }
                guard long[0..<3].allSatisfy({ $0 == 0 }) else {
                    throw reader.error(.damaged, detail: "box")
                }
                byteCount = ISOBox.number(long[...])
                headCount = 16
            }
            // 0: up to the end of the file.
            let contentCount = byteCount == 0 ? metaByteLimit : byteCount - headCount
            guard contentCount >= 0 else { throw reader.error(.damaged, detail: "box") }
            if start[4...].elementsEqual("meta".utf8) {
                guard contentCount <= metaByteLimit else {
                    throw reader.error(.tooCostly, detail: "header")
                }
                let position = reader.position
                let content = try reader.bytes(contentCount)
                guard byteCount == 0 || content.count == contentCount else {
                    throw reader.error(.truncated, detail: "header")
                }
                return try HEIFMeta(content, at: position).head(of: bytes, to: operation)
            }
            guard byteCount != 0 else { break }
            reader.skip(contentCount)
        }
        throw reader.error(.truncated, detail: "no header")
    }

    /// Whether the file is as long as its boxes claim.
    static func isWhole(_ bytes: PictureBytes, to operation: String) throws(PictureError) -> Bool {
        var place = 0
        for _ in 0..<boxLimit where place < bytes.count {
            var reader = PictureByteReader(bytes, from: place, to: operation)
            let start = try reader.bytes(16)
            guard start.count >= 8 else { return false }
            var byteCount = ISOBox.number(start[0..<4])
            if byteCount == 0 { return true }
            if byteCount == 1 {
                guard start.count == 16, start[8] == 0 else { return false }
                byteCount = ISOBox.number(start[8...])
            }
            guard byteCount >= 8, byteCount <= bytes.count - place else { return false }
            place += byteCount
        }
        return true
    }
}

/// A box of the ISO base media file format.
struct ISOBox {
    let type: String
    let content: ArraySlice<UInt8>

    /// The valid boxes in some bytes.
    static func all(in bytes: ArraySlice<UInt8>) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var rest = bytes
        while rest.count >= 8, boxes.count < 1 << 16 {
            let start = rest.startIndex
            var byteCount = number(rest[start..<start + 4])
            var headCount = 8
            if byteCount == 1, rest.count >= 16, rest[start + 8] == 0 {
                byteCount = number(rest[start + 8..<start + 16])
                headCount = 16
            }
            if byteCount == 0 { byteCount = rest.count }
            guard byteCount >= headCount, byteCount <= rest.count else { break }
            boxes.append(
                ISOBox(
                    type: String(decoding: rest[start + 4..<start + 8], as: UTF8.self),
                    content: rest[start + headCount..<start + byteCount]))
            rest = rest[(start + byteCount)...]
        }
        return boxes
    }

    /// A big-endian number.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Reads numbers from the beginning of some bytes; nil at the end.
struct BoxFields {
    private(set) var rest: ArraySlice<UInt8>

    init(_ rest: ArraySlice<UInt8>) { self.rest = rest }

    /// - Parameter byteCount: At most 7: numbers stay positive.
    mutating func number(_ byteCount: Int) -> Int? {
        guard byteCount <= 7 else {
            // No file is that large.
            guard let high = number(byteCount - 4), high == 0 else { return nil }
            return number(4)
        }
        guard rest.count >= byteCount else { return nil }
        defer { rest = rest.dropFirst(byteCount) }
        return ISOBox.number(rest.prefix(byteCount))
    }

    /// The version and the flags of a full box.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        guard let version = number(1), let flags = number(3) else { return nil }
        return (version, flags)
    }
}
