public import FoundationEssentials

/// A PNG to be read, in a file or in memory. Making one touches nothing yet.
///
/// Like a ``JPEGFile``, it is read row by row and never held whole; only the rare picture whose rows
/// come in several passes (interlaced) must be, and may be that much smaller.
public struct PNGFile: Sendable {
    let source: PictureSource

    /// How the picture is called in errors: the file's name.
    public var name: String { source.name }

    public init(at url: URL) {
        source = PictureSource(at: url)
    }

    public init(data: Data, name: String = "picture") {
        source = PictureSource(.memory(data), name: name)
    }

    init(_ source: PictureSource) { self.source = source }

    /// The size in pixels.
    ///
    /// - Throws: `PictureError`: `.notAPicture` for other files.
    public func size() throws(PictureError) -> PixelSize {
        try withDecoder(to: "read \(name)") { decoder throws(PictureError) in
            try decoder.readHeader().size
        }
    }

    /// Decodes the picture at the size chosen for it, never enlarged.
    ///
    /// A picture cut short or damaged is shown as far as it goes, the rest gray.
    ///
    /// - Parameters:
    ///   - keepsAlpha: false puts what is transparent on white.
    ///   - chooseSize: From the picture's size to the size wanted, of the same shape.
    /// - Throws: `PictureError`; `.tooLarge` also when the result itself would be.
    public func decode(
        keepsAlpha: Bool, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPNG {
        try withDecoder(to: "show \(name)") { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            let wanted = chooseSize(header.size)
            let size = PixelSize(
                width: min(max(1, wanted.width), header.size.width),
                height: min(max(1, wanted.height), header.size.height))
            guard size.pixelCount <= PictureLimits.decodedPixelCount else {
                throw PictureError(
                    .tooLarge, operation: "show \(name)", detail: size.description)
            }
            let rows = PNGRows(
                header: header, to: size, keepsAlpha: keepsAlpha && header.hasAlpha)
            let (image, isDamaged) = try rows.decode(decoder)
            return DecodedPNG(
                image: image, fullSize: header.size, hasAlpha: keepsAlpha && header.hasAlpha,
                isDamaged: isDamaged)
        }
    }

    func withDecoder<Result>(
        to operation: String, _ body: (borrowing PNGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        try source.withBytes(to: operation) { bytes throws(PictureError) in
            try body(PNGDecoder(reading: bytes, to: operation))
        }
    }
}

/// A decoded PNG.
public struct DecodedPNG: Sendable {
    public let image: PixelImage
    /// The size in pixels of the whole picture.
    public let fullSize: PixelSize
    /// Whether some of it may be transparent.
    public let hasAlpha: Bool
    /// Whether some of the picture was missing or broken in the file.
    public let isDamaged: Bool
}
