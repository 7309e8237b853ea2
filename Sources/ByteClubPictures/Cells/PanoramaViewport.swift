/// The visible part of a picture, and its movement.
///
/// At a zoom of 1 the picture's height fills the window: a panorama then extends to the left and right.
public struct PanoramaViewport: Sendable, Hashable {
    /// The horizontal center of the window in the picture, from 0 at the left to 1 at the right.
    public private(set) var centerX = 0.5

    /// From 0 at the top to 1 at the bottom.
    public private(set) var centerY = 0.5

    /// The magnification relative to full height.
    public private(set) var zoom = 1.0

    /// Whether the picture's ends meet: a full turn.
    public var wraps: Bool

    public static let zoomRange = 0.05...64.0

    public init(wraps: Bool = false) {
        self.wraps = wraps
    }

    /// Moves the window by a fraction of the picture's width; a quarter of a full turn is 0.25.
    public mutating func turn(by part: Double) {
        guard part.isFinite else { return }
        let moved = centerX + part
        centerX = wraps ? moved - moved.rounded(.down) : min(1, max(0, moved))
    }

    /// Moves the window by a fraction of the picture's height.
    public mutating func tilt(by part: Double) {
        guard part.isFinite else { return }
        centerY = min(1, max(0, centerY + part))
    }

    /// Multiplies the zoom, within `zoomRange`.
    public mutating func zoom(by factor: Double) {
        guard factor.isFinite else { return }
        zoom = min(Self.zoomRange.upperBound, max(Self.zoomRange.lowerBound, zoom * factor))
    }

    /// Shows the whole picture.
    public mutating func fit(_ picture: PixelSize, in box: CellSize, cellAspect: Double) {
        zoom = fittingZoom(picture, box, cellAspect)
        centerX = 0.5
        centerY = 0.5
    }

    private func fittingZoom(
        _ picture: PixelSize, _ box: CellSize, _ cellAspect: Double
    ) -> Double {
        let shape = Double(picture.width) / Double(picture.height)
        return min(1, max(Self.zoomRange.lowerBound, windowShape(box, cellAspect) / shape))
    }

    /// Clamps the zoom to the whole picture, and the center to possible positions of the window, so that moving
    /// beyond an edge has no effect and the first move back is visible.
    public mutating func clamp(in picture: PixelSize, _ box: CellSize, cellAspect: Double) {
        zoom = max(zoom, fittingZoom(picture, box, cellAspect))
        let region = region(of: picture, in: box, cellAspect: cellAspect)
        if !wraps { centerX = (region.x + region.width / 2) / Double(picture.width) }
        centerY = (region.y + region.height / 2) / Double(picture.height)
    }

    /// The visible part, in the picture's pixels.
    ///
    /// The window stays inside a larger picture, and is centered on a smaller one.
    public func region(
        of picture: PixelSize, in box: CellSize, cellAspect: Double
    ) -> PixelRegion {
        let height = Double(picture.height) / zoom
        let width = height * windowShape(box, cellAspect)
        let x =
            wraps
            ? Double(picture.width) * centerX - width / 2
            : Self.start(of: width, around: centerX, in: Double(picture.width))
        return PixelRegion(
            x: x, y: Self.start(of: height, around: centerY, in: Double(picture.height)),
            width: width, height: height)
    }

    private func windowShape(_ box: CellSize, _ cellAspect: Double) -> Double {
        Double(max(1, box.columns)) * cellAspect / Double(max(1, box.rows))
    }

    private static func start(of length: Double, around center: Double, in whole: Double) -> Double
    {
        length >= whole
            ? (whole - length) / 2
            : min(whole - length, max(0, whole * center - length / 2))
    }
}
