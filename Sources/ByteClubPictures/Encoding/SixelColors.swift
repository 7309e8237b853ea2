/// A picture of at most 256 colors.
struct IndexedPicture {
    let size: PixelSize
    let colors: [CellImage.Color]
    /// The color index of each pixel, row by row.
    let pixels: [UInt8]

    /// Scaled to another size by repeating pixels.
    func repeated(to target: PixelSize) -> IndexedPicture {
        guard target != size else { return self }
        let columns = (0..<target.width).map { $0 * size.width / target.width }
        var result = [UInt8](repeating: 0, count: target.pixelCount)
        pixels.withUnsafeBufferPointer { pixels in
            result.withUnsafeMutableBufferPointer { result in
                var before = -1
                for y in 0..<target.height {
                    let row = y * size.height / target.height
                    let start = y * target.width
                    if row == before {
                        let above = result[(start - target.width)..<start]
                        for x in 0..<target.width {
                            result[start + x] = above[above.startIndex + x]
                        }
                    } else {
                        for x in 0..<target.width {
                            result[start + x] = pixels[row * size.width + columns[x]]
                        }
                    }
                    before = row
                }
            }
        }
        return IndexedPicture(size: target, colors: colors, pixels: result)
    }
}

/// Reduces a picture to the colors of a sixel terminal.
enum SixelColors {
    // MARK: - A standard palette

    private static let (reds, greens, blues) = (6, 7, 6)

    /// Six levels of red, seven of green, six of blue.
    private static let cube: [CellImage.Color] = (0..<reds * greens * blues).map { index in
        func level(_ step: Int, of count: Int) -> UInt8 { UInt8(step * 255 / (count - 1)) }
        return CellImage.Color(
            red: level(index / (greens * blues), of: reds),
            green: level(index / blues % greens, of: greens),
            blue: level(index % blues, of: blues))
    }

    private static func steps(_ count: Int, factor: Int) -> [UInt8] {
        (0...255).map { UInt8(($0 * (count - 1) + 127) / 255 * factor) }
    }

    private static let redSteps = steps(reds, factor: greens * blues)
    private static let greenSteps = steps(greens, factor: blues)
    private static let blueSteps = steps(blues, factor: 1)

    /// Uses the nearest colors of a cube: fast, and stable while the picture moves.
    static func standard(_ image: PixelImage) -> IndexedPicture {
        let count = image.size.pixelCount
        let pixels = image.bytes.withUnsafeBufferPointer { bytes in
            redSteps.withUnsafeBufferPointer { reds in
                greenSteps.withUnsafeBufferPointer { greens in
                    blueSteps.withUnsafeBufferPointer { blues in
                        [UInt8](unsafeUninitializedCapacity: count) { target, length in
                            for pixel in 0..<count {
                                target[pixel] =
                                    reds[Int(bytes[pixel * 4])]
                                    + greens[Int(bytes[pixel * 4 + 1])]
                                    + blues[Int(bytes[pixel * 4 + 2])]
                            }
                            length = count
                        }
                    }
                }
            }
        }
        return IndexedPicture(size: image.size, colors: cube, pixels: pixels)
    }

    // MARK: - The picture's own palette

    /// Uses the best colors for the picture, with dithering.
    static func chosen(for image: PixelImage) -> IndexedPicture {
        let histogram = ColorHistogram(image)
        let colors = histogram.palette(count: 255)
        let nearest = histogram.nearest(in: colors)
        let (width, height) = (image.size.width, image.size.height)
        let pixels = image.bytes.withUnsafeBufferPointer { bytes in
            [UInt8](unsafeUninitializedCapacity: width * height) { target, length in
                for y in 0..<height {
                    for x in 0..<width {
                        let pixel = y * width + x
                        // A fraction of a table step: between two colors, the pattern decides.
                        let shift = OrderedDither.threshold(x, y) / 2
                        func bin(_ value: UInt8) -> Int { min(255, Int(value) + shift) >> 3 }
                        target[pixel] =
                            nearest[
                                bin(bytes[pixel * 4]) << 10 | bin(bytes[pixel * 4 + 1]) << 5
                                    | bin(bytes[pixel * 4 + 2])]
                    }
                }
                length = width * height
            }
        }
        return IndexedPicture(size: image.size, colors: colors, pixels: pixels)
    }
}

/// The frequency of colors, in 32 levels per component.
private struct ColorHistogram {
    private let counts: [UInt32]
    private let used: [Int]

    init(_ image: PixelImage) {
        var counts = [UInt32](repeating: 0, count: 1 << 15)
        image.bytes.withUnsafeBufferPointer { bytes in
            for pixel in 0..<image.size.pixelCount {
                let bin =
                    Int(bytes[pixel * 4] >> 3) << 10 | Int(bytes[pixel * 4 + 1] >> 3) << 5
                    | Int(bytes[pixel * 4 + 2] >> 3)
                counts[bin] &+= 1
            }
        }
        used = counts.indices.filter { counts[$0] > 0 }
        self.counts = counts
    }

    private static func component(_ bin: Int, _ axis: Int) -> Int { bin >> (10 - 5 * axis) & 31 }

    /// Median cut: repeatedly halves the box with the most pixels in the widest range.
    func palette(count: Int) -> [CellImage.Color] {
        var boxes = [Box(bins: used[...], counts)]
        while boxes.count < count {
            guard let index = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
                boxes[index].weight > 0
            else { break }
            let (low, high) = boxes[index].halves(counts)
            boxes[index] = low
            boxes.append(high)
        }
        return boxes.map { $0.mean(counts) }
    }

    private struct Box {
        let bins: ArraySlice<Int>
        let axis: Int
        /// The gain of halving it; zero for a single color.
        let weight: Int

        init(bins: ArraySlice<Int>, _ counts: [UInt32]) {
            self.bins = bins
            let ranges = (0..<3).map { axis in
                let values = bins.lazy.map { component($0, axis) }
                return (values.max() ?? 0) - (values.min() ?? 0)
            }
            axis = ranges.indices.max { ranges[$0] < ranges[$1] } ?? 0
            let total = bins.reduce(0) { $0 + Int(counts[$1]) }
            weight = bins.count > 1 ? ranges[axis] * ranges[axis] * total : 0
        }

        func halves(_ counts: [UInt32]) -> (Box, Box) {
            let sorted = bins.sorted { component($0, axis) < component($1, axis) }
            let half = sorted.reduce(0) { $0 + Int(counts[$1]) } / 2
            var (sum, cut) = (0, 0)
            while cut < sorted.count - 1, cut == 0 || sum < half {
                sum += Int(counts[sorted[cut]])
                cut += 1
            }
            return (Box(bins: sorted[..<cut], counts), Box(bins: sorted[cut...], counts))
        }

        func mean(_ counts: [UInt32]) -> CellImage.Color {
            var sums = [0, 0, 0]
            var total = 0
            for bin in bins {
                let count = Int(counts[bin])
                total += count
                for axis in 0..<3 { sums[axis] += (component(bin, axis) * 8 + 4) * count }
            }
            let parts = sums.map { UInt8(min(255, $0 / max(1, total))) }
            return CellImage.Color(red: parts[0], green: parts[1], blue: parts[2])
        }
    }

    /// The index of the nearest color, by the five highest bits of each component.
    ///
    /// Dithering may produce colors one step away from those of the picture.
    func nearest(in colors: [CellImage.Color]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 1 << 15)
        var isNeeded = [Bool](repeating: false, count: 1 << 15)
        for bin in used {
            for step in 0..<8 {
                let next = (0..<3).reduce(0) { sum, axis in
                    let value = min(31, Self.component(bin, axis) + (step >> axis & 1))
                    return sum << 5 | value
                }
                isNeeded[next] = true
            }
        }
        let palette = colors.map { SIMD4<Int32>(Int32($0.red), Int32($0.green), Int32($0.blue), 0) }
        for bin in isNeeded.indices where isNeeded[bin] {
            let wanted = SIMD4<Int32>(
                Int32(Self.component(bin, 0) * 8 + 4), Int32(Self.component(bin, 1) * 8 + 4),
                Int32(Self.component(bin, 2) * 8 + 4), 0)
            var (best, bestDistance) = (0, Int32.max)
            for (number, color) in palette.enumerated() {
                let difference = color &- wanted
                let distance = (difference &* difference).wrappedSum()
                if distance < bestDistance { (best, bestDistance) = (number, distance) }
            }
            result[bin] = UInt8(best)
        }
        return result
    }
}
