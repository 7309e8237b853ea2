/// Transparent pixels have invisible colors: rows are multiplied by alpha before averaging, or put on white.
enum Transparency {
    static func prepare(
        _ row: UnsafeMutablePointer<UInt8>, pixelCount: Int, keepsAlpha: Bool
    ) {
        var pixel = row
        for _ in 0..<pixelCount {
            let alpha = UInt32(pixel[3])
            if alpha < 255 {
                let white = keepsAlpha ? 0 : (255 - alpha) * 255
                for channel in 0..<3 {
                    pixel[channel] = UInt8((UInt32(pixel[channel]) * alpha + white + 127) / 255)
                }
                if !keepsAlpha { pixel[3] = 255 }
            }
            pixel += 4
        }
    }

    /// Reverses the multiplication after averaging.
    static func divideByAlpha(_ image: inout PixelImage) {
        image.bytes.withUnsafeMutableBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                let alpha = UInt32(bytes[offset + 3])
                guard alpha > 0, alpha < 255 else { continue }
                for channel in offset..<(offset + 3) {
                    bytes[channel] = UInt8(
                        min(255, (UInt32(bytes[channel]) * 255 + alpha / 2) / alpha))
                }
            }
        }
    }
}
