import FoundationEssentials

/// Information about the picture in a file that a library decodes.
///
/// Parsed here, like `JPEGHead`: sizes are known before a library sees the file.
struct ContainerHead: Sendable {
    /// In pixels, as decoded by the library.
    var storedSize: PixelSize
    /// Of WebP and TIFF. HEIF has its own properties for it, which the library applies; the EXIF is then ignored.
    var orientation = Orientation.up
    /// Whether decoding keeps all pixels in memory, even for a small result.
    var isLossless = false
    /// The pixels that decoding keeps in memory at once if they are not all: those of a strip, or of a row of tiles.
    var heldPixelCount: Int?
    /// The range of the EXIF in the file, from its TIFF header.
    var exifRange: Range<Int>?
    /// As the content of an APP1 marker, for `Exif`.
    var exif: [UInt8]?
    /// As the content of an APP1 marker, for `PanoramaFacts`.
    var xmp: [UInt8]?
    var profile: Data?

    init(storedSize: PixelSize) { self.storedSize = storedSize }

    /// - Parameter format: One that needs a library.
    /// - Throws: `PictureError`: `.truncated`, `.damaged`, `.unsupported`, `.tooLarge`, `.unreadable` or
    ///   `.cancelled`.
    init(
        _ bytes: PictureBytes, as format: FileFormat, to operation: String
    ) throws(PictureError) {
        self =
            switch format {
            case .webp: try WebPContainer.head(of: bytes, to: operation)
            case .tiff: try TIFFContainer.head(of: bytes, to: operation)
            case .gif, .bitmap, .pnm: try SimpleHead.head(of: bytes, as: format, to: operation)
            default: try HEIFContainer.head(of: bytes, to: operation)
            }
        let size = storedSize
        guard size.width > 0, size.height > 0 else {
            throw PictureError(.damaged, operation: operation, detail: size.description)
        }
        guard max(size.width, size.height) <= 1 << 16,
            size.pixelCount <= PictureLimits.libraryPixelCount(format, isLossless: isLossless),
            heldPixelCount ?? 0 <= PictureLimits.heldPixelCount
        else { throw PictureError(.tooLarge, operation: operation, detail: size.description) }
    }

    /// Sets the EXIF found in a file, with or without its signature.
    mutating func set(exif content: [UInt8], at start: Int) {
        let signature = Exif.signature
        let skipped = content.starts(with: signature) ? signature.count : 0
        let tiff = content.dropFirst(skipped)
        guard tiff.count >= 8 else { return }
        exifRange = start + skipped..<start + content.count
        exif = signature + tiff
    }

    mutating func set(xmp content: [UInt8]) {
        xmp = PanoramaFacts.signature + content
    }

    /// The ICC profile if it is for RGB.
    var colorProfile: Data? { profile.flatMap { JPEGDecoder.checked($0, for: "RGB ") } }

    /// For EXIF and for XMP.
    static let metadataByteLimit = 1 << 20
}

extension PictureLimits {
    /// Pixels of a picture that a library decodes: as a whole a phone's panorama, or WebP's maximum of 16,383 ×
    /// 8,191; in bands of rows more than 16,384 × 8,192.
    static func libraryPixelCount(_ format: FileFormat, isLossless: Bool) -> Int {
        switch format {
        case .webp where !isLossless: 1 << 27
        case .tiff: reencodedPNGPixelCount
        default: 1 << 26
        }
    }

    /// Pixels of a band of rows, all of which are in memory.
    static let heldPixelCount = 1 << 25

    /// Bytes of a file that a library reads into memory.
    static let libraryFileByteCount = 128 << 20
}
