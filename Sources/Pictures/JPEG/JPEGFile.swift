public import FoundationEssentials

/// A JPEG to be read, in a file or in memory. Making one touches nothing yet.
///
/// All methods work on the calling thread and may take long: call them on a `PictureQueue`. They
/// notice that their task was cancelled between strips of rows. A file is read through a small
/// buffer and never held whole.
public struct JPEGFile: Sendable {
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

    /// Reads what can be known without decoding. See `JPEGHeader.read`.
    public func header() throws(PictureError) -> JPEGHeader {
        try withDecoder(to: "read \(name)") { decoder throws(PictureError) in
            try decoder.readHeader()
        }
    }

    /// Decodes the picture upright, at most as large as a box, its shape kept.
    ///
    /// libjpeg decodes at the smallest eighth of the size that is large enough (an eighth itself
    /// takes less than half of the time of the whole), and the rest is averaged, so no detail is
    /// skipped over. Nothing is enlarged.
    ///
    /// A picture cut short or damaged is shown as far as it goes, the rest gray, with `isDamaged`.
    ///
    /// - Parameter box: The largest width and height; the picture’s full size when nil.
    /// - Throws: `PictureError`; `.tooLarge` also when the result itself would be.
    public func decode(scaledToFit box: PixelSize? = nil) throws(PictureError) -> DecodedJPEG {
        try decode { size in box.map { size.fitted(in: $0) } ?? size }
    }

    /// Opens the picture and lends a decoder that reads it.
    func withDecoder<Result>(
        to operation: String,
        _ body: (borrowing JPEGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        try source.withBytes(to: operation) { bytes throws(PictureError) in
            try body(JPEGDecoder(reading: bytes, scratch: source.scratch, to: operation))
        }
    }
}

/// A decoded picture and what its header said.
public struct DecodedJPEG: Sendable {
    /// The pixels, upright.
    public let image: PixelImage
    public let header: JPEGHeader
    /// Whether some of the picture was missing or broken in the file.
    public let isDamaged: Bool
}
