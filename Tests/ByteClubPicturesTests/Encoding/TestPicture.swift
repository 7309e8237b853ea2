import ByteClubPictures

/// Pictures whose every pixel is known.
enum TestPicture {
    static func make(
        width: Int, height: Int, _ color: (Int, Int) -> (Int, Int, Int)
    ) -> PixelImage {
        var image = PixelImage(size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue) = color(x, y)
                image[x, y] = PixelImage.Pixel(
                    red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
            }
        }
        return image
    }

    static func gradient(width: Int, height: Int) -> PixelImage {
        make(width: width, height: height) { x, y in
            (x * 255 / max(1, width - 1), y * 255 / max(1, height - 1), 128)
        }
    }

    static func noise(width: Int, height: Int) -> PixelImage {
        var state: UInt32 = 12345
        return make(width: width, height: height) { _, _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return (Int(state >> 24), Int(state >> 16 & 255), Int(state >> 8 & 255))
        }
    }

    /// The largest and the mean difference of a component.
    static func difference(_ one: PixelImage, _ other: PixelImage) -> (largest: Int, mean: Double) {
        var (largest, sum) = (0, 0)
        for y in 0..<one.size.height {
            for x in 0..<one.size.width {
                let (left, right) = (one[x, y], other[x, y])
                for (a, b) in [
                    (left.red, right.red), (left.green, right.green), (left.blue, right.blue),
                ] {
                    let difference = abs(Int(a) - Int(b))
                    largest = max(largest, difference)
                    sum += difference
                }
            }
        }
        return (largest, Double(sum) / Double(one.size.pixelCount * 3))
    }
}
