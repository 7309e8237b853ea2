public import FoundationEssentials

/// Turns a photo as a camera wrote it into the JPEG that the club gets.
///
/// The result is upright (the EXIF orientation is applied to the pixels) and has no metadata: no
/// place, no date, no camera, no thumbnail. Only an ICC profile that fits the pixels is kept,
/// because without it the colors would be wrong. The size in pixels stays.
///
/// Memory stays flat whatever the picture's size: pixels are processed in strips, and a picture
/// that must be rotated uses a scratch file, as does libjpeg's own state for a progressive picture
/// (about 3 bytes per pixel) beyond `PictureLimits.residentCoefficientByteCount`.
public struct PhotoReencoder: Sendable {
    /// The result.
    public struct Output: Sendable, Equatable {
        /// A new temporary file (mode 0600), synced to the disk. The caller deletes it.
        public let url: URL
        public let byteCount: Int64
        public let size: PixelSize
    }

    /// From 0 (smallest file) to 1, libjpeg's 1 to 100.
    public var quality: Double

    /// Where the result is written; `TMPDIR`, or else `/tmp`, when nil.
    public var directory: URL?

    public init(quality: Double = 0.6, directory: URL? = nil) {
        self.quality = quality
        self.directory = directory
    }

    /// Re-encodes a photo; takes about a second for 36 million pixels. Call it on
    /// `PictureQueue.exports`. When the task is cancelled, it stops at the next strip of rows.
    ///
    /// - Parameter progress: Called on the calling thread with the part done, from 0 to 1, about a
    ///   hundred times.
    /// - Throws: `PictureError`. A picture that is cut short or damaged is refused here, although
    ///   `JPEGFile.decode` would show it. Nothing is left on the disk.
    public func reencode(
        _ photo: URL, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(PictureError) -> Output {
        try reencode(JPEGFile(at: photo), progress: progress)
    }
}

extension PhotoReencoder {
    /// Re-encodes a photo that may be in memory.
    public func reencode(
        _ photo: JPEGFile, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(PictureError) -> Output {
        let directory = directory ?? .temporaryFolder
        return try photo.withDecoder(to: "prepare \(photo.name)") {
            decoder throws(PictureError) in
            let header = try decoder.readHeader()
            guard
                header.storedSize.pixelCount
                    <= PictureLimits.reencodedPixelCount(
                        ofFileWith: decoder.bytes.count, isReadWhole: header.isReadWhole)
            else { throw decoder.error(.tooLarge, detail: header.storedSize.description) }
            let file = try OutputFile(
                in: directory, prefix: "byteclub-photo-", suffix: ".jpg", to: decoder.operation)
            let encoder = try JPEGEncoder(writingTo: file.descriptor, to: decoder.operation)
            let rows = try decoder.startForReencoding()
            try encoder.start(
                size: header.size, rows: rows.format, quality: quality,
                profile: rows.inks == nil
                    ? decoder.profile(for: rows.format == .grey ? "GRAY" : "RGB ") : nil)

            var strips = Strips(size: header.storedSize, rows: rows, progress: progress)
            switch header.orientation {
            case .up, .upMirrored:
                try strips.copy(
                    from: decoder, to: encoder, mirrored: header.orientation == .upMirrored)
            default:
                let scratch = try TileScratch(
                    size: header.storedSize, pixelByteCount: rows.format.pixelByteCount,
                    in: directory, to: decoder.operation)
                try strips.copy(
                    from: decoder, to: encoder, turned: header.orientation, through: scratch)
            }
            try encoder.finish()
            let byteCount = Int64(encoder.byteCount)
            return Output(url: try file.keep(), byteCount: byteCount, size: header.size)
        }
    }
}
