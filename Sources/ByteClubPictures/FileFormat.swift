internal import ByteClubMessages
public import FoundationEssentials
internal import Glibc

/// The format of a file by its first bytes, whatever its name.
public enum FileFormat: Int, Sendable, CaseIterable {
    case jpeg = 1
    case png
    case heic
    case avif
    case webp
    case gif
    case tiff
    case bitmap
    case jpegXL
    case jpeg2000
    case photoshop
    case cameraRaw
    case svg
    case pdf
    case webPage
    case video
    case archive
    case text
    case pnm

    /// The number of first bytes examined.
    static let beginningByteCount = 512

    /// Nil for an unknown format.
    init?(beginning: [UInt8]) {
        if let (_, format) = Self.signatures.first(where: { beginning.starts(with: $0.0) }) {
            self = format
        } else if let format = Self.container(beginning) ?? Self.pnm(beginning)
            ?? Self.writing(beginning)
        {
            self = format
        } else {
            return nil
        }
    }

    /// The format of a file; nil for an unknown one, or if it cannot be read.
    public init?(of file: URL) {
        guard let input = try? InputFile.opening(file, to: "look at \(file.lastPathComponent)")
        else { return nil }
        let descriptor = input.descriptor
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.beginningByteCount) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        self.init(beginning: bytes)
    }

    /// The extension of a photo in this format; nil for one that is not a photo's.
    public var photoEnding: String? {
        switch self {
        case .jpeg: ".jpg"
        case .png: ".png"
        case .heic: ".heic"
        case .avif: ".avif"
        case .webp: ".webp"
        default: nil
        }
    }

    private static let signatures: [([UInt8], FileFormat)] = [
        ([0xFF, 0xD8], .jpeg),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        (Array("GIF8".utf8), .gif),
        (Array("II*\0".utf8), .tiff),
        (Array("MM\0*".utf8), .tiff),
        (Array("IIRO".utf8), .cameraRaw),
        (Array("IIU\0".utf8), .cameraRaw),
        (Array("FUJIFILM".utf8), .cameraRaw),
        (Array("8BPS".utf8), .photoshop),
        (Array("%PDF-".utf8), .pdf),
        (Array("PK\u{3}\u{4}".utf8), .archive),
        ([0x1F, 0x8B], .archive),
        (Array("Rar!".utf8), .archive),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .archive),
        ([0xFF, 0x0A], .jpegXL),
        ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], .jpegXL),
        ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], .jpeg2000),
        ([0xFF, 0x4F, 0xFF, 0x51], .jpeg2000),
        ([0x1A, 0x45, 0xDF, 0xA3], .video),
    ]

    /// Formats with an identifier after a length.
    ///
    /// Source: ISO/IEC 14496-12, 4.3 (`ftyp` and its major brand); the WebP container's RIFF header.
    private static func container(_ beginning: [UInt8]) -> FileFormat? {
        func text(_ range: Range<Int>) -> String {
            String(
                decoding: beginning.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
        }
        if text(0..<4) == "RIFF" {
            return text(8..<12) == "WEBP" ? .webp : text(8..<12) == "AVI " ? .video : nil
        }
        if text(0..<2) == "BM", beginning.count > 17, beginning[14] >= 12, beginning[15] == 0 {
            return .bitmap
        }
        guard text(4..<8) == "ftyp" else { return nil }
        return switch text(8..<12) {
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": .heic
        case "avif", "avis": .avif
        case "crx ": .cameraRaw
        default: .video
        }
    }

    /// Source: ppm(5), pgm(5).
    private static func pnm(_ beginning: [UInt8]) -> FileFormat? {
        guard beginning.count > 7,
            beginning.starts(with: "P5".utf8) || beginning.starts(with: "P6".utf8),
            beginning[2] == 0x20 || (0x09...0x0D).contains(beginning[2]),
            (0x30...0x39).contains(beginning[3]) || beginning[3] == UInt8(ascii: "#")
        else { return nil }
        return .pnm
    }

    /// Text formats.
    private static func writing(_ beginning: [UInt8]) -> FileFormat? {
        guard !beginning.isEmpty, !beginning.contains(0) else { return nil }
        let text = String(decoding: beginning, as: UTF8.self).lowercased()
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.contains("<svg") { return .svg }
        if start.hasPrefix("<!doctype html") || text.contains("<html") { return .webPage }
        // The last letter may be cut off.
        let isReadable = start.unicodeScalars.dropLast(1).allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{FFFD}"
                || $0.properties.isWhitespace
        }
        return isReadable && beginning.count >= 4 ? .text : nil
    }
}

extension FileFormat {
    /// With its article, for the middle of a sentence.
    public var name: String {
        switch self {
        case .jpeg: localized("a JPEG")
        case .png: localized("a PNG")
        case .heic: localized("a HEIC photo")
        case .avif: localized("an AVIF picture")
        case .webp: localized("a WebP picture")
        case .gif: localized("a GIF")
        case .tiff: localized("a TIFF")
        case .bitmap: localized("a BMP")
        case .jpegXL: localized("a JPEG XL picture")
        case .jpeg2000: localized("a JPEG 2000 picture")
        case .photoshop: localized("a Photoshop file")
        case .cameraRaw: localized("a raw photo")
        case .svg: localized("an SVG drawing")
        case .pdf: localized("a PDF")
        case .webPage: localized("a web page (HTML)")
        case .video: localized("a video")
        case .archive: localized("an archive")
        case .text: localized("a text")
        case .pnm: localized("a PNM picture")
        }
    }
}
