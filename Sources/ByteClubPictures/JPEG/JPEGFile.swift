public import FoundationEssentials

/// A JPEG in a file or in memory. Creating one does not read it.
///
/// All methods run on the calling thread and may take long: call them on a `PictureQueue`. They check for
/// cancellation between strips of rows. A file is read through a small buffer, not as a whole.
public struct JPEGFile: Sendable {
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

    /// Reads the header without decoding. See `JPEGHeader.read`.
    public func header() throws(PictureError) -> JPEGHeader {
        try withDecoder(to: "read \(name)") { decoder throws(PictureError) in
            try decoder.readHeader()
        }
    }

    /// Decodes the picture upright, fitted into a box with its aspect ratio.
    ///
    /// libjpeg decodes at the smallest sufficient multiple of an eighth of the size (an eighth itself takes
    /// less than half of the time of the whole), and the result is averaged, so that no detail is skipped.
    /// Nothing is enlarged.
    ///
    /// A truncated or damaged picture is shown as far as possible, the rest gray, with `isDamaged`.
    ///
    /// - Parameter box: The maximum width and height; nil for the picture’s full size.
    /// - Throws: `PictureError`; `.tooLarge` also if the result would be too large.
    public func decode(scaledToFit box: PixelSize? = nil) throws(PictureError) -> DecodedJPEG {
        try decode { size in box.map { size.fitted(in: $0) } ?? size }
    }

    /// Calls `body` with a decoder of the picture.
    func withDecoder<Result>(
        to operation: String,
        _ body: (borrowing JPEGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        try source.withBytes(to: operation) { bytes throws(PictureError) in
            try body(JPEGDecoder(reading: bytes, scratch: source.scratch, to: operation))
        }
    }
}

/// A decoded picture with information from its header.
public struct DecodedJPEG: Sendable {
    /// The pixels, upright.
    public let image: PixelImage
    public let header: JPEGHeader
    /// Whether parts of the picture were missing or damaged.
    public let isDamaged: Bool
}
