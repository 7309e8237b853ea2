import CTurboJPEG
public import FoundationEssentials

/// What a JPEG says about itself before its pixels begin.
public struct JPEGHeader: Sendable, Equatable {
    /// The size of the pixels as they are stored.
    public let storedSize: PixelSize

    /// How the stored pixels are to be turned; `.up` when the file does not say or says nonsense.
    public let orientation: Orientation

    /// 1 for gray, 3 for color, 4 for the four inks of print.
    public let componentCount: Int

    /// Whether the picture is stored in several passes, from coarse to fine.
    public let isProgressive: Bool

    /// Whether the whole picture must be read before any of it can be shown.
    let isReadWhole: Bool

    /// Whether the file tells the place where the photo was taken.
    public let hasLocation: Bool

    /// The small JPEG that cameras put beside the large one, as stored (not turned), not checked.
    public let thumbnail: Data?

    /// The size as shown: stored size with the orientation applied.
    public var size: PixelSize { orientation.applied(to: storedSize) }

    /// Whether even a thumbnail of it takes more than some tenths of a second.
    public var takesLong: Bool { storedSize.pixelCount > (isReadWhole ? 8 : 64) << 20 }

    /// Reads the header of a file, and no more of it than 64 KiB at a time up to the first pixels.
    ///
    /// - Throws: `PictureError`: `.notFound`, `.unreadable`, `.isDirectory`, `.empty`, `.notAPicture`,
    ///   `.truncated` (it ends within the header), `.damaged`, `.unsupported`, `.tooLarge` or
    ///   `.tooCostly`.
    public static func read(fileAt url: URL) throws(PictureError) -> JPEGHeader {
        try JPEGFile(at: url).header()
    }

    /// Reads the header of a JPEG in memory.
    public static func read(_ data: Data) throws(PictureError) -> JPEGHeader {
        try JPEGFile(data: data).header()
    }
}

extension JPEGDecoder {
    /// Reads up to the pixels and checks that decoding them is allowed.
    func readHeader() throws(PictureError) -> JPEGHeader {
        try check(byteclub_jpeg_read_header(handle, PictureLimits.headerByteCount))
        let info = handle.pointee.info
        let size = PixelSize(width: Int(info.image_width), height: Int(info.image_height))
        guard
            [JCS_GRAYSCALE, JCS_RGB, JCS_YCbCr, JCS_CMYK, JCS_YCCK].contains(info.jpeg_color_space)
        else { throw error(.unsupported, detail: "\(info.num_components) unknown components") }
        guard size.pixelCount <= PictureLimits.pixelCount,
            byteclub_jpeg_coefficient_bytes(handle) <= PictureLimits.coefficientByteCount
        else { throw error(.tooLarge, detail: size.description) }

        let exif = head.exif.flatMap { Exif(marker: $0) }
        return JPEGHeader(
            storedSize: size,
            orientation: exif?.orientation ?? .up,
            componentCount: Int(info.num_components),
            isProgressive: info.progressive_mode != 0,
            isReadWhole: readsAllAtStart,
            hasLocation: exif?.hasLocation ?? false,
            thumbnail: exif?.thumbnail)
    }
}
