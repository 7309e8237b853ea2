/// A rectangle in a picture, in its pixels, with fractions.
public struct PixelRegion: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// A whole picture.
    public init(whole size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }
}

extension PixelImage {
    /// Scales a region of the picture to a size by averaging.
    ///
    /// Outside of the picture the result is transparent, or continues at the other end of a picture that
    /// wraps.
    public func scaled(
        _ region: PixelRegion? = nil, to target: PixelSize, wraps: Bool = false
    ) -> PixelImage {
        guard let region, region != PixelRegion(whole: size) else {
            return scaledWhole(to: target)
        }
        // Whole source columns under the region; its edges may cut the outer ones.
        let limit = 1e6
        guard region.width > 0, region.height > 0, region.x.magnitude < limit,
            region.y.magnitude < limit, region.width < limit, region.height < limit
        else { return PixelImage(size: target) }
        let left = Int(region.x.rounded(.down))
        let right = max(left + 1, Int((region.x + region.width).rounded(.up)))
        let top = Int(region.y.rounded(.down))
        let bottom = max(top + 1, Int((region.y + region.height).rounded(.up)))

        let scaler = AreaScaler(
            from: PixelSize(width: right - left, height: bottom - top),
            area: PixelRegion(
                x: region.x - Double(left), y: region.y - Double(top), width: region.width,
                height: region.height),
            to: target)
        let isInside = left >= 0 && right <= size.width
        let row = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: (right - left) * 4)
        defer { row.deallocate() }
        bytes.withUnsafeBufferPointer { bytes in
            for y in top..<bottom {
                guard y >= 0 && y < size.height else {
                    row.initialize(repeating: 0)
                    scaler.add(row: UnsafePointer(row.baseAddress!))
                    continue
                }
                let source = bytes.baseAddress! + y * size.width * 4
                if isInside {
                    scaler.add(row: source + left * 4)
                } else {
                    fill(row, from: source, left: left, right: right, wraps: wraps)
                    scaler.add(row: UnsafePointer(row.baseAddress!))
                }
            }
        }
        return scaler.finish()
    }

    private func scaledWhole(to target: PixelSize) -> PixelImage {
        guard target != size else { return self }
        let scaler = AreaScaler(from: size, to: target)
        bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<size.height {
                scaler.add(row: bytes.baseAddress! + y * size.width * 4)
            }
        }
        return scaler.finish()
    }

    /// Copies columns `left..<right` of a row, in runs that do not cross the picture's edges.
    private func fill(
        _ row: UnsafeMutableBufferPointer<UInt8>, from source: UnsafePointer<UInt8>, left: Int,
        right: Int, wraps: Bool
    ) {
        let width = size.width
        var column = left
        while column < right {
            let target = row.baseAddress! + (column - left) * 4
            if wraps {
                let from = ((column % width) + width) % width
                let count = min(right - column, width - from)
                target.update(from: source + from * 4, count: count * 4)
                column += count
            } else if column >= 0 && column < width {
                let count = min(right, width) - column
                target.update(from: source + column * 4, count: count * 4)
                column += count
            } else {
                let count = (column < 0 ? min(right, 0) : right) - column
                target.update(repeating: 0, count: count * 4)
                column += count
            }
        }
    }
}
