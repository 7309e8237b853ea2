public import FoundationEssentials

/// A picture of a kind that can be opened, known by its first bytes whatever its name says.
///
/// Its methods decode on the calling thread, in this process. A program that opens what others have
/// sent decodes apart: see ``PictureWorkers``.
public struct PictureFile: Sendable {
    let source: PictureSource

    /// How a small picture is written.
    public enum Format: Sendable, Equatable {
        case jpeg(quality: Double)
        case png
    }

    /// How the picture is called in errors: the file's name.
    public var name: String { source.name }

    public init(at url: URL) {
        source = PictureSource(at: url)
    }

    public init(data: Data, name: String = "picture") {
        source = PictureSource(.memory(data), name: name)
    }

    init(_ source: PictureSource) { self.source = source }

    /// Reads what the picture says about itself; no library sees a byte of it.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func facts() throws(PictureError) -> PictureFacts {
        let operation = "read \(name)"
        return try source.withBytes(to: operation) { bytes throws(PictureError) in
            try PictureFacts(bytes, to: operation)
        }
    }

    /// Reads what the picture says about how it was taken; of a PNG its size.
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

    /// The size as shown, in pixels.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func size() throws(PictureError) -> PixelSize { try facts().size }

    /// Decodes the picture upright at the size chosen for it, never enlarged.
    ///
    /// What is missing of a picture that is cut short or damaged is gray.
    ///
    /// - Parameters:
    ///   - keepsAlpha: false puts what is transparent on white.
    ///   - chooseSize: From the size as shown to the size wanted, of the same shape.
    /// - Throws: `PictureError`; `.tooLarge` also when the result itself would be.
    public func decode(
        keepsAlpha: Bool = false, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPicture {
        switch try format() {
        case let format where format.needsLibrary:
            return try LibraryFile(source: source, format: format).decode(
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

    /// Makes the picture small and writes it.
    ///
    /// What is transparent stays so in a PNG and is white in a JPEG.
    ///
    /// - Parameter chooseSize: From the size as shown to the size wanted, of the same shape; nothing is
    ///   enlarged.
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

/// A decoded picture, and what it was made of.
public struct DecodedPicture: Sendable {
    /// The pixels, upright.
    public let image: PixelImage
    /// The size in pixels of the whole picture, as shown.
    public let fullSize: PixelSize
    /// Whether some of it may be transparent.
    public let hasAlpha: Bool
    /// Whether some of the picture was missing or broken in the file.
    public let isDamaged: Bool
}
