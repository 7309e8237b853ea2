/// A place on the screen, in cells from the upper left corner.
public struct Point: Hashable, Sendable {
    /// The column, from 0 at the left; negative to the left of the origin.
    public var x: Int
    /// The row, from 0 at the top; negative above the origin.
    public var y: Int

    public init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    /// The origin: the upper left corner.
    public static let zero = Point(x: 0, y: 0)

    /// Adds column to column and row to row.
    public static func + (left: Point, right: Point) -> Point {
        Point(x: left.x + right.x, y: left.y + right.y)
    }

    /// Subtracts column from column and row from row.
    public static func - (left: Point, right: Point) -> Point {
        Point(x: left.x - right.x, y: left.y - right.y)
    }
}

/// An extent in cells: columns × rows.
public struct Size: Hashable, Sendable {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// No columns and no rows.
    public static let zero = Size(width: 0, height: 0)
}

/// A rectangle of cells; half-open, so `maxX` and `maxY` are the first cells outside.
public struct Rect: Hashable, Sendable {
    /// The leftmost column.
    public var x: Int
    /// The top row.
    public var y: Int
    /// The number of columns; 0 or less for an empty rectangle.
    public var width: Int
    /// The number of rows; 0 or less for an empty rectangle.
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// A rectangle by its upper left corner and its extent.
    public init(origin: Point = .zero, size: Size) {
        self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
    }

    /// An empty rectangle at the origin.
    public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

    /// The upper left cell.
    public var origin: Point { Point(x: x, y: y) }
    /// The extent in columns and rows.
    public var size: Size { Size(width: width, height: height) }
    /// The first column to the right of it.
    public var maxX: Int { x + width }
    /// The first row below it.
    public var maxY: Int { y + height }
    /// Its columns, half-open; empty when the width is negative.
    public var columns: Range<Int> { x..<max(x, maxX) }
    /// Its rows, half-open; empty when the height is negative.
    public var rows: Range<Int> { y..<max(y, maxY) }
    /// Whether it contains no cells.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Whether a cell is inside; those at ``maxX`` and ``maxY`` are not.
    public func contains(_ point: Point) -> Bool {
        point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
    }

    /// The part that both rectangles share; empty where they do not meet.
    public func intersection(_ other: Rect) -> Rect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return Rect(
            x: left, y: top,
            width: max(0, min(maxX, other.maxX) - left),
            height: max(0, min(maxY, other.maxY) - top))
    }

    /// A rectangle smaller by `dx` columns on the left and the right and by `dy` rows
    /// above and below; never of negative size.
    public func inset(dx: Int = 0, dy: Int = 0) -> Rect {
        Rect(
            x: x + dx, y: y + dy,
            width: max(0, width - 2 * dx), height: max(0, height - 2 * dy))
    }

    /// The same rectangle, `point.x` columns further right and `point.y` rows further down.
    public func offset(by point: Point) -> Rect {
        Rect(x: x + point.x, y: y + point.y, width: width, height: height)
    }

    /// A rectangle of the given size in the middle of this one, made to fit.
    public func centered(_ size: Size) -> Rect {
        let width = min(size.width, self.width)
        let height = min(size.height, self.height)
        return Rect(
            x: x + (self.width - width) / 2, y: y + (self.height - height) / 2,
            width: width, height: height)
    }

    /// Removes rows from the top and returns them.
    public mutating func takeTop(_ rowCount: Int) -> Rect {
        let count = max(0, min(rowCount, height))
        let taken = Rect(x: x, y: y, width: width, height: count)
        y += count
        height -= count
        return taken
    }

    /// Removes rows from the bottom and returns them.
    public mutating func takeBottom(_ rowCount: Int) -> Rect {
        let count = max(0, min(rowCount, height))
        height -= count
        return Rect(x: x, y: y + height, width: width, height: count)
    }

    /// Removes columns from the left and returns them.
    public mutating func takeLeft(_ columnCount: Int) -> Rect {
        let count = max(0, min(columnCount, width))
        let taken = Rect(x: x, y: y, width: count, height: height)
        x += count
        width -= count
        return taken
    }

    /// Removes columns from the right and returns them.
    public mutating func takeRight(_ columnCount: Int) -> Rect {
        let count = max(0, min(columnCount, width))
        width -= count
        return Rect(x: x + width, y: y, width: count, height: height)
    }
}
