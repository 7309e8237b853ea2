/// A picture's facts, parsed without any library.
///
/// The numbers are checked against `PictureLimits` when the picture is decoded. Here they determine the
/// limits for decoding.
public struct PictureFacts: Sendable, Equatable {
    /// One of `FileFormat.openable`.
    public let format: FileFormat
    /// In pixels, as stored.
    public let storedSize: PixelSize
    public let orientation: Orientation
    /// Whether all of it must be read before any of it can be shown.
    public let isReadWhole: Bool
    public let componentCount: Int
    /// The size of the file.
    public let byteCount: Int

    /// The memory that libjpeg needs for progressive decoding.
    let coefficientByteCount: Int
    /// The pixels that another library has in memory at once.
    private(set) var heldPixelCount = 0

    /// The displayed size in pixels.
    public var size: PixelSize { orientation.applied(to: storedSize) }

    /// Whether even a small picture takes more than some tenths of a second.
    public var takesLong: Bool {
        let quickPixelCount = format != .jpeg || isReadWhole ? 8 << 20 : 64 << 20
        return storedSize.pixelCount > quickPixelCount || byteCount > 32 << 20
    }

    /// - Throws: `PictureError`: `.empty`, `.notAPicture`, `.truncated`, `.tooLarge`, `.tooCostly`,
    ///   `.unreadable` or `.cancelled`.
    init(_ bytes: PictureBytes, to operation: String) throws(PictureError) {
        switch try FileFormat.openable(bytes, to: operation) {
        case .png: try self.init(png: bytes, to: operation)
        case let format where format.needsLibrary:
            try self.init(container: bytes, format, to: operation)
        default: try self.init(jpeg: bytes, to: operation)
        }
    }

    private init(jpeg bytes: PictureBytes, to operation: String) throws(PictureError) {
        let head = try JPEGHead(bytes, to: operation)
        guard let frame = head.frame, head.scanPosition != nil else {
            throw PictureError(
                head.scanPosition == nil ? .truncated : .damaged, operation: operation,
                detail: "no frame before the first scan")
        }
        format = .jpeg
        byteCount = bytes.count
        storedSize = frame.size
        orientation = head.exif.flatMap { Exif(marker: $0)?.orientation } ?? .up
        componentCount = frame.components.count
        isReadWhole =
            frame.isProgressive || (head.scanComponentCount ?? 0) < frame.components.count
        coefficientByteCount = isReadWhole ? frame.coefficientByteCount : 0
    }

    private init(
        container bytes: PictureBytes, _ format: FileFormat, to operation: String
    ) throws(PictureError) {
        let head = try ContainerHead(bytes, as: format, to: operation)
        self.format = format
        byteCount = bytes.count
        storedSize = head.storedSize
        orientation = head.orientation
        componentCount = 4
        isReadWhole = format != .tiff && (format != .webp || head.isLossless)
        coefficientByteCount = 0
        heldPixelCount = head.heldPixelCount ?? head.storedSize.pixelCount
    }

    /// Source: PNG (third edition), 5.2 and 11.2.2: the signature, then IHDR.
    private init(png bytes: PictureBytes, to operation: String) throws(PictureError) {
        var reader = PictureByteReader(bytes, to: operation)
        let start = try reader.bytes(29)
        guard start.count == 29 else { throw reader.error(.truncated) }
        func number(at offset: Int) -> Int {
            start[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        storedSize = PixelSize(width: number(at: 16), height: number(at: 20))
        guard start[12..<16].elementsEqual("IHDR".utf8), storedSize.width > 0,
            storedSize.height > 0
        else { throw reader.error(.damaged) }
        guard max(storedSize.width, storedSize.height) <= PictureLimits.pngDimension else {
            throw reader.error(.tooLarge, detail: storedSize.description)
        }
        format = .png
        byteCount = bytes.count
        orientation = try PNGOrientation.read(bytes, to: operation)
        componentCount = [2: 3, 4: 2, 6: 4][start[25]] ?? 1
        isReadWhole = start[28] != 0
        coefficientByteCount = 0
    }
}

extension FileFormat {
    package static let openable: Set<FileFormat> = [
        .jpeg, .png, .webp, .heic, .avif, .tiff, .gif, .bitmap, .pnm,
    ]

    /// Whether it requires an optional library.
    var needsLibrary: Bool { library != nil }

    /// The format of a file if it is supported.
    ///
    /// - Throws: `PictureError`: `.empty`, `.notAPicture` with the actual format, `.unreadable`.
    static func openable(
        _ bytes: PictureBytes, to operation: String
    ) throws(PictureError) -> FileFormat {
        var reader = PictureByteReader(bytes, to: operation)
        let beginning = try reader.bytes(beginningByteCount)
        guard !beginning.isEmpty else { throw reader.error(.empty) }
        let format = FileFormat(beginning: beginning)
        guard let format, openable.contains(format) else {
            throw PictureError(.notAPicture, operation: operation, format: format)
        }
        return format
    }
}
