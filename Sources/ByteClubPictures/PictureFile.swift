public import FoundationEssentials

/// A picture in a supported format, determined by its first bytes, whatever its name.
///
/// Its methods decode on the calling thread, in this process. For untrusted pictures use ``PictureWorkers``.
public struct PictureFile: Sendable {
    let source: PictureSource

    /// How a small picture is written.
    public enum Format: Sendable, Equatable {
        case jpeg(quality: Double)
        case png
    }

    /// The picture's name in errors: the file's name.
    public var name: String { source.name }

    public init(at url: URL) {
        source = PictureSource(at: url)
    }

    public init(data: Data, name: String = "picture") {
        source = PictureSource(.memory(data), name: name)
    }

    init(_ source: PictureSource) { self.source = source }

    /// Reads the picture's facts, without any library.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func facts() throws(PictureError) -> PictureFacts {
        let operation = "read \(name)"
        return try source.withBytes(to: operation) { bytes throws(PictureError) in
            try PictureFacts(bytes, to: operation)
        }
    }

    /// Reads information about how the picture was taken; only the size of a PNG.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func details() throws(PictureError) -> PictureDetails {
        let operation = "read \(name)"
        return try source.withBytes(to: operation) { bytes throws(PictureError) in
            let facts = try PictureFacts(bytes, to: operation)
            if facts.format.needsLibrary {
                let head = try ContainerHead(bytes, as: facts.format, to: operation)
                return PictureDetails(size: facts.size, exif: head.exif, xmp: head.xmp)
            }
            guard facts.format == .jpeg else { return PictureDetails(size: facts.size) }
            let head = try JPEGHead(bytes, to: operation)
            return PictureDetails(size: facts.size, exif: head.exif, xmp: head.xmp)
        }
    }

    /// The displayed size in pixels.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func size() throws(PictureError) -> PixelSize { try facts().size }

    /// Decodes the picture upright in a chosen size, never enlarged.
    ///
    /// Missing parts of a truncated or damaged picture become gray.
    ///
    /// - Parameters:
    ///   - keepsAlpha: False puts transparent parts on white.
    ///   - chooseSize: Returns the size of the result, with the same aspect ratio, for the displayed size.
    /// - Throws: `PictureError`; `.tooLarge` also if the result would be too large.
    public func decode(
        keepsAlpha: Bool = false, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPicture {
        switch try format() {
        case let format where format.needsLibrary:
            return try DecodablePicture(source: source, format: format).decode(
                keepsAlpha: keepsAlpha, chooseSize)
        case .png:
            let decoded = try PNGFile(source).decode(keepsAlpha: keepsAlpha, chooseSize)
            return DecodedPicture(
                image: decoded.image, fullSize: decoded.fullSize, hasAlpha: decoded.hasAlpha,
                isDamaged: decoded.isDamaged)
        default:
            let decoded = try JPEGFile(source).decode(chooseSize)
            return DecodedPicture(
                image: decoded.image, fullSize: decoded.header.size, hasAlpha: false,
                isDamaged: decoded.isDamaged)
        }
    }

    /// Scales and encodes the picture.
    ///
    /// Transparent parts stay transparent in a PNG and become white in a JPEG.
    ///
    /// - Parameter chooseSize: Returns the size of the result, with the same aspect ratio, for the displayed
    ///   size; nothing is enlarged.
    /// - Throws: `PictureError`: why the picture cannot be read, or `.cancelled`.
    public func data(
        as format: Format, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> Data {
        try small(as: format, chooseSize).data
    }

    func small(
        as format: Format, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> Thumbnail {
        let decoded = try decode(keepsAlpha: format == .png, chooseSize)
        let data: Data
        switch format {
        case .jpeg(let quality): data = try decoded.image.jpegData(quality: quality)
        case .png: data = try decoded.image.pngData(keepsAlpha: decoded.hasAlpha)
        }
        return Thumbnail(data: data, size: decoded.image.size, fullSize: decoded.fullSize)
    }

    func format() throws(PictureError) -> FileFormat {
        let operation = "read \(name)"
        return try source.withBytes(to: operation) { bytes throws(PictureError) in
            try FileFormat.openable(bytes, to: operation)
        }
    }
}

/// A decoded picture with its properties.
public struct DecodedPicture: Sendable {
    /// The pixels, upright.
    public let image: PixelImage
    /// The displayed size of the whole picture in pixels.
    public let fullSize: PixelSize
    /// Whether some of it may be transparent.
    public let hasAlpha: Bool
    /// Whether parts of the picture were missing or damaged.
    public let isDamaged: Bool
}
