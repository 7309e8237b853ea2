import FoundationEssentials

/// Reads the chunks of a WebP file.
///
/// Source: WebP Container Specification (developers.google.com/speed/webp/docs/riff_container); RFC 6386, 9.1
/// (lossy); WebP Lossless Bitstream Specification, 3 (lossless).
enum WebPContainer {
    /// More chunks than any picture has are ignored.
    private static let chunkLimit = 4096

    static func head(of bytes: PictureBytes, to operation: String) throws(PictureError)
        -> ContainerHead
    {
        var reader = PictureByteReader(bytes, to: operation)
        reader.skip(12)
        var canvas: PixelSize?
        var head: ContainerHead?
        var (exif, xmp): ((content: [UInt8], start: Int)?, [UInt8]?) = (nil, nil)
        var profile: Data?
        for _ in 0..<chunkLimit {
            let start = try reader.bytes(8)
            // The file ends after its picture.
            guard start.count == 8 else { break }
            let count = start.littleEndian(at: 4, byteCount: 4)
            let next = reader.position + count + count % 2
            switch String(decoding: start[0..<4], as: UTF8.self) {
            case "VP8X":
                let content = try reader.bytes(10)
                guard content.count == 10 else { throw reader.error(.truncated) }
                guard content[0] & 2 == 0 else {
                    throw reader.error(.unsupported, detail: "an animation")
                }
                canvas = PixelSize(
                    width: content.littleEndian(at: 4, byteCount: 3) + 1,
                    height: content.littleEndian(at: 7, byteCount: 3) + 1)
            case "VP8 ":
                let content = try reader.bytes(10)
                guard content.count == 10 else { throw reader.error(.truncated) }
                guard content[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else {
                    throw reader.error(.damaged)
                }
                head = ContainerHead(
                    storedSize: PixelSize(
                        width: content.littleEndian(at: 6, byteCount: 2) & 0x3FFF,
                        height: content.littleEndian(at: 8, byteCount: 2) & 0x3FFF))
            case "VP8L":
                let content = try reader.bytes(5)
                guard content.count == 5 else { throw reader.error(.truncated) }
                guard content[0] == 0x2F else { throw reader.error(.damaged) }
                let bits = content.littleEndian(at: 1, byteCount: 4)
                head = ContainerHead(
                    storedSize: PixelSize(
                        width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1))
                head?.isLossless = true
            case "EXIF" where exif == nil && count <= ContainerHead.metadataByteLimit:
                let start = reader.position
                exif = (try reader.bytes(count), start)
            case "XMP " where xmp == nil && count <= ContainerHead.metadataByteLimit:
                xmp = try reader.bytes(count)
            case "ICCP" where profile == nil && count <= PictureLimits.profileByteCount:
                profile = Data(try reader.bytes(count))
            default: break
            }
            // A chunk may claim to be shorter than what was read of it.
            guard next >= reader.position else { throw reader.error(.damaged, detail: "chunk") }
            reader.skip(next - reader.position)
            // Without an extended header, no chunks follow.
            if head != nil, canvas == nil { break }
        }
        guard var head else { throw reader.error(.truncated, detail: "no picture") }
        if let canvas, canvas != head.storedSize {
            throw reader.error(.damaged, detail: "two sizes")
        }
        if let exif { head.set(exif: exif.content, at: exif.start) }
        if let xmp { head.set(xmp: xmp) }
        head.profile = profile
        head.orientation = head.exif.flatMap { Exif(marker: $0)?.orientation } ?? .up
        return head
    }

    /// Whether the file is as long as it claims.
    static func isWhole(_ bytes: PictureBytes, to operation: String) throws(PictureError) -> Bool {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(8)
        return start.count == 8 && start.littleEndian(at: 4, byteCount: 4) <= bytes.count - 8
    }
}
