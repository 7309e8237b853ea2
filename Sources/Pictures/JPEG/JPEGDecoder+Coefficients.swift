import CTurboJPEG
import FoundationEssentials
import Glibc

extension JPEGDecoder {
    /// Puts the coefficients of a large progressive picture into a scratch file, so that the memory
    /// stays what it is for other pictures.
    ///
    /// - Throws: `PictureError`: `.cannotWrite` or `.diskFull`.
    func spillCoefficients() throws(PictureError) {
        let byteCount = byteclub_jpeg_coefficient_bytes(handle)
        guard byteCount > PictureLimits.residentCoefficientByteCount else { return }
        var file = try OutputFile(in: .temporaryFolder, prefix: "byteclub-scratch-", to: operation)
        file.removeName()
        // All of it now: a disk that is full later would be a signal, not an error.
        let code = posix_fallocate(file.descriptor, 0, off_t(byteCount))
        guard code == 0 else { throw .writing(code, operation: operation) }
        try check(
            byteclub_jpeg_keep_coefficients_in(
                handle, file.descriptor, byteCount,
                PictureLimits.residentCoefficientByteCount / 2))
    }
}
