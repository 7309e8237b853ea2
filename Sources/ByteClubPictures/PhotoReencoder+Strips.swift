import CByteClubTurboJPEG

/// The format of the rows being copied.
struct Rows {
    let format: RowFormat
    let inks: InkConversion?
    /// The bytes per decoded pixel: CMYK is converted to RGB afterwards.
    var decodedPixelByteCount: Int { inks == nil ? format.pixelByteCount : 4 }
}

extension JPEGDecoder {
    /// Starts decoding in full size, with as few conversions as possible.
    func startForReencoding() throws(PictureError) -> Rows {
        let info = handle.pointee.info
        let rows: Rows =
            switch info.jpeg_color_space {
            case JCS_GRAYSCALE: Rows(format: .grey, inks: nil)
            case JCS_YCbCr: Rows(format: .yCbCr, inks: nil)
            default: Rows(format: .rgb, inks: InkConversion(info))
            }
        _ = try start(eighths: 8, output: rows.inks == nil ? rows.format.colorSpace : JCS_CMYK)
        return rows
    }
}

/// Copies a picture through memory, one strip of rows at a time.
struct Strips: ~Copyable {
    private let size: PixelSize
    private let rows: Rows
    private let progress: @Sendable (Double) -> Void
    private let strip: UnsafeMutableBufferPointer<UInt8>
    private var reported = 0

    init(size: PixelSize, rows: Rows, progress: @escaping @Sendable (Double) -> Void) {
        self.size = size
        self.rows = rows
        self.progress = progress
        strip = .allocate(capacity: size.width * rows.decodedPixelByteCount * TileScratch.side)
        strip.initialize(repeating: 0)
    }

    deinit { strip.deallocate() }

    private var rowByteCount: Int { size.width * rows.format.pixelByteCount }

    /// Copies a picture that needs no turning.
    mutating func copy(
        from decoder: borrowing JPEGDecoder, to encoder: borrowing JPEGEncoder, mirrored: Bool
    ) throws(PictureError) {
        var row = 0
        while row < size.height {
            let count = try decode(from: decoder)
            if mirrored { mirror(count) }
            try encoder.encode(
                UnsafeBufferPointer(rebasing: strip.prefix(count * rowByteCount)),
                rowByteCount: rowByteCount, count: count)
            row += count
            report(row, of: size.height)
        }
        try finish(decoder)
    }

    /// Copies a picture through a scratch file, to turn it.
    mutating func copy(
        from decoder: borrowing JPEGDecoder, to encoder: borrowing JPEGEncoder,
        turned orientation: Orientation, through scratch: borrowing TileScratch
    ) throws(PictureError) {
        let stripCount = scratch.stripCount(turned: orientation)
        let total = scratch.stripCount + stripCount
        for index in 0..<scratch.stripCount {
            let count = try decode(from: decoder)
            try scratch.write(
                strip: index,
                rows: UnsafeBufferPointer(rebasing: strip.prefix(count * rowByteCount)))
            report(index + 1, of: total)
        }
        try finish(decoder)

        let turnedRowByteCount = orientation.applied(to: size).width * rows.format.pixelByteCount
        for index in 0..<stripCount {
            guard !Task.isCancelled else { throw decoder.error(.cancelled) }
            try scratch.read(strip: index, turned: orientation) {
                turned, count throws(PictureError) in
                try encoder.encode(turned, rowByteCount: turnedRowByteCount, count: count)
            }
            report(scratch.stripCount + index + 1, of: total)
        }
    }

    /// Decodes the next rows into the strip and returns their number: all it holds, except for the last
    /// strip.
    private func decode(from decoder: borrowing JPEGDecoder) throws(PictureError) -> Int {
        guard !Task.isCancelled else { throw decoder.error(.cancelled) }
        let count = try decoder.decode(
            into: strip, rowByteCount: size.width * rows.decodedPixelByteCount)
        // A damaged picture is refused as early as possible.
        if let damage = decoder.damage { throw damage }
        guard count > 0 else { throw decoder.error(.damaged) }
        rows.inks?.convertToRGB(strip, pixelCount: count * size.width)
        return count
    }

    private func finish(_ decoder: borrowing JPEGDecoder) throws(PictureError) {
        try decoder.finish()
        if let damage = decoder.damage { throw damage }
    }

    /// Reverses each of the strip's first rows.
    private func mirror(_ count: Int) {
        let pixelByteCount = rows.format.pixelByteCount
        for row in 0..<count {
            var left = row * rowByteCount
            var right = left + rowByteCount - pixelByteCount
            while left < right {
                for byte in 0..<pixelByteCount { strip.swapAt(left + byte, right + byte) }
                left += pixelByteCount
                right -= pixelByteCount
            }
        }
    }

    /// Reports the progress once for each percent.
    private mutating func report(_ done: Int, of total: Int) {
        let percent = done * 100 / total
        guard percent > reported else { return }
        reported = percent
        progress(Double(done) / Double(total))
    }
}
