import FoundationEssentials

/// Reads the first directory of a TIFF file, and the EXIF below it.
///
/// Source: TIFF 6.0, sections 2, 8 and 15; EXIF 2.32 (CIPA DC-008), 4.6; Adobe's XMP Specification, part 3, 1.1.3.
enum TIFFContainer {
    private enum Tag {
        static let subfileType = 0xFE
        static let width = 0x100
        static let height = 0x101
        static let compression = 0x103
        static let photometric = 0x106
        static let orientation = 0x112
        static let rowsPerStrip = 0x116
        static let tileHeight = 0x143
        static let xmp = 0x2BC
        static let photo = 0x8769
        static let profile = 0x8773
        static let location = 0x8825
        static let makerNote = 0x927C
        static let dngVersion = 0xC612
        /// Where its pixels are, and other pictures: not for an EXIF.
        static let places: Set = [0x111, 0x117, 0x144, 0x145, 0x14A, photo, location]
    }

    /// Values of the color filter array of a raw photo. Source: TIFF/EP; DNG 1.6, `PhotometricInterpretation`.
    private static let rawPhotometrics: Set = [32_803, 34_892]
    private static let entryLimit = 1_000
    private static let textLimit = 1 << 10

    static func head(of bytes: PictureBytes, to operation: String) throws(PictureError)
        -> ContainerHead
    {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(10)
        guard start.count == 10, let order = TIFF(bytes: start[...]) else {
            throw reader.error(.truncated)
        }
        let file = File(bytes: bytes, isLittleEndian: order.isLittleEndian, operation: operation)
        let main = try file.directory(at: order.firstDirectory)
        guard let width = main.number(Tag.width), let height = main.number(Tag.height) else {
            throw reader.error(
                order.firstDirectory >= bytes.count ? .truncated : .damaged, detail: "no size")
        }
        // The first picture of a raw photo is a small preview.
        let isRaw =
            (main.number(Tag.subfileType) ?? 0) & 1 != 0 || main.has(Tag.dngVersion)
            || main.number(Tag.photometric).map(rawPhotometrics.contains) == true
            || start[8...].elementsEqual("CR".utf8)
        guard !isRaw else {
            throw PictureError(.notAPicture, operation: operation, format: .cameraRaw)
        }
        var head = ContainerHead(storedSize: PixelSize(width: width, height: height))
        head.orientation = main.number(Tag.orientation).flatMap { Orientation(rawValue: $0) } ?? .up
        var bandHeight = main.number(Tag.tileHeight) ?? main.number(Tag.rowsPerStrip) ?? height
        // The library reads a single strip of plain pixels in small ones.
        if !main.has(Tag.tileHeight), bandHeight >= height, main.number(Tag.compression) == 1 {
            bandHeight = 64
        }
        head.heldPixelCount =
            min(width, 1 << 18) * max(1, min(bandHeight, max(1, height), 1 << 18))
        if let profile = try file.bytes(
            of: Tag.profile, in: main, atMost: PictureLimits.profileByteCount)
        {
            head.profile = Data(profile)
        }
        if let xmp = try file.bytes(of: Tag.xmp, in: main, atMost: ContainerHead.metadataByteLimit)
        {
            head.set(xmp: xmp)
        }
        head.exif = try exif(main, of: file)
        return head
    }

    /// What is known of the photo, as an EXIF of its own: in the file, its values may be anywhere.
    private static func exif(_ main: Directory, of file: File) throws(PictureError) -> [UInt8] {
        func kept(_ directory: Directory, without tags: Set<Int>) throws(PictureError)
            -> [TIFFWriter.Entry]
        {
            var kept: [TIFFWriter.Entry] = []
            for entry in directory.entries where !tags.contains(entry.tag) {
                if let value = try file.value(of: entry, atMost: textLimit) {
                    kept.append(
                        TIFFWriter.Entry(
                            tag: entry.tag, type: entry.type, count: entry.count, value: value))
                }
            }
            return kept
        }
        var below: [(pointer: Int, entries: [TIFFWriter.Entry])] = []
        for tag in [Tag.photo, Tag.location] {
            guard let offset = main.number(tag) else { continue }
            let entries = try kept(try file.directory(at: offset), without: [Tag.makerNote])
            if !entries.isEmpty { below.append((tag, entries)) }
        }
        var writer = TIFFWriter(isLittleEndian: file.isLittleEndian)
        writer.write(try kept(main, without: Tag.places), directories: below)
        return Exif.signature + writer.bytes
    }

    /// The entries of a directory, whose values may be elsewhere in the file.
    private struct Directory {
        struct Entry {
            let tag: Int
            let type: Int
            let count: Int
            /// The value, or where it is.
            let field: [UInt8]
            let number: Int
        }

        var entries: [Entry] = []

        func has(_ tag: Int) -> Bool { entries.contains { $0.tag == tag } }

        /// An integer; nil for other types.
        func number(_ tag: Int) -> Int? {
            entries.first { $0.tag == tag && [3, 4, 13].contains($0.type) && $0.count > 0 }?.number
        }
    }

    private struct File {
        let bytes: PictureBytes
        let isLittleEndian: Bool
        let operation: String

        func directory(at offset: Int) throws(PictureError) -> Directory {
            var directory = Directory()
            guard offset >= 8, offset < bytes.count else { return directory }
            var reader = PictureByteReader(bytes, from: offset, to: operation)
            let count = min(number(try reader.bytes(2)), entryLimit)
            var seen: Set<Int> = []
            for _ in 0..<count {
                let entry = try reader.bytes(12)
                guard entry.count == 12 else { break }
                let field = Array(entry[8...])
                let (tag, type) = (number(Array(entry[0..<2])), number(Array(entry[2..<4])))
                // A short number is in the first two bytes of the field.
                guard seen.insert(tag).inserted else { continue }
                directory.entries.append(
                    Directory.Entry(
                        tag: tag, type: type, count: number(Array(entry[4..<8])), field: field,
                        number: number(type == 3 ? Array(field[..<2]) : field)))
            }
            return directory
        }

        /// The bytes of a value; nil if it is too long, of an unknown type or not in the file.
        func value(of entry: Directory.Entry, atMost limit: Int) throws(PictureError) -> [UInt8]? {
            guard let unit = TIFF.byteCount(ofType: entry.type), entry.count <= limit / unit else {
                return nil
            }
            let byteCount = unit * entry.count
            guard byteCount > 4 else { return Array(entry.field[..<byteCount]) }
            let start = number(entry.field)
            guard start >= 8, start <= bytes.count - byteCount else { return nil }
            var reader = PictureByteReader(bytes, from: start, to: operation)
            let value = try reader.bytes(byteCount)
            return value.count == byteCount ? value : nil
        }

        func bytes(
            of tag: Int, in directory: Directory, atMost limit: Int
        ) throws(PictureError) -> [UInt8]? {
            guard let entry = directory.entries.first(where: { $0.tag == tag }) else { return nil }
            return try value(of: entry, atMost: limit)
        }

        private func number(_ digits: [UInt8]) -> Int {
            isLittleEndian
                ? digits.reversed().reduce(0) { $0 << 8 | Int($1) }
                : digits.reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
