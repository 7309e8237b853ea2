/// A rectangle of a picture, in its pixels as shown.
public struct PicturePart: Sendable, Hashable {
    public let left: Int
    public let top: Int
    public let size: PixelSize

    public init(left: Int, top: Int, size: PixelSize) {
        self.left = left
        self.top = top
        self.size = size
    }

    /// The part of a picture around a region, with some room on each side for what is looked at next;
    /// nil where that is too much to be worth it.
    ///
    /// - Parameter limit: Pixels of it.
    public init?(around region: PixelRegion, in picture: PixelSize, limit: Int) {
        func range(_ start: Double, _ length: Double, _ whole: Int) -> Range<Int>? {
            let first = max(0, (start - length / 2).rounded(.down))
            let last = min(Double(whole), (start + length * 1.5).rounded(.up))
            return last - first >= 1 ? Int(first)..<Int(last) : nil
        }
        guard region.x.magnitude < 1e6, region.y.magnitude < 1e6, region.width < 1e6,
            region.height < 1e6, let columns = range(region.x, region.width, picture.width),
            let rows = range(region.y, region.height, picture.height),
            columns.count * rows.count <= limit
        else { return nil }
        self.init(
            left: columns.lowerBound, top: rows.lowerBound,
            size: PixelSize(width: columns.count, height: rows.count))
    }

    /// Whether a region of the picture lies in this part, but for what goes beyond the picture.
    public func contains(_ region: PixelRegion, in picture: PixelSize) -> Bool {
        let right = min(Double(picture.width), region.x + region.width)
        let bottom = min(Double(picture.height), region.y + region.height)
        let (x, y) = (max(0, region.x), max(0, region.y))
        return own(PixelRegion(x: x, y: y, width: right - x, height: bottom - y)) != nil
    }

    /// A region of the picture in this part's own pixels; nil when some of it lies outside.
    ///
    /// - Parameter picture: Its size; a region may go beyond it, where there is nothing.
    func own(_ region: PixelRegion) -> PixelRegion? {
        let slack = 0.5
        guard region.x >= Double(left) - slack, region.y >= Double(top) - slack,
            region.x + region.width <= Double(left + size.width) + slack,
            region.y + region.height <= Double(top + size.height) + slack
        else { return nil }
        return PixelRegion(
            x: region.x - Double(left), y: region.y - Double(top), width: region.width,
            height: region.height)
    }
}
