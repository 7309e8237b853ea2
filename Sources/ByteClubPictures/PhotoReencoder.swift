public import FoundationEssentials

/// Converts a camera's photo, or another picture, to a JPEG for the club.
///
/// The result is upright (the EXIF orientation is applied to the pixels). Of the metadata only this is kept: when,
/// with which camera and by whom it was taken, its location if requested (``KeptExif``), an ICC profile that fits
/// the pixels, because without it the colors would be wrong, and the projection of a panorama (GPano), because
/// without it the picture would no longer be one. The size in pixels stays the same.
///
/// Memory does not depend on the picture's size: pixels are processed in strips, and a picture that must be
/// rotated uses a scratch file, as does libjpeg's own state for a progressive picture (about 3 bytes per
/// pixel) beyond `PictureLimits.residentCoefficientByteCount`.
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

    /// The folder of the result; nil for `TMPDIR`, else `/tmp`.
    public var directory: URL?

    /// Whether the result contains the photo's location.
    public var keepsLocation: Bool

    public init(quality: Double = 0.6, directory: URL? = nil, keepsLocation: Bool = false) {
        self.quality = quality
        self.directory = directory
        self.keepsLocation = keepsLocation
    }

    /// Re-encodes a photo in this process; takes about a second for 36 million pixels. Do not call it on the
    /// main actor. Cancelling the task stops it at the next strip of rows.
    ///
    /// For untrusted photos use ``PictureWorkers/reencode(_:quality:progress:)``.
    ///
    /// - Parameter progress: Called on the calling thread with the completed fraction, from 0 to 1, about a
    ///   hundred times.
    /// - Throws: `PictureError`. A truncated or damaged picture is refused here, although `JPEGFile.decode`
    ///   would show it. No file is left behind.
    public func reencode(
        _ photo: URL, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(PictureError) -> Output {
        try reencode(PictureFile(at: photo), progress: progress)
    }

    /// Re-encodes a photo that may be in memory.
    public func reencode(
        _ photo: PictureFile, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(PictureError) -> Output {
        let file = try OutputFile(
            in: directory ?? .temporaryFolder, prefix: "byteclub-photo-", suffix: ".jpg",
            to: "prepare \(photo.name)")
        let (byteCount, size) = try write(photo, to: file.descriptor, progress: progress)
        return Output(url: try file.keep(), byteCount: byteCount, size: size)
    }

    /// Re-encodes a JPEG that may be in memory.
    public func reencode(
        _ photo: JPEGFile, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(PictureError) -> Output {
        try reencode(PictureFile(photo.source), progress: progress)
    }
}

extension PhotoReencoder {
    /// Re-encodes a photo into an open file.
    func write(
        _ photo: PictureFile, to descriptor: Int32, progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) -> (byteCount: Int64, size: PixelSize) {
        switch try photo.format() {
        case let format where format.needsLibrary:
            try write(
                DecodablePicture(source: photo.source, format: format), to: descriptor,
                progress: progress)
        case .png: try write(PNGFile(photo.source), to: descriptor, progress: progress)
        default: try write(JPEGFile(photo.source), to: descriptor, progress: progress)
        }
    }

    private func write(
        _ photo: JPEGFile, to descriptor: Int32, progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) -> (byteCount: Int64, size: PixelSize) {
        try photo.withDecoder(to: "prepare \(photo.name)") {
            decoder throws(PictureError) in
            let header = try decoder.readHeader()
            guard
                header.storedSize.pixelCount
                    <= PictureLimits.reencodedPixelCount(
                        ofFileWith: decoder.bytes.count, isReadWhole: header.isReadWhole)
            else { throw decoder.error(.tooLargeToReencode, detail: header.storedSize.description) }
            let encoder = try JPEGEncoder(writingTo: descriptor, to: decoder.operation)
            let rows = try decoder.startForReencoding()
            try encoder.start(
                size: header.size, rows: rows.format, quality: quality,
                metadata: metadata(
                    exif: decoder.head.exif, xmp: decoder.head.xmp,
                    isTurned: header.orientation != .up),
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
                    in: photo.source.scratch, to: decoder.operation)
                try strips.copy(
                    from: decoder, to: encoder, turned: header.orientation, through: scratch)
            }
            try encoder.finish()
            return (Int64(encoder.byteCount), header.size)
        }
    }

    /// What is kept of a picture's metadata. What describes a panorama's projection is about the pixels as they are stored:
    /// it does not fit a picture that was turned.
    private func metadata(
        exif: [UInt8]?, xmp: [UInt8]?, isTurned: Bool
    ) -> [[UInt8]] {
        let kept = exif.flatMap { KeptExif(marker: $0, keepsLocation: keepsLocation)?.marker }
        let panorama = isTurned ? nil : xmp.flatMap { PanoramaFacts(xmp: $0)?.marker }
        return [kept, panorama].compactMap(\.self)
    }

    /// Transparent parts become white. A library decodes everything at once, which is most of the work.
    private func write(
        _ picture: DecodablePicture, to descriptor: Int32,
        progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) -> (byteCount: Int64, size: PixelSize) {
        let operation = "prepare \(picture.source.name)"
        let encoder = try JPEGEncoder(writingTo: descriptor, to: operation)
        var (size, reported) = (PixelSize(width: 0, height: 0), 0)
        try picture.reencode(to: operation) { head, full throws(PictureError) in
            size = full
            try encoder.start(
                size: full, rows: .rgbx, quality: quality,
                metadata: metadata(
                    exif: head.exif, xmp: head.xmp,
                    isTurned: head.orientation != .up || full != head.storedSize),
                profile: head.colorProfile)
        } row: { pixels, row throws(PictureError) in
            try encoder.encode(
                UnsafeBufferPointer(start: pixels, count: size.width * 4),
                rowByteCount: size.width * 4, count: 1)
            let percent = (row + 1) * 100 / size.height
            if percent > reported {
                reported = percent
                progress(Double(row + 1) / Double(size.height))
            }
        }
        try encoder.finish()
        return (Int64(encoder.byteCount), size)
    }

    /// Transparent parts become white.
    private func write(
        _ picture: PNGFile, to descriptor: Int32, progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) -> (byteCount: Int64, size: PixelSize) {
        let operation = "prepare \(picture.name)"
        return try picture.withDecoder(to: operation) { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            guard header.size.pixelCount <= PictureLimits.reencodedPNGPixelCount else {
                throw PictureError(
                    .tooLargeToReencode, operation: operation, detail: header.size.description)
            }
            let full = header.orientation.applied(to: header.size)
            let encoder = try JPEGEncoder(writingTo: descriptor, to: operation)
            try encoder.start(size: full, rows: .rgbx, quality: quality)
            let rows = PNGRows(header: header, to: header.size, keepsAlpha: false)
            if header.orientation == .up {
                try copy(rows, of: decoder, size: full, to: encoder, progress: progress)
            } else {
                let scratch = try TileScratch(
                    size: header.size, pixelByteCount: 4, in: picture.source.scratch, to: operation)
                try turn(
                    rows, of: decoder, header, through: scratch, to: encoder, progress: progress)
            }
            try encoder.finish()
            return (Int64(encoder.byteCount), full)
        }
    }

    private func copy(
        _ rows: PNGRows, of decoder: borrowing PNGDecoder, size: PixelSize,
        to encoder: borrowing JPEGEncoder, progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) {
        let rowByteCount = size.width * 4
        var (row, reported) = (0, 0)
        try rows.forEach(decoder) { pixels throws(PictureError) in
            try encoder.encode(
                UnsafeBufferPointer(start: pixels, count: rowByteCount),
                rowByteCount: rowByteCount, count: 1)
            row += 1
            let percent = row * 100 / size.height
            if percent > reported {
                reported = percent
                progress(Double(row) / Double(size.height))
            }
        }
    }

    /// Copies the rows through a scratch file, one strip at a time.
    private func turn(
        _ rows: PNGRows, of decoder: borrowing PNGDecoder, _ header: PNGDecoder.Header,
        through scratch: borrowing TileScratch, to encoder: borrowing JPEGEncoder,
        progress: @escaping @Sendable (Double) -> Void
    ) throws(PictureError) {
        let rowByteCount = header.size.width * 4
        var (strip, pixels): (Int, [UInt8]) = (0, [])
        pixels.reserveCapacity(rowByteCount * TileScratch.side)
        try rows.forEach(decoder) { row throws(PictureError) in
            pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: rowByteCount))
            guard pixels.count == scratch.rowCount(ofStrip: strip) * rowByteCount else { return }
            try pixels.withUnsafeBufferPointer { pixels throws(PictureError) in
                try scratch.write(strip: strip, rows: pixels)
            }
            pixels.removeAll(keepingCapacity: true)
            strip += 1
            progress(Double(strip) / Double(scratch.stripCount) / 2)
        }
        let turnedRowByteCount = header.orientation.applied(to: header.size).width * 4
        let count = scratch.stripCount(turned: header.orientation)
        for index in 0..<count {
            guard !Task.isCancelled else {
                throw PictureError(.cancelled, operation: decoder.operation)
            }
            try scratch.read(strip: index, turned: header.orientation) {
                turned, rowCount throws(PictureError) in
                try encoder.encode(turned, rowByteCount: turnedRowByteCount, count: rowCount)
            }
            progress(0.5 + Double(index + 1) / Double(count) / 2)
        }
    }
}
