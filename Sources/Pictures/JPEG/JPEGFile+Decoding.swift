import CTurboJPEG

extension JPEGFile {
    /// Decodes the picture upright at the size chosen for it, never enlarged.
    ///
    /// - Parameter chooseSize: From the size as shown to the size wanted, of the same shape.
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
    /// Decodes a part at the full size. What is missing of a damaged picture is gray.
    ///
    /// - Throws: `PictureError`; `.tooLarge` for a part outside of the picture or of too many pixels, and
    ///   for a picture that has to be turned.
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
    /// Decodes the rows down to the end of a part, and keeps the part; the header has been read.
    fileprivate func decodePixels(
        of part: PicturePart
    ) throws(PictureError) -> (image: PixelImage, isDamaged: Bool) {
        let inks = InkConversion(handle.pointee.info)
        let source = try start(eighths: 8, output: inks == nil ? JCS_EXT_RGBA : JCS_CMYK)
        let rowByteCount = source.width * 4
        let strip = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: rowByteCount * 16)
        strip.initialize(repeating: 0)
        defer { strip.deallocate() }
        let size = part.size
        let grey = PixelImage.Pixel(red: 128, green: 128, blue: 128)
        var image = PixelImage(size: size, filledWith: grey)
        var row = 0
        while row < part.top + size.height {
            guard !Task.isCancelled else { throw error(.cancelled) }
            let count: Int
            do throws(PictureError) {
                count = try decode(into: strip, rowByteCount: rowByteCount)
            } catch {
                guard row > 0, error.code == .damaged || error.code == .truncated else {
                    throw error
                }
                return (image, true)
            }
            guard count > 0 else { break }
            inks?.convertToRGBA(strip, pixelCount: count * source.width)
            for index in 0..<count where row + index >= part.top {
                let target = row + index - part.top
                guard target < size.height, let start = strip.baseAddress else { break }
                let from = start + index * rowByteCount + part.left * 4
                image.bytes.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress?.advanced(by: target * size.width * 4)
                        .copyMemory(from: from, byteCount: size.width * 4)
                }
            }
            row += count
            if reachedEnd && !readsAllAtStart { return (image, true) }
        }
        return (image, damage != nil)
    }

    /// Decodes the picture as stored, scaled to a size; the header has been read.
    fileprivate func decodePixels(
        scaledTo size: PixelSize, from header: JPEGHeader
    ) throws(PictureError) -> (image: PixelImage, isDamaged: Bool) {
        let inks = InkConversion(handle.pointee.info)
        let source = try start(
            eighths: eighths(for: size, of: header.storedSize),
            output: inks == nil ? JCS_EXT_RGBA : JCS_CMYK)

        let stripHeight = 16
        let rowByteCount = source.width * 4
        let strip = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: rowByteCount * stripHeight)
        strip.initialize(repeating: 0)
        defer { strip.deallocate() }

        // Gray is what libjpeg itself shows for missing parts.
        let grey = PixelImage.Pixel(red: 128, green: 128, blue: 128)
        let scaler = AreaScaler(from: source, to: size, background: grey)
        var isDamaged = false
        var row = 0
        while row < source.height {
            guard !Task.isCancelled else { throw error(.cancelled) }
            let count: Int
            do throws(PictureError) {
                count = try decode(into: strip, rowByteCount: rowByteCount)
            } catch {
                // Show what there is of a picture that breaks off, if there is something.
                guard row > 0, error.code == .damaged || error.code == .truncated else {
                    throw error
                }
                isDamaged = true
                break
            }
            inks?.convertToRGBA(strip, pixelCount: count * source.width)
            for index in 0..<count {
                scaler.add(row: UnsafePointer(strip.baseAddress! + index * rowByteCount))
            }
            row += count
            // The rest would be gray, too, but a small file may claim to have a huge rest.
            if reachedEnd && !readsAllAtStart { break }
        }
        if row == source.height {
            do throws(PictureError) {
                try finish()
            } catch {
                guard error.code != .cancelled else { throw error }
                isDamaged = true
            }
        }
        return (scaler.finish(), isDamaged || damage != nil || row < source.height)
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
