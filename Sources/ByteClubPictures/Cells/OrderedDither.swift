/// Reduces pixels to the few colors of a terminal, with a regular pattern for colors in between.
///
/// The pattern is fixed on the screen: a moving picture does not flicker, as with error diffusion.
enum OrderedDither {
    /// Bayer's matrix: 0 to 15, each once in a square of four by four.
    private static let matrix: [Int] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    static func threshold(_ x: Int, _ y: Int) -> Int { matrix[(y & 3) << 2 | x & 3] }

    /// Reduces a picture to exact colors of the terminal.
    static func apply(_ colors: CellColors, to image: inout PixelImage) {
        switch colors {
        case .direct: break
        case .palette: apply(to: &image, paletteColor)
        case .sixteen: apply(to: &image) { basicColor($0, threshold: $1, count: 16) }
        case .eight: apply(to: &image) { basicColor($0, threshold: $1, count: 8) }
        }
    }

    private static func apply(
        to image: inout PixelImage, _ color: (PixelImage.Pixel, Int) -> PixelImage.Pixel
    ) {
        for y in 0..<image.size.height {
            for x in 0..<image.size.width where image[x, y].alpha >= 128 {
                image[x, y] = color(image[x, y], threshold(x, y))
            }
        }
    }

    // MARK: - xterm's palette

    /// The levels of xterm's cube.
    private static let steps: [Int] = [0, 95, 135, 175, 215, 255]

    /// For each value and threshold, one of the two adjacent levels.
    private static let cubeLevels: [UInt8] = (0..<256 * 16).map { index in
        level(of: index >> 4, threshold: index & 15, in: steps)
    }

    /// The gray ramp with black and white at its ends.
    private static let greyLevels: [UInt8] = {
        let ramp = [0] + (0..<24).map { 8 + 10 * $0 } + [255]
        return (0..<256 * 16).map { level(of: $0 >> 4, threshold: $0 & 15, in: ramp) }
    }()

    private static func level(of value: Int, threshold: Int, in steps: [Int]) -> UInt8 {
        let upper = steps.firstIndex { $0 >= value } ?? steps.count - 1
        guard upper > 0, steps[upper] != value else { return UInt8(steps[upper]) }
        let (low, high) = (steps[upper - 1], steps[upper])
        let part = (value - low) * 16
        return UInt8(part > (high - low) * threshold + (high - low) / 2 ? high : low)
    }

    private static func paletteColor(
        _ pixel: PixelImage.Pixel, threshold: Int
    ) -> PixelImage.Pixel {
        let (red, green, blue) = (Int(pixel.red), Int(pixel.green), Int(pixel.blue))
        // The ramp has four times as many levels of gray.
        if max(red, green, blue) - min(red, green, blue) < 10 {
            let grey = greyLevels[((red + green + blue) / 3) << 4 | threshold]
            return PixelImage.Pixel(red: grey, green: grey, blue: grey)
        }
        return PixelImage.Pixel(
            red: cubeLevels[red << 4 | threshold], green: cubeLevels[green << 4 | threshold],
            blue: cubeLevels[blue << 4 | threshold])
    }

    // MARK: - The first sixteen

    /// xterm's default colors: the user's own ones are unknown.
    private static let basic: [(Int, Int, Int)] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205),
        (0, 205, 205), (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    private static func basicColor(
        _ pixel: PixelImage.Pixel, threshold: Int, count: Int
    ) -> PixelImage.Pixel {
        // About half of the distance between two of them, up and down.
        let shift = (threshold * 2 - 15) * (count == 8 ? 6 : 4)
        let (red, green, blue) = (
            Int(pixel.red) + shift, Int(pixel.green) + shift, Int(pixel.blue) + shift
        )
        var (best, bestDistance) = (0, Int.max)
        for (number, color) in basic.prefix(count).enumerated() {
            let (reds, greens, blues) = (red - color.0, green - color.1, blue - color.2)
            let distance = 3 * reds * reds + 4 * greens * greens + 2 * blues * blues
            if distance < bestDistance { (best, bestDistance) = (number, distance) }
        }
        let color = basic[best]
        return PixelImage.Pixel(
            red: UInt8(color.0), green: UInt8(color.1), blue: UInt8(color.2))
    }
}

/// The colors that cells may have.
public enum CellColors: Sendable, Hashable {
    /// All of 24 bits.
    case direct
    /// xterm's 256.
    case palette
    case sixteen
    case eight
}
