import CByteClubTurboJPEG

extension JPEGFile {
    /// Decodes the picture upright in a chosen size, never enlarged.
    ///
    /// - Parameter chooseSize: Returns the size of the result, with the same aspect ratio, for the displayed
    ///   size.
    func decode(
        _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedJPEG {
        try withDecoder(to: "show \(name)") { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            let wanted = chooseSize(header.size)
            let shown = PixelSize(
                width: min(max(1, wanted.width), header.size.width),
                height: min(max(1, wanted.height), header.size.height))
            guard shown.pixelCount <= PictureLimits.decodedPixelCount else {
                throw decoder.error(.tooLarge, detail: shown.description)
            }
            let (stored, isDamaged) = try decoder.decodePixels(
                scaledTo: header.orientation.applied(to: shown), from: header)
            return DecodedJPEG(
                image: stored.oriented(header.orientation), header: header, isDamaged: isDamaged)
        }
    }
}

extension JPEGFile {
    /// Decodes a part in full size. Missing parts of a damaged picture become gray.
    ///
    /// - Throws: `PictureError`; `.tooLarge` for a part outside of the picture or with too many pixels, and
    ///   for a picture that must be turned.
    func decode(_ part: PicturePart) throws(PictureError) -> DecodedJPEG {
        try withDecoder(to: "show \(name)") { decoder throws(PictureError) in
            let header = try decoder.readHeader()
            let (size, whole) = (part.size, header.size)
            guard header.orientation == .up, size.width > 0, size.height > 0, part.left >= 0,
                part.top >= 0, part.left + size.width <= whole.width,
                part.top + size.height <= whole.height,
                size.pixelCount <= PictureLimits.decodedPixelCount
            else { throw decoder.error(.tooLarge, detail: "part \(size)") }
            let (image, isDamaged) = try decoder.decodePixels(of: part)
            return DecodedJPEG(image: image, header: header, isDamaged: isDamaged)
        }
    }
}

extension JPEGDecoder {
    /// Decodes the rows up to the end of a part, and keeps the part; the header was read.
    fileprivate func decodePixels(
        of part: PicturePart
    ) throws(PictureError) -> (image: PixelImage, isDamaged: Bool) {
        let inks = InkConversion(handle.pointee.info)
        let source = try start(eighths: 8, output: inks == nil ? JCS_EXT_RGBA : JCS_CMYK)
        let size = part.size
        var image = PixelImage(size: size, filledWith: Self.missing)
        let limit = part.top + size.height
        let decoded = try decodeRows(to: limit, width: source.width, inks: inks) { row, pixels in
            guard row >= part.top, row < limit else { return }
            image.bytes.withUnsafeMutableBytes { bytes in
                bytes.baseAddress?.advanced(by: (row - part.top) * size.width * 4)
                    .copyMemory(from: pixels + part.left * 4, byteCount: size.width * 4)
            }
        }
        return (image, decoded.isBroken || damage != nil || decoded.count < limit)
    }

    /// Decodes the stored picture, scaled to a size; the header was read.
    fileprivate func decodePixels(
        scaledTo size: PixelSize, from header: JPEGHeader
    ) throws(PictureError) -> (image: PixelImage, isDamaged: Bool) {
        let inks = InkConversion(handle.pointee.info)
        let source = try start(
            eighths: eighths(for: size, of: header.storedSize),
            output: inks == nil ? JCS_EXT_RGBA : JCS_CMYK)
        let scaler = AreaScaler(from: source, to: size, background: Self.missing)
        let decoded = try decodeRows(to: source.height, width: source.width, inks: inks) {
            scaler.add(row: $1)
        }
        var isDamaged = decoded.isBroken
        if decoded.count == source.height {
            do throws(PictureError) {
                try finish()
            } catch {
                guard error.code != .cancelled else { throw error }
                isDamaged = true
            }
        }
        return (scaler.finish(), isDamaged || damage != nil || decoded.count < source.height)
    }

    /// libjpeg itself uses gray for missing parts.
    private static let missing = PixelImage.Pixel(red: 128, green: 128, blue: 128)

    /// Decodes rows as RGBA from the first one on.
    ///
    /// - Parameters:
    ///   - limit: The number of rows needed. A few more may follow.
    ///   - width: The width of the rows in pixels.
    ///   - use: Called with each row's number and pixels, valid during the call.
    /// - Returns: The number of rows, and whether the file was truncated. Throws if that happened before the
    ///   first row.
    private func decodeRows(
        to limit: Int, width: Int, inks: InkConversion?, use: (Int, UnsafePointer<UInt8>) -> Void
    ) throws(PictureError) -> (count: Int, isBroken: Bool) {
        let rowByteCount = width * 4
        let strip = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: rowByteCount * 16)
        strip.initialize(repeating: 0)
        defer { strip.deallocate() }
        var row = 0
        while row < limit {
            guard !Task.isCancelled else { throw error(.cancelled) }
            let count: Int
            do throws(PictureError) {
                count = try decode(into: strip, rowByteCount: rowByteCount)
            } catch {
                // Show the decoded part of a truncated picture if there is any.
                guard row > 0, error.code == .damaged || error.code == .truncated else {
                    throw error
                }
                return (row, true)
            }
            guard count > 0, let pixels = strip.baseAddress else { break }
            inks?.convertToRGBA(strip, pixelCount: count * width)
            for index in 0..<count {
                use(row + index, UnsafePointer(pixels + index * rowByteCount))
            }
            row += count
            // The rest would be gray, but a small file may claim a huge size.
            if reachedEnd && !readsAllAtStart { break }
        }
        return (row, false)
    }

    /// The smallest scale that gives at least a size.
    ///
    /// Source: libjpeg.txt, "Decompression parameter selection": the result is rounded up.
    private func eighths(for size: PixelSize, of stored: PixelSize) -> Int {
        (1...7).first { eighths in
            (stored.width * eighths + 7) / 8 >= size.width
                && (stored.height * eighths + 7) / 8 >= size.height
        } ?? 8
    }
}
