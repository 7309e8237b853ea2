/// A picture in several sizes, each half of the previous one, so that a view reads only as many pixels as it
/// shows.
public struct PictureLevels: Sendable {
    /// Largest first.
    public let images: [PixelImage]

    /// A part of the picture in full resolution, after zooming in.
    public var closeUp: CloseUp?

    /// The pixels of a part of a picture.
    public struct CloseUp: Sendable {
        public let part: PicturePart
        public let image: PixelImage
        /// The size of the whole picture.
        public let fullSize: PixelSize

        /// - Precondition: The image has the part's size.
        public init(_ image: PixelImage, _ part: PicturePart, of fullSize: PixelSize) {
            precondition(image.size == part.size, "pixels of another part")
            self.part = part
            self.image = image
            self.fullSize = fullSize
        }

        /// These pixels with the region in them, if they cover a region given in another size of the picture.
        func source(_ region: PixelRegion, of size: PixelSize) -> PictureSample? {
            let across = Double(fullSize.width) / Double(size.width)
            let down = Double(fullSize.height) / Double(size.height)
            let full = PixelRegion(
                x: region.x * across, y: region.y * down, width: region.width * across,
                height: region.height * down)
            return part.own(full).map { PictureSample(image: image, region: $0) }
        }
    }

    /// Computes the smaller sizes: some milliseconds for a picture of a screen's size.
    public init(_ image: PixelImage) {
        var images = [image]
        while let last = images.last, last.size.width > 128, last.size.height > 64 {
            images.append(last.halved())
        }
        self.images = images
    }

    /// Uses existing sizes, largest first; nil if there are none.
    public init?(images: [PixelImage]) {
        guard !images.isEmpty else { return nil }
        self.images = images
    }

    public var largest: PixelImage { images[0] }

    /// The smallest image with enough pixels for a part of the picture.
    ///
    /// - Parameters:
    ///   - part: The visible fraction of the picture's width and height, each from 0 to 1 or more.
    public func image(
        showing part: (width: Double, height: Double), in target: PixelSize
    ) -> PixelImage {
        images.last { image in
            Double(image.size.width) * part.width >= Double(target.width)
                && Double(image.size.height) * part.height >= Double(target.height)
        } ?? largest
    }
}

/// A region of an image.
struct PictureSample {
    let image: PixelImage
    let region: PixelRegion
}

extension PixelImage {
    /// Half of the size, averaging four pixels each. An odd last column or row is omitted.
    func halved() -> PixelImage {
        let target = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
        guard size.width > 1, size.height > 1 else { return scaled(to: target) }
        let stride = size.width * 4
        let result = bytes.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: target.pixelCount * 4) { out, count in
                var next = 0
                for y in 0..<target.height {
                    var from = y * 2 * stride
                    for _ in 0..<target.width {
                        for channel in 0..<4 {
                            let place = from + channel
                            let sum =
                                UInt32(source[place]) + UInt32(source[place + 4])
                                + UInt32(source[place + stride])
                                + UInt32(source[place + stride + 4])
                            out[next + channel] = UInt8(truncatingIfNeeded: (sum + 2) >> 2)
                        }
                        next += 4
                        from += 8
                    }
                }
                count = target.pixelCount * 4
            }
        }
        return PixelImage(size: target, bytes: result) ?? self
    }

    /// Scales a region with bilinear filtering: for moving pictures. The region should have at most twice the
    /// pixels in each direction.
    ///
    /// - Parameter wraps: Whether the picture continues at its other end; else its last column is repeated.
    func sampled(_ region: PixelRegion, to target: PixelSize, wraps: Bool) -> PixelImage {
        /// The source position of each pixel: the first of two, the second, and the weight of the second in
        /// 256ths.
        func places(
            _ start: Double, _ length: Double, _ count: Int, _ limit: Int, wraps: Bool
        ) -> [(Int, Int, Int32)] {
            (0..<count).map { index in
                let place = start + (Double(index) + 0.5) * length / Double(count) - 0.5
                let low = place.rounded(.down)
                func inside(_ value: Int) -> Int {
                    wraps ? ((value % limit) + limit) % limit : min(limit - 1, max(0, value))
                }
                let first = Int(max(-1e9, min(1e9, low)))
                return (inside(first), inside(first + 1), Int32((place - low) * 256))
            }
        }
        let columns = places(region.x, region.width, target.width, size.width, wraps: wraps)
        let rows = places(region.y, region.height, target.height, size.height, wraps: false)
        let stride = size.width
        let result = bytes.withUnsafeBytes { raw in
            let source = raw.bindMemory(to: SIMD4<UInt8>.self)
            return [UInt8](unsafeUninitializedCapacity: target.pixelCount * 4) { out, count in
                let out = UnsafeMutableRawBufferPointer(out).bindMemory(to: SIMD4<UInt8>.self)
                columns.withUnsafeBufferPointer { columns in
                    var next = 0
                    for (top, bottom, down) in rows {
                        let (upper, lower) = (top * stride, bottom * stride)
                        for (left, right, across) in columns {
                            func wide(_ index: Int) -> SIMD4<Int32> {
                                SIMD4<Int32>(truncatingIfNeeded: source[index])
                            }
                            let first = wide(upper + left)
                            let above =
                                first &* 256 &+ (wide(upper + right) &- first) &* across
                            let second = wide(lower + left)
                            let below =
                                second &* 256 &+ (wide(lower + right) &- second) &* across
                            let mean = above &* 256 &+ (below &- above) &* down
                            out[next] = SIMD4<UInt8>(truncatingIfNeeded: mean &>> 16)
                            next += 1
                        }
                    }
                }
                count = target.pixelCount * 4
            }
        }
        return PixelImage(size: target, bytes: result) ?? self
    }
}
