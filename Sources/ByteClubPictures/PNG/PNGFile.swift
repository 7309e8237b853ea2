public import FoundationEssentials

/// A PNG in a file or in memory. Creating one does not read it.
///
/// Like a ``JPEGFile``, it is read row by row; only a picture whose rows come in several passes (interlaced)
/// is kept in memory, and has a lower size limit.
public struct PNGFile: Sendable {
    let source: PictureSource

    /// The picture's name in errors: the file's name.
    public var name: String { source.name }

    public init(at url: URL) {
        source = PictureSource(at: url)
    }

    public init(data: Data, name: String = "picture") {
        source = PictureSource(.memory(data), name: name)
    }

    init(_ source: PictureSource) { self.source = source }

    /// The size in pixels, upright.
    ///
    /// - Throws: `PictureError`: `.notAPicture` for other files.
    public func size() throws(PictureError) -> PixelSize {
        try withDecoder(to: "read \(name)") { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            return header.orientation.applied(to: header.size)
        }
    }

    /// Decodes the picture upright in a chosen size, never enlarged.
    ///
    /// A truncated or damaged picture is shown as far as possible, the rest gray.
    ///
    /// - Parameters:
    ///   - keepsAlpha: False puts transparent parts on white.
    ///   - chooseSize: Returns the size of the result, with the same aspect ratio, for the picture's size.
    /// - Throws: `PictureError`; `.tooLarge` also if the result would be too large.
    public func decode(
        keepsAlpha: Bool, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPNG {
        try withDecoder(to: "show \(name)") { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            let full = header.orientation.applied(to: header.size)
            let wanted = chooseSize(full)
            let size = PixelSize(
                width: min(max(1, wanted.width), full.width),
                height: min(max(1, wanted.height), full.height))
            guard size.pixelCount <= PictureLimits.decodedPixelCount else {
                throw PictureError(
                    .tooLarge, operation: "show \(name)", detail: size.description)
            }
            let rows = PNGRows(
                header: header, to: header.orientation.applied(to: size),
                keepsAlpha: keepsAlpha && header.hasAlpha)
            let (image, isDamaged) = try rows.decode(decoder)
            return DecodedPNG(
                image: image.oriented(header.orientation), fullSize: full,
                hasAlpha: keepsAlpha && header.hasAlpha,
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
    /// Whether parts of the picture were missing or damaged.
    public let isDamaged: Bool
}
