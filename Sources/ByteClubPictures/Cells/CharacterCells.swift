/// One pixel per cell, with its brightness shown by the character's weight.
///
/// Few pictures use the full range from black to white, and there are only ten characters: so a picture's own
/// range is stretched, without its darkest and brightest 2%.
enum CharacterCells {
    /// From light to heavy.
    private static let ramp = Array(" .:-=+*#%@".unicodeScalars)

    /// - Parameter pixels: `size.columns` × `size.rows` pixels.
    static func cells(from pixels: PixelImage, size: CellSize, onDark: Bool) -> CellImage {
        var result = CellImage(size: size)
        let brightness = (0..<size.columns * size.rows).map { index -> Int? in
            let pixel = pixels[index % size.columns, index / size.columns]
            return pixel.alpha < 128 ? nil : pixel.luma
        }
        let range = usedRange(of: brightness.compactMap { $0 })
        for (index, brightness) in brightness.enumerated() {
            guard let brightness else { continue }
            let place = min(max(brightness, range.lowerBound), range.upperBound) - range.lowerBound
            let step = place * (ramp.count - 1) / max(1, range.upperBound - range.lowerBound)
            result.cells[index].glyph = onDark ? ramp[step] : ramp[ramp.count - 1 - step]
        }
        return result
    }

    /// The middle 96% of the values, at least 32 levels wide, so that noise is not amplified.
    private static func usedRange(of values: [Int]) -> ClosedRange<Int> {
        guard !values.isEmpty else { return 0...255 }
        let sorted = values.sorted()
        let low = sorted[sorted.count / 50]
        let high = sorted[sorted.count - 1 - sorted.count / 50]
        guard high - low < 32 else { return low...high }
        let start = min(max(0, (low + high) / 2 - 16), 255 - 32)
        return start...start + 32
    }
}

extension PixelImage.Pixel {
    /// Brightness from 0 to 255.
    ///
    /// Source: ITU-R BT.709, 3.2, in 256ths.
    fileprivate var luma: Int {
        (54 * Int(red) + 183 * Int(green) + 19 * Int(blue)) >> 8
    }
}
