public import FoundationEssentials

extension PixelImage {
    /// Writes the picture as a JPEG without metadata; alpha is ignored.
    ///
    /// - Parameter quality: From 0 to 1.
    /// - Throws: `PictureError`: `.tooLarge` (more than 65,500 pixels one way), `.outOfMemory`,
    ///   `.cancelled`.
    public func jpegData(quality: Double) throws(PictureError) -> Data {
        let operation = "write a picture"
        let encoder = try JPEGEncoder(to: operation)
        // Custom tables make a small picture a tenth smaller. For a large one libjpeg would keep all of it in
        // memory.
        try encoder.start(
            size: size, rows: .rgbx, quality: quality,
            optimizesTables: size.pixelCount <= 4 << 20)
        let rowByteCount = size.width * 4
        var row = 0
        while row < size.height {
            guard !Task.isCancelled else { throw PictureError(.cancelled, operation: operation) }
            let count = min(64, size.height - row)
            let outcome = bytes.withUnsafeBufferPointer { bytes -> Result<Void, PictureError> in
                let first = row * rowByteCount
                do throws(PictureError) {
                    try encoder.encode(
                        UnsafeBufferPointer(rebasing: bytes[first..<first + count * rowByteCount]),
                        rowByteCount: rowByteCount, count: count)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try outcome.get()
            row += count
        }
        try encoder.finish()
        return encoder.data
    }
}
