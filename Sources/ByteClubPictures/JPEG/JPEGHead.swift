import FoundationEssentials

/// The parts of a JPEG before its first scan that are needed.
///
/// Parsed here, once and in order, before libjpeg sees the file: libjpeg keeps markers in a list that it
/// traverses from the beginning for each, without a way to cancel. 240,000 empty ones took 43 seconds.
///
/// Invalid parts are skipped: libjpeg decides whether the whole is a picture.
///
/// Source: ITU-T T.81, B.1.1.3 and B.2.4; EXIF 2.32, 4.5.4; ICC.1:2022, B.4.
struct JPEGHead: Sendable {
    /// The content of the first APP1 marker that holds EXIF; others hold XMP.
    private(set) var exif: [UInt8]?

    /// The content of the first APP1 marker that holds XMP.
    private(set) var xmp: [UInt8]?

    /// The assembled ICC profile; nil if it is missing, damaged or too large.
    private(set) var profile: Data?

    /// The end of the first scan's marker as an offset in the file; nil without one.
    private(set) var scanPosition: Int?

    /// The frame header; nil if it is missing or truncated.
    private(set) var frame: JPEGFrame?

    /// The number of components in the first scan; nil if the file ends before it.
    private(set) var scanComponentCount: Int?

    /// - Throws: `PictureError`: `.unreadable`, `.tooLarge` (more bytes than
    ///   `PictureLimits.headerByteCount`), `.tooCostly` (more markers than `markerCount`) or
    ///   `.cancelled`.
    init(_ bytes: PictureBytes, to operation: String) throws(PictureError) {
        // The limit includes bytes between the markers.
        var reader = PictureByteReader(
            bytes, limit: PictureLimits.headerByteCount, to: operation)
        guard try reader.word() == 0xFFD8 else { return }
        var pieces = ProfilePieces()
        var markerCount = 0
        while let code = try reader.marker() {
            markerCount += 1
            guard markerCount <= PictureLimits.markerCount else {
                throw reader.error(
                    .tooCostly, detail: "more than \(PictureLimits.markerCount) markers")
            }
            switch code {
            case 0x01, 0xD0...0xD7:
                // These markers have no content.
                continue
            case 0xD8, 0xD9:
                return
            case 0xDA:
                scanPosition = reader.position
                profile = pieces.joined()
                if try reader.word() != nil { scanComponentCount = try reader.byte().map(Int.init) }
                return
            default:
                guard let length = try reader.word() else { return }
                let count = max(0, length - 2)
                switch code {
                case 0xE1 where exif == nil || xmp == nil:
                    let content = try reader.bytes(count)
                    if exif == nil, content.starts(with: Exif.signature) {
                        exif = content
                    } else if xmp == nil, content.starts(with: PanoramaFacts.signature) {
                        xmp = content
                    }
                case 0xE2:
                    pieces.add(try reader.bytes(count))
                case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(code) && frame == nil:
                    frame = JPEGFrame(code: code, content: try reader.bytes(count))
                default:
                    reader.skip(count)
                }
                guard reader.position <= PictureLimits.headerByteCount else {
                    throw reader.error(.tooLarge, detail: "header")
                }
            }
        }
    }
}

/// The parts of an ICC profile: at most 255, numbered from 1, each with the total number.
private struct ProfilePieces {
    private static let signature = Array("ICC_PROFILE\0".utf8)

    private var pieces: [UInt8: ArraySlice<UInt8>] = [:]
    private var pieceCount: UInt8?
    private var byteCount = 0
    private var isBroken = false

    mutating func add(_ content: [UInt8]) {
        let start = Self.signature.count
        guard !isBroken, content.count > start + 2, content.starts(with: Self.signature) else {
            return
        }
        let (number, count) = (content[start], content[start + 1])
        byteCount += content.count - start - 2
        guard number >= 1, number <= count, count == pieceCount ?? count, pieces[number] == nil,
            byteCount <= PictureLimits.profileByteCount
        else {
            isBroken = true
            pieces = [:]
            return
        }
        pieceCount = count
        pieces[number] = content[(start + 2)...]
    }

    func joined() -> Data? {
        guard !isBroken, let pieceCount, pieces.count == Int(pieceCount) else { return nil }
        return Data((1...pieceCount).compactMap { pieces[$0] }.joined())
    }
}
