import FoundationEssentials
import Glibc

extension JPEGFile {
    /// Opens the picture and lends a decoder that reads it.
    func withDecoder<Result>(
        to operation: String,
        _ body: (borrowing JPEGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        switch contents {
        case .file(let url):
            let file = try InputFile.opening(url, to: operation)
            let decoder = try JPEGDecoder(reading: .descriptor(file.descriptor), to: operation)
            return try body(decoder)
        case .memory(let data):
            // `Data` only rethrows untyped errors, so the outcome travels as a value.
            let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, PictureError> in
                do throws(PictureError) {
                    let decoder = try JPEGDecoder(reading: .memory(bytes), to: operation)
                    return .success(try body(decoder))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}
