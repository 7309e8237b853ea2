/// A picture in memory: rows of RGBA pixels, 8 bits each, top left first, tightly packed.
///
/// Decoded pictures are opaque. Alpha is used for empty parts of a canvas.
public struct PixelImage: Sendable, Equatable {
    /// One pixel, colors not multiplied by alpha.
    public struct Pixel: Sendable, Hashable {
        public var red: UInt8
        public var green: UInt8
        public var blue: UInt8
        public var alpha: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }
    }

    public let size: PixelSize

    /// `size.pixelCount * 4` bytes: red, green, blue, alpha.
    public internal(set) var bytes: [UInt8]

    /// Creates a picture of one color, by default transparent.
    public init(
        size: PixelSize, filledWith pixel: Pixel = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
    ) {
        precondition(size.width > 0 && size.height > 0, "a picture has at least one pixel")
        self.size = size
        bytes = [UInt8](unsafeUninitializedCapacity: size.pixelCount * 4) { buffer, count in
            let word = UInt32(bigEndian: pixel.word)
            UnsafeMutableRawBufferPointer(buffer).bindMemory(to: UInt32.self)
                .initialize(repeating: word)
            count = size.pixelCount * 4
        }
    }

    /// Uses existing pixels; nil if their number does not match the size.
    public init?(size: PixelSize, bytes: [UInt8]) {
        // The size may be wrong, from a compromised process.
        guard size.width > 0, size.height > 0,
            case let (pixelCount, isTooMany) = size.width.multipliedReportingOverflow(
                by: size.height), !isTooMany,
            bytes.count.isMultiple(of: 4), bytes.count / 4 == pixelCount
        else { return nil }
        self.size = size
        self.bytes = bytes
    }

    public subscript(x: Int, y: Int) -> Pixel {
        get {
            let offset = offset(x, y)
            return Pixel(
                red: bytes[offset], green: bytes[offset + 1], blue: bytes[offset + 2],
                alpha: bytes[offset + 3])
        }
        set {
            let offset = offset(x, y)
            bytes[offset] = newValue.red
            bytes[offset + 1] = newValue.green
            bytes[offset + 2] = newValue.blue
            bytes[offset + 3] = newValue.alpha
        }
    }

    /// The displayed picture, if these are its stored pixels.
    public func oriented(_ orientation: Orientation) -> PixelImage {
        guard orientation != .up else { return self }
        let shown = orientation.applied(to: size)
        var result = PixelImage(size: shown)
        let (width, height) = (size.width, size.height)
        bytes.withUnsafeBytes { source in
            result.bytes.withUnsafeMutableBytes { target in
                // One step to the right in the result is `step` in the source.
                let source = source.bindMemory(to: UInt32.self)
                let target = target.bindMemory(to: UInt32.self)
                let firstColumn = orientation.reversesColumns ? width - 1 : 0
                let firstRow = orientation.reversesRows ? height - 1 : 0
                let columnStep = orientation.reversesColumns ? -1 : 1
                let rowStep = orientation.reversesRows ? -width : width
                let (stepRight, stepDown) =
                    orientation.isTransposed ? (rowStep, columnStep) : (columnStep, rowStep)
                var next = 0
                for y in 0..<shown.height {
                    var from = firstRow * width + firstColumn + y * stepDown
                    for _ in 0..<shown.width {
                        target[next] = source[from]
                        next += 1
                        from += stepRight
                    }
                }
            }
        }
        return result
    }

    private func offset(_ x: Int, _ y: Int) -> Int {
        precondition(
            x >= 0 && x < size.width && y >= 0 && y < size.height, "pixel outside the picture")
        return (y * size.width + x) * 4
    }
}

extension PixelImage.Pixel {
    /// Red in the highest byte.
    fileprivate var word: UInt32 {
        UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
    }
}
