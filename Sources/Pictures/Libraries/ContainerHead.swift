import FoundationEssentials

/// What a WebP or HEIF file says about its picture beside the pixels.
///
/// Read by ourselves, as `JPEGHead` is: sizes are known before a library sees the file.
struct ContainerHead: Sendable {
    /// In pixels, as the library gives them.
    var storedSize: PixelSize
    /// Only WebP leaves turning to who shows it. A HEIF picture says in properties of its own how it is turned,
    /// which the library does; what its EXIF says about that does not count.
    var orientation = Orientation.up
    /// Whether all pixels are in memory while it is decoded, however small it is shown.
    var isLossless = false
    /// Where in the file the EXIF is that begins with its TIFF header.
    var exifRange: Range<Int>?
    /// As the content of an APP1 marker, which is how `Exif` takes it.
    var exif: [UInt8]?
    /// As the content of an APP1 marker, which is how `PanoramaFacts` takes it.
    var xmp: [UInt8]?
    var profile: Data?

    init(storedSize: PixelSize) { self.storedSize = storedSize }

    /// - Parameter format: `.webp`, `.heic` or `.avif`.
    /// - Throws: `PictureError`: `.truncated`, `.damaged`, `.unsupported`, `.tooLarge`, `.unreadable` or
    ///   `.cancelled`.
    init(
        _ bytes: PictureBytes, as format: FileFormat, to operation: String
    ) throws(PictureError) {
        if format == .webp {
            self = try WebPContainer.head(of: bytes, to: operation)
        } else {
            self = try HEIFContainer.head(of: bytes, to: operation)
        }
        let size = storedSize
        guard size.width > 0, size.height > 0 else {
            throw PictureError(.damaged, operation: operation, detail: size.description)
        }
        guard max(size.width, size.height) <= 1 << 16,
            size.pixelCount <= PictureLimits.libraryPixelCount(format, isLossless: isLossless)
        else { throw PictureError(.tooLarge, operation: operation, detail: size.description) }
    }

    /// Takes EXIF as it lies in a file: with or without its signature.
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

    /// The ICC profile when it is one for colors.
    var colorProfile: Data? { profile.flatMap { JPEGDecoder.checked($0, for: "RGB ") } }

    /// Of EXIF and of XMP.
    static let metadataByteLimit = 1 << 20
}

extension PictureLimits {
    /// Pixels of a picture that a library decodes whole: a phone's panorama, and 16,383 × 8,191 of WebP, which
    /// is as much as it can be.
    static func libraryPixelCount(_ format: FileFormat, isLossless: Bool) -> Int {
        format == .webp && !isLossless ? 1 << 27 : 1 << 26
    }

    /// Bytes of a file that a library reads, all of them in memory.
    static let libraryFileByteCount = 128 << 20
}
