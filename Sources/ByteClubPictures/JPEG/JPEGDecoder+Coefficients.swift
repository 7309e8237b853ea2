import CByteClubTurboJPEG

extension JPEGDecoder {
    /// Stores the coefficients of a large progressive picture in a scratch file, to limit memory.
    ///
    /// - Throws: `PictureError`: `.cannotWrite` or `.diskFull`.
    func spillCoefficients() throws(PictureError) {
        let byteCount = byteclub_jpeg_coefficient_bytes(handle)
        guard byteCount > PictureLimits.residentCoefficientByteCount else { return }
        let file = try scratch.makeForCoefficients(byteCount, to: operation)
        try check(
            byteclub_jpeg_keep_coefficients_in(
                handle, file.descriptor, byteCount,
                PictureLimits.residentCoefficientByteCount / 2))
    }
}
