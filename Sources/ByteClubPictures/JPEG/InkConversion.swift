import CByteClubTurboJPEG

/// Conversion from CMYK to RGB without a profile: each ink removes its share of the light.
///
/// Adobe's programs, which write nearly all such files, store the inks inverted (255 means no ink).
struct InkConversion {
    private let isInverted: Bool

    /// Nil if the picture is not stored in CMYK.
    init?(_ info: jpeg_decompress_struct) {
        guard info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK else {
            return nil
        }
        isInverted = info.saw_Adobe_marker != 0
    }

    /// Converts pixels in place, four bytes each.
    func convertToRGBA(_ pixels: UnsafeMutableBufferPointer<UInt8>, pixelCount: Int) {
        let flip: UInt8 = isInverted ? 0 : 255
        for offset in stride(from: 0, to: pixelCount * 4, by: 4) {
            let light = UInt32(pixels[offset + 3] ^ flip)
            for channel in offset..<offset + 3 {
                pixels[channel] = UInt8((UInt32(pixels[channel] ^ flip) * light + 127) / 255)
            }
            pixels[offset + 3] = 255
        }
    }

    /// Converts pixels in place, from four bytes each to three.
    func convertToRGB(_ pixels: UnsafeMutableBufferPointer<UInt8>, pixelCount: Int) {
        convertToRGBA(pixels, pixelCount: pixelCount)
        for pixel in 0..<pixelCount {
            for channel in 0..<3 {
                pixels[pixel * 3 + channel] = pixels[pixel * 4 + channel]
            }
        }
    }
}
