/// How the stored pixels must be turned to be shown upright: EXIF's tag 0x0112.
///
/// A case describes where the stored picture's first row and first column are displayed.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.6.4.A "Orientation".
public enum Orientation: Int, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    /// Mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// The camera was turned: show it rotated by a quarter clockwise.
    case right = 6
    /// Mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// Show it rotated by a quarter counter-clockwise.
    case left = 8

    /// Whether width and height change places.
    public var isTransposed: Bool { rawValue >= 5 }

    /// Whether stored columns are walked from the last to the first.
    var reversesColumns: Bool {
        switch self {
        case .upMirrored, .down, .rightMirrored, .left: true
        case .up, .downMirrored, .leftMirrored, .right: false
        }
    }

    /// Whether stored rows are walked from the last to the first.
    var reversesRows: Bool {
        switch self {
        case .down, .downMirrored, .right, .rightMirrored: true
        case .up, .upMirrored, .leftMirrored, .left: false
        }
    }

    /// The size as shown, of a picture stored with a size; and the other way round.
    public func applied(to size: PixelSize) -> PixelSize {
        isTransposed ? size.transposed : size
    }
}
