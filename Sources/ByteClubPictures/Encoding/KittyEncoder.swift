import CByteClubZlib

/// kitty's graphics protocol: raw pixels in chunks, with a placement that characters refer to.
///
/// Source: kitty's "Terminal graphics protocol": "The transmission medium", "Chunked transmission", "Unicode
/// placeholders".
public struct KittyEncoder: PictureEncoder, Equatable {
    /// Whether the sequences pass through tmux.
    public var isInsideTmux: Bool

    public init(isInsideTmux: Bool = false) { self.isInsideTmux = isInsideTmux }

    /// The maximum length of a chunk in the protocol.
    static let pieceLength = 4096

    public func encode(
        _ image: PixelImage, as id: UInt32, over box: CellSize, of pixels: PixelSize,
        for motion: PictureMotion
    ) -> [UInt8] {
        // Moving pictures are not compressed: that would take longer than everything else together.
        let compressed = motion == .resting ? Self.compressed(image) : nil
        let text = compressed.map(Base64Text.encode) ?? Base64Text.encodeColors(of: image)
        let keys =
            "a=T,U=1,q=2,f=24,s=\(image.size.width),v=\(image.size.height),i=\(id)"
            + ",c=\(box.columns),r=\(box.rows)" + (compressed == nil ? "" : ",o=z")
        return pieces(text, keys: keys)
    }

    public func byteCount(perPixelFor motion: PictureMotion) -> Double {
        motion == .moving ? 4.1 : 2.8
    }

    private func pieces(_ text: [UInt8], keys: String) -> [UInt8] {
        let escape: [UInt8] = isInsideTmux ? [0x1B, 0x1B] : [0x1B]
        let end = isInsideTmux ? escape + [0x5C] + Passthrough.end : [0x1B, 0x5C]
        let start = (isInsideTmux ? Passthrough.start : []) + escape + [0x5F, 0x47]
        var result: [UInt8] = []
        result.reserveCapacity(text.count + (text.count / Self.pieceLength + 2) * 96)
        var position = 0
        repeat {
            let next = min(text.count, position + Self.pieceLength)
            let more = next < text.count ? "m=1" : "m=0"
            result += start
            result += (position == 0 ? "\(keys),\(more);" : "\(more);").utf8
            result += text[position..<next]
            result += end
            position = next
        } while position < text.count
        return result
    }

    /// zlib's format (RFC 1950) of the colors; nil if memory runs out.
    private static func compressed(_ image: PixelImage) -> [UInt8]? {
        let colors = image.colorBytes()
        let bound = compressBound(uLong(colors.count))
        var isFine = false
        let result = [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
            var length = bound
            // The fastest level: others hardly reduce the size of a photo.
            isFine =
                compress2(buffer.baseAddress, &length, colors, uLong(colors.count), 1) == Z_OK
            count = isFine ? Int(length) : 0
        }
        return isFine ? result : nil
    }
}

extension PixelImage {
    /// Red, green and blue of each pixel; transparent parts become black.
    func colorBytes() -> [UInt8] {
        let pixelCount = size.pixelCount
        return [UInt8](unsafeUninitializedCapacity: pixelCount * 3) { target, count in
            bytes.withUnsafeBufferPointer { source in
                for pixel in 0..<pixelCount {
                    target[pixel * 3] = source[pixel * 4]
                    target[pixel * 3 + 1] = source[pixel * 4 + 1]
                    target[pixel * 3 + 2] = source[pixel * 4 + 2]
                }
            }
            count = pixelCount * 3
        }
    }
}
