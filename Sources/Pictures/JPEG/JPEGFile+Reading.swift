import CTurboJPEG
import FoundationEssentials
import Glibc

extension JPEGFile {
    /// Opens the picture and lends a decoder that reads it.
    func withDecoder<Result>(
        to operation: String,
        _ body: (borrowing JPEGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        let decoder = try JPEGDecoder(to: operation)
        switch contents {
        case .file(let url):
            let file = try InputFile.opening(url, to: operation)
            try decoder.check(byteclub_jpeg_read_from_descriptor(decoder.handle, file.descriptor))
            return try body(decoder)
        case .memory(let data):
            // `Data` only rethrows untyped errors, so the outcome travels as a value.
            let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, PictureError> in
                byteclub_jpeg_read_from_memory(decoder.handle, bytes.baseAddress, bytes.count)
                do throws(PictureError) {
                    return .success(try body(decoder))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}
