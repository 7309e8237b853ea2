import CByteClubPNG
public import FoundationEssentials
import Glibc

extension PixelImage {
    /// Writes the picture as a PNG without metadata.
    ///
    /// - Parameter keepsAlpha: false leaves alpha out.
    /// - Throws: `PictureError`: `.tooLarge` (more than a million pixels one way), `.outOfMemory`.
    public func pngData(keepsAlpha: Bool = false) throws(PictureError) -> Data {
        var result: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = bytes.withUnsafeBufferPointer { pixels in
            guard let start = pixels.baseAddress else { return BYTECLUB_PNG_REFUSED }
            return byteclub_png_encode(
                start, UInt32(size.width), UInt32(size.height), keepsAlpha ? 1 : 0, &result, &count)
        }
        guard status == BYTECLUB_PNG_FINE, let result else {
            throw PictureError(
                status == BYTECLUB_PNG_NO_MEMORY ? .outOfMemory : .tooLarge,
                operation: "write a picture")
        }
        defer { free(result) }
        return Data(bytes: result, count: count)
    }
}
