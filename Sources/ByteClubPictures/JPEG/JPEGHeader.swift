import CByteClubTurboJPEG
public import FoundationEssentials

/// A JPEG's header information.
public struct JPEGHeader: Sendable, Equatable {
    /// The size of the pixels as they are stored.
    public let storedSize: PixelSize

    /// How the stored pixels must be turned; `.up` if missing or invalid.
    public let orientation: Orientation

    /// 1 for gray, 3 for color, 4 for CMYK.
    public let componentCount: Int

    /// Whether the picture is stored in several scans, from coarse to fine.
    public let isProgressive: Bool

    /// Whether the whole picture must be read before any of it can be shown.
    let isReadWhole: Bool

    /// Whether the file contains the location of the photo.
    public let hasLocation: Bool

    /// The embedded thumbnail as stored (not turned), unchecked.
    public let thumbnail: Data?

    /// The displayed size: the stored size with the orientation applied.
    public var size: PixelSize { orientation.applied(to: storedSize) }

    /// Whether even a thumbnail takes more than some tenths of a second.
    public var takesLong: Bool { storedSize.pixelCount > (isReadWhole ? 8 : 64) << 20 }

    /// Reads the header of a file up to the first pixels, 64 KiB at a time.
    ///
    /// - Throws: `PictureError`: `.notFound`, `.unreadable`, `.isDirectory`, `.empty`, `.notAPicture`,
    ///   `.truncated` (within the header), `.damaged`, `.unsupported`, `.tooLarge` or `.tooCostly`.
    public static func read(fileAt url: URL) throws(PictureError) -> JPEGHeader {
        try JPEGFile(at: url).header()
    }

    /// Reads the header of a JPEG in memory.
    public static func read(_ data: Data) throws(PictureError) -> JPEGHeader {
        try JPEGFile(data: data).header()
    }
}

extension JPEGDecoder {
    /// Reads up to the pixels and checks that decoding is allowed.
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
