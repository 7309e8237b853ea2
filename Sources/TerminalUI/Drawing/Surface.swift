/// The frame being drawn: a grid of cells, and the window in which the current view draws.
///
/// A view draws in its own coordinates, with (0, 0) as its upper left corner; drawing is clipped to the
/// window. Text is drawn through ``draw(_:at:style:columns:truncation:)``, which makes control characters
/// visible: nothing can reach the terminal as an escape sequence.
public final class Surface {
    /// The size of the whole frame in cells, independent of the window.
    public let size: Size
    /// The styles by role.
    public var theme: Theme

    /// `size.width × size.height` cells in rows. A constant pointer, because every cell of every frame is
    /// accessed through it.
    private let grid: UnsafeMutableBufferPointer<Cell>

    /// The window in its own coordinates: its origin is (0, 0).
    public var bounds: Rect { Rect(size: window.size) }

    /// The pictures of this frame, in the order of drawing.
    var placedGraphics: [PlacedGraphic] = []

    /// The window and its drawable part, in screen cells.
    private var window: Rect
    private var clip: Rect

    /// A blank frame with a window of the same size; a negative size counts as 0.
    public init(size: Size, theme: Theme = Theme(depth: .palette)) {
        self.size = Size(width: max(0, size.width), height: max(0, size.height))
        self.theme = theme
        grid = .allocate(capacity: self.size.width * self.size.height)
        grid.initialize(repeating: .blank)
        window = Rect(size: self.size)
        clip = window
    }

    deinit { grid.deallocate() }

    /// Starts a new frame: blank, with a window of the same size.
    public func clear() {
        grid.update(repeating: .blank)
        placedGraphics = []
        window = Rect(size: size)
        clip = window
    }

    /// A copy of the cells for ``restore(_:)``.
    func copy() -> ContiguousArray<Cell> { ContiguousArray(grid) }

    /// Starts a new frame with a copy of the same size.
    func restore(_ cells: ContiguousArray<Cell>) {
        precondition(cells.count == grid.count, "cells of another size")
        cells.withUnsafeBufferPointer { _ = grid.update(fromContentsOf: $0) }
        placedGraphics = []
        window = Rect(size: size)
        clip = window
    }

    /// Replaces lines, blocks and dots that are not text by blanks.
    func removeLines() {
        for index in grid.indices {
            guard let scalar = grid[index].grapheme.scalar else { continue }
            switch scalar.value {
            case 0x2500...0x259F, 0x2800...0x28FF: grid[index].grapheme = .space
            default: break
            }
        }
    }

    /// The cells, row after row; valid as long as the surface is.
    var cells: UnsafeBufferPointer<Cell> { UnsafeBufferPointer(grid) }

    /// The cell at a position of the screen, blank outside.
    public subscript(column column: Int, row row: Int) -> Cell {
        guard column >= 0, row >= 0, column < size.width, row < size.height else { return .blank }
        return grid[row * size.width + column]
    }

    /// Draws with `rect` as the window: its corner is (0, 0), and drawing is clipped to it.
    public func inside(_ rect: Rect, _ body: () -> Void) {
        let saved = (window, clip)
        window = rect.offset(by: window.origin)
        clip = clip.intersection(window)
        if !clip.isEmpty { body() }
        (window, clip) = saved
    }

    // MARK: - Cells

    /// Sets one cell; a wide one that does not fit becomes a space.
    public func put(_ cell: Cell, at point: Point) {
        let (window, clip) = (window, clip)
        let x = point.x + window.x
        let y = point.y + window.y
        guard y >= clip.y, y < clip.maxY else { return }
        if cell.columnCount == 2 {
            let hasLeft = x >= clip.x && x < clip.maxX
            let hasRight = x + 1 >= clip.x && x + 1 < clip.maxX
            if hasLeft && hasRight {
                write(cell, x, y)
                write(.continuation(cell.style), x + 1, y)
            } else if hasLeft {
                write(Cell(.space, style: cell.style), x, y)
            } else if hasRight {
                write(Cell(.space, style: cell.style), x + 1, y)
            }
        } else if x >= clip.x, x < clip.maxX {
            write(cell, x, y)
        }
    }

    /// Fills a rectangle of the window with one cell.
    public func fill(_ rect: Rect, with cell: Cell = .blank) {
        let area = rect.offset(by: window.origin).intersection(clip)
        guard !area.isEmpty else { return }
        for y in area.rows {
            release(area.x, y)
            release(area.maxX - 1, y)
            let start = y * size.width
            grid[(start + area.x)..<(start + area.maxX)].update(repeating: cell)
        }
    }

    /// Fills a rectangle of the window with spaces in one style.
    public func fill(_ rect: Rect, style: Style) {
        fill(rect, with: Cell(.space, style: style))
    }

    /// Changes the styles in a rectangle and leaves its text: a selection bar, a backdrop.
    public func restyle(_ rect: Rect, _ change: (Style) -> Style) {
        let area = rect.offset(by: window.origin).intersection(clip)
        guard !area.isEmpty else { return }
        for y in area.rows {
            for index in (y * size.width + area.x)..<(y * size.width + area.maxX) {
                grid[index].style = change(grid[index].style)
            }
        }
    }

    /// A rectangle of the window in screen cells; nil if it is empty or clipped.
    func visibleRect(_ rect: Rect) -> Rect? {
        let area = rect.offset(by: window.origin)
        return area.isEmpty || area.intersection(clip) != area ? nil : area
    }

    /// The visible part of a rectangle of the window, in screen cells; nil if there is none.
    func visiblePart(of rect: Rect) -> Rect? {
        let part = rect.offset(by: window.origin).intersection(clip)
        return part.isEmpty ? nil : part
    }

    var windowOrigin: Point { window.origin }

    /// The cells of a rectangle of the screen, row after row.
    func cells(in area: Rect) -> ContiguousArray<Cell> {
        var result: ContiguousArray<Cell> = []
        result.reserveCapacity(area.width * area.height)
        for y in area.rows {
            result += grid[(y * size.width + area.x)..<(y * size.width + area.maxX)]
        }
        return result
    }

    /// Replaces the cells in a rectangle of the screen, by row and column.
    func replaceCells(in area: Rect, by cell: (_ row: Int, _ column: Int) -> Cell) {
        for y in area.rows {
            release(area.x, y)
            release(area.maxX - 1, y)
            for x in area.columns { grid[y * size.width + x] = cell(y - area.y, x - area.x) }
        }
    }

    /// The style at a position of the window, plain outside.
    func styleInWindow(at point: Point) -> Style {
        let place = point + window.origin
        return clip.contains(place) ? grid[place.y * size.width + place.x].style : .plain
    }

    /// Writes a cell of the screen, and clears the other half of wide graphemes that it overwrites.
    @inline(__always)
    private func write(_ cell: Cell, _ x: Int, _ y: Int) {
        let index = y * size.width + x
        if grid[index].columnCount != 1 { release(x, y) }
        grid[index] = cell
    }

    /// Replaces the other half of a wide grapheme by a space.
    private func release(_ x: Int, _ y: Int) {
        let index = y * size.width + x
        let old = grid[index]
        if old.columnCount == 1 { return }
        if old.columnCount == 2, x + 1 < size.width, grid[index + 1].columnCount == 0 {
            grid[index + 1] = Cell(.space, style: old.style)
        }
        if old.columnCount == 0, x > 0, grid[index - 1].columnCount == 2 {
            grid[index - 1] = Cell(.space, style: old.style)
        }
        grid[index].columnCount = 1
    }

    /// Fast path for printable ASCII.
    func writeASCII(_ bytes: UnsafeBufferPointer<UInt8>, at point: Point, style: Style) {
        let (window, clip) = (window, clip)
        let y = point.y + window.y
        guard y >= clip.y, y < clip.maxY else { return }
        let start = point.x + window.x
        let visible = max(start, clip.x)..<max(start, clip.x, min(start + bytes.count, clip.maxX))
        for x in visible {
            write(Cell(Grapheme(Unicode.Scalar(bytes[x - start])), style: style), x, y)
        }
    }
}
