/// A width and a height in pixels, both at least 1 for a valid picture.
public struct PixelSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height.
    public var pixelCount: Int { width * height }

    /// Width and height swapped.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size with this aspect ratio that fits into a box, at most this size.
    ///
    /// Each side is at least 1 pixel; a box side below 1 counts as 1.
    public func fitted(in box: PixelSize) -> PixelSize {
        scaled(
            by: min(
                1, Double(max(1, box.width)) / Double(max(1, width)),
                Double(max(1, box.height)) / Double(max(1, height))))
    }

    /// The smallest size with this aspect ratio that covers a box, at most this size.
    public func covering(_ box: PixelSize) -> PixelSize {
        scaled(
            by: min(
                1,
                max(
                    Double(max(1, box.width)) / Double(max(1, width)),
                    Double(max(1, box.height)) / Double(max(1, height)))))
    }

    func scaled(by factor: Double) -> PixelSize {
        PixelSize(
            width: max(1, Int((Double(width) * factor).rounded())),
            height: max(1, Int((Double(height) * factor).rounded())))
    }
}

extension PixelSize: CustomStringConvertible {
    public var description: String { "\(width) × \(height)" }
}
