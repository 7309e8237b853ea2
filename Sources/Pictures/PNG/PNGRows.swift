/// The rows of a PNG on their way into a smaller picture.
///
/// Transparent pixels have colors too, which nobody is to see: rows are multiplied by their alpha
/// before they are averaged, or put on white.
struct PNGRows {
    private let header: PNGDecoder.Header
    private let size: PixelSize
    private let keepsAlpha: Bool

    init(header: PNGDecoder.Header, to size: PixelSize, keepsAlpha: Bool) {
        self.header = header
        self.size = size
        self.keepsAlpha = keepsAlpha
    }

    func decode(
        _ decoder: borrowing PNGDecoder, operation: String
    ) throws(PictureError) -> PixelImage {
        let grey = PixelImage.Pixel(red: 128, green: 128, blue: 128)
        let scaler = AreaScaler(from: header.size, to: size, background: grey)
        let rowCount = header.isInterlaced ? header.size.height : 1
        let rowByteCount = header.size.width * 4
        let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: rowByteCount * rowCount)
        rows.initialize(repeating: 128, count: rowByteCount * rowCount)
        defer { rows.deallocate() }
        if header.isInterlaced {
            do throws(PictureError) {
                try decoder.decodePasses(into: rows)
            } catch {
                // Of all its passes the first show something everywhere.
                guard error.code == .damaged || error.code == .truncated else { throw error }
            }
        }
        for row in 0..<header.size.height {
            if row % 64 == 0, Task.isCancelled {
                throw PictureError(.cancelled, operation: operation)
            }
            let start = rows + (header.isInterlaced ? row * rowByteCount : 0)
            if !header.isInterlaced {
                do throws(PictureError) {
                    try decoder.decode(into: start)
                } catch {
                    // Show what there is of a picture that breaks off, if there is something.
                    guard row > 0, error.code == .damaged || error.code == .truncated else {
                        throw error
                    }
                    break
                }
            }
            if header.hasAlpha { prepare(start) }
            scaler.add(row: UnsafePointer(start))
        }
        var image = scaler.finish()
        if keepsAlpha { Self.divideByAlpha(&image) }
        return image
    }

    private func prepare(_ row: UnsafeMutablePointer<UInt8>) {
        var pixel = row
        for _ in 0..<header.size.width {
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

    private static func divideByAlpha(_ image: inout PixelImage) {
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
