import FoundationEssentials

/// A picture of a format that is decoded by an optional library.
struct DecodablePicture {
    let source: PictureSource
    let format: FileFormat

    /// Decodes the picture upright in a chosen size, never enlarged.
    ///
    /// A truncated picture is refused: the libraries decode nothing of it.
    ///
    /// - Throws: `PictureError`; `.noLibrary` if the library is missing.
    func decode(
        keepsAlpha: Bool, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPicture {
        let operation = "show \(source.name)"
        return try withHead(to: operation) { head, bytes throws(PictureError) in
            let fullSize = head.orientation.applied(to: head.storedSize)
            let wanted = chooseSize(fullSize)
            let shown = PixelSize(
                width: min(max(1, wanted.width), fullSize.width),
                height: min(max(1, wanted.height), fullSize.height))
            guard shown.pixelCount <= PictureLimits.decodedPixelCount else {
                throw PictureError(.tooLarge, operation: operation, detail: shown.description)
            }
            let stored = head.orientation.applied(to: shown)
            let pixels = try pixels(bytes, head, at: stored, to: operation)
            let isKept = keepsAlpha && pixels.hasAlpha
            let scaler = AreaScaler(from: pixels.size, to: stored)
            try pixels.forEachRow(keepsAlpha: isKept) { scaler.add(row: $0) }
            var image = scaler.finish()
            if isKept { Transparency.divideByAlpha(&image) }
            return DecodedPicture(
                image: image.oriented(head.orientation), fullSize: fullSize, hasAlpha: isKept,
                isDamaged: false)
        }
    }

    /// Passes all pixels in full size and upright, row by row as RGBA, to an encoder created by `start`;
    /// transparent parts become white.
    func reencode(
        to operation: String,
        start: (ContainerHead, PixelSize) throws(PictureError) -> Void,
        row use: (UnsafePointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        try withHead(to: operation) { head, bytes throws(PictureError) in
            guard head.orientation == .up else {
                // Turned in memory, which is acceptable for ordinary photos.
                let image = try decode(keepsAlpha: false) { $0 }.image
                try start(head, image.size)
                try image.forEachRow(use)
                return
            }
            let pixels = try pixels(bytes, head, at: head.storedSize, to: operation)
            try start(head, pixels.size)
            var row = 0
            try pixels.forEachRow(keepsAlpha: false) { start throws(PictureError) in
                try use(start, row)
                row += 1
            }
        }
    }

    /// - Parameter size: The stored size; only libwebp decodes in another than the full one.
    private func pixels(
        _ bytes: PictureBytes, _ head: ContainerHead, at size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        let full = head.storedSize
        guard format != .tiff else { return try .tiff(bytes, size: full, to: operation) }
        let count = bytes.count
        guard count <= PictureLimits.libraryFileByteCount else {
            throw PictureError(.tooLarge, operation: operation, detail: "file")
        }
        var reader = PictureByteReader(bytes, to: operation)
        let whole = try reader.bytes(count)
        return switch format {
        case .webp: try .webP(whole, at: size, to: operation)
        case .gif, .bitmap, .pnm: try .simple(whole, format, size: full, to: operation)
        default: try .heif(whole, format, size: full, to: operation)
        }
    }

    private func withHead<Result>(
        to operation: String,
        _ body: (ContainerHead, PictureBytes) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        try source.withBytes(to: operation) { bytes throws(PictureError) in
            try body(try ContainerHead(bytes, as: format, to: operation), bytes)
        }
    }
}

extension PixelImage {
    fileprivate func forEachRow(
        _ use: (UnsafePointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        // `withUnsafeBytes` rethrows untyped errors only.
        let outcome = bytes.withUnsafeBufferPointer { buffer -> Result<Void, PictureError> in
            guard let start = buffer.baseAddress else { return .success(()) }
            do throws(PictureError) {
                for row in 0..<size.height { try use(start + row * size.width * 4, row) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}
