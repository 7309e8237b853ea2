/// The rows of a PNG in order, interlaced or not.
struct PNGRows {
    private let header: PNGDecoder.Header
    private let size: PixelSize
    private let keepsAlpha: Bool

    init(header: PNGDecoder.Header, to size: PixelSize, keepsAlpha: Bool) {
        self.header = header
        self.size = size
        self.keepsAlpha = keepsAlpha
    }

    /// Makes the smaller picture; of a truncated one, the available part.
    func decode(
        _ decoder: borrowing PNGDecoder
    ) throws(PictureError) -> (image: PixelImage, isDamaged: Bool) {
        let grey = PixelImage.Pixel(red: 128, green: 128, blue: 128)
        let scaler = AreaScaler(from: header.size, to: size, background: grey)
        var count = 0
        var isDamaged = false
        do throws(PictureError) {
            try forEach(decoder) { row throws(PictureError) in
                scaler.add(row: row)
                count += 1
            }
        } catch {
            guard count > 0, error.code == .damaged || error.code == .truncated else { throw error }
            isDamaged = true
        }
        var image = scaler.finish()
        if keepsAlpha { Transparency.divideByAlpha(&image) }
        return (image, isDamaged)
    }

    /// Passes each row to `use`: red, green, blue and alpha, which is 255 unless it is kept.
    ///
    /// - Throws: The error of `use`; `.damaged` or `.truncated` after the last available row. For an
    ///   interlaced picture, all rows come before that.
    func forEach(
        _ decoder: borrowing PNGDecoder,
        _ use: (UnsafePointer<UInt8>) throws(PictureError) -> Void
    ) throws(PictureError) {
        let rowCount = header.isInterlaced ? header.size.height : 1
        let rowByteCount = header.size.width * 4
        let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: rowByteCount * rowCount)
        rows.initialize(repeating: 128, count: rowByteCount * rowCount)
        defer { rows.deallocate() }
        var failure: PictureError?
        if header.isInterlaced {
            do throws(PictureError) {
                try decoder.decodePasses(into: rows)
            } catch {
                // The first passes cover the whole picture.
                guard error.code == .damaged || error.code == .truncated else { throw error }
                failure = error
            }
        }
        for row in 0..<header.size.height {
            if row % 64 == 0, Task.isCancelled {
                throw PictureError(.cancelled, operation: decoder.operation)
            }
            let start = rows + (header.isInterlaced ? row * rowByteCount : 0)
            if !header.isInterlaced { try decoder.decode(into: start) }
            if header.hasAlpha {
                Transparency.prepare(start, pixelCount: header.size.width, keepsAlpha: keepsAlpha)
            }
            try use(UnsafePointer(start))
        }
        if let failure { throw failure }
    }
}
