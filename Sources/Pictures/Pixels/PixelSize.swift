/// A width and a height in pixels, both at least 1 for every picture that exists.
public struct PixelSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height.
    public var pixelCount: Int { width * height }

    /// Height and width exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// The largest size of this shape inside a box, and never larger than this size itself.
    ///
    /// A side that would vanish stays 1 pixel; a box side below 1 counts as 1.
    public func fitted(in box: PixelSize) -> PixelSize {
        scaled(
            by: min(
                1, Double(max(1, box.width)) / Double(max(1, width)),
                Double(max(1, box.height)) / Double(max(1, height))))
    }

    /// The smallest size of this shape that covers a box, and never larger than this size itself.
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
