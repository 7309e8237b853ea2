import FoundationEssentials

/// Reads the sizes of GIF, BMP and PNM pictures, and whether such a file has all of its pixels: stb_image takes what is
/// missing for black.
enum SimpleHead {
    static func head(
        of bytes: PictureBytes, as format: FileFormat, to operation: String
    ) throws(PictureError) -> ContainerHead {
        switch format {
        case .gif: try gif(bytes, to: operation)
        case .bitmap: try bitmap(bytes, to: operation)
        default: try pnm(bytes, to: operation)
        }
    }

    // MARK: - GIF

    /// Source: GIF89a, 18 (logical screen), 20 (image descriptor), 22 (image data), 15 (sub-blocks).
    private static func gif(
        _ bytes: PictureBytes, to operation: String
    ) throws(PictureError) -> ContainerHead {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(13)
        guard start.count == 13 else { throw reader.error(.truncated) }
        reader.skip(colorTableByteCount(start[10]))
        while true {
            switch try reader.byte() {
            case 0x2C:
                let descriptor = try reader.bytes(9)
                guard descriptor.count == 9 else { throw reader.error(.truncated) }
                reader.skip(colorTableByteCount(descriptor[8]) + 1)
                try skipSubBlocks(&reader)
                return ContainerHead(
                    storedSize: PixelSize(
                        width: start.littleEndian(at: 6, byteCount: 2),
                        height: start.littleEndian(at: 8, byteCount: 2)))
            case 0x21:
                reader.skip(1)
                try skipSubBlocks(&reader)
            case nil: throw reader.error(.truncated, detail: "no picture")
            default: throw reader.error(.damaged, detail: "block")
            }
        }
    }

    private static func skipSubBlocks(_ reader: inout PictureByteReader) throws(PictureError) {
        while true {
            guard let count = try reader.byte() else { throw reader.error(.truncated) }
            if count == 0 { return }
            reader.skip(Int(count))
        }
    }

    private static func colorTableByteCount(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    // MARK: - BMP

    /// Source: Microsoft's `BITMAPFILEHEADER`, `BITMAPCOREHEADER` and `BITMAPINFOHEADER`.
    private static func bitmap(
        _ bytes: PictureBytes, to operation: String
    ) throws(PictureError) -> ContainerHead {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(34)
        guard start.count >= 26 else { throw reader.error(.truncated) }
        let isCore = start.littleEndian(at: 14, byteCount: 4) == 12
        let size: PixelSize
        if isCore {
            size = PixelSize(
                width: start.littleEndian(at: 18, byteCount: 2),
                height: start.littleEndian(at: 20, byteCount: 2))
        } else {
            guard start.count == 34 else { throw reader.error(.truncated) }
            // The rows of a negative height come from the top.
            let height = Int32(truncatingIfNeeded: start.littleEndian(at: 22, byteCount: 4))
            size = PixelSize(
                width: start.littleEndian(at: 18, byteCount: 4), height: Int(height.magnitude))
        }
        // stb_image takes the wrong bytes for the colors of such a palette.
        guard !isCore || start.littleEndian(at: 24, byteCount: 2) > 8 else {
            throw reader.error(.unsupported, detail: "OS/2 palette")
        }
        let isCompressed = !isCore && [1, 2].contains(start.littleEndian(at: 30, byteCount: 4))
        let bits = start.littleEndian(at: isCore ? 24 : 28, byteCount: 2)
        guard max(size.width, size.height) <= 1 << 18, bits <= 32 else {
            throw reader.error(size.width > 1 << 18 ? .tooLarge : .damaged)
        }
        let rowByteCount = (size.width * bits + 31) / 32 * 4
        let end = start.littleEndian(at: 10, byteCount: 4) + rowByteCount * size.height
        guard isCompressed || end <= bytes.count else { throw reader.error(.truncated) }
        return ContainerHead(storedSize: size)
    }

    // MARK: - PNM

    /// Source: ppm(5) and pgm(5) of Netpbm: `P6`, the width, the height and the maximum, one white space, pixels.
    private static func pnm(
        _ bytes: PictureBytes, to operation: String
    ) throws(PictureError) -> ContainerHead {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(2)
        var numbers: [Int] = []
        while numbers.count < 3 { numbers.append(try number(&reader)) }
        guard (1...65_535).contains(numbers[2]), max(numbers[0], numbers[1]) <= 1 << 18 else {
            throw reader.error(.damaged, detail: "header")
        }
        // stb_image takes samples of any other range for bytes.
        guard numbers[2] == 255 else {
            throw reader.error(.unsupported, detail: "samples up to \(numbers[2])")
        }
        let sampleCount = start == Array("P6".utf8) ? 3 : 1
        guard reader.position + numbers[0] * numbers[1] * sampleCount <= bytes.count else {
            throw reader.error(.truncated)
        }
        return ContainerHead(storedSize: PixelSize(width: numbers[0], height: numbers[1]))
    }

    /// The next number, with the white space after it.
    private static func number(_ reader: inout PictureByteReader) throws(PictureError) -> Int {
        var digits: Int?
        // A comment may be as long as it likes, but no header is.
        for _ in 0..<4096 {
            switch try reader.byte() {
            case let byte? where (0x30...0x39).contains(byte):
                digits = min((digits ?? 0) * 10 + Int(byte - 0x30), 1 << 24)
            case UInt8(ascii: "#") where digits == nil:
                while let byte = try reader.byte(), byte != UInt8(ascii: "\n") {}
            case let byte? where byte == 0x20 || (0x09...0x0D).contains(byte):
                if let digits { return digits }
            case nil: throw reader.error(.truncated)
            default: throw reader.error(.damaged, detail: "header")
            }
        }
        throw reader.error(.damaged, detail: "header")
    }
}
