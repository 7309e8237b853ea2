/// Renders pictures for a terminal: in characters, or in pixels with the same in characters below.
///
/// A value type; rendering runs on the calling thread, and takes tens of milliseconds at rest: call it on a
/// `PictureQueue` then.
public struct PictureRenderer: Sendable {
    /// Renders characters for moving pictures.
    public let moving: CellRenderer
    /// Renders characters for pictures at rest.
    public let resting: CellRenderer
    /// Encodes pixels; nil if the terminal only shows characters.
    public let encoder: (any PictureEncoder)?
    /// The size of a cell in pixels.
    public let cell: PixelSize
    /// The rate of the terminal; nil if unknown.
    public let bytesPerSecond: Double?

    public init(
        moving: CellRenderer, resting: CellRenderer, encoder: (any PictureEncoder)? = nil,
        cell: PixelSize = PixelSize(width: 8, height: 16), bytesPerSecond: Double? = nil
    ) {
        self.moving = moving
        self.resting = resting
        self.encoder = encoder
        self.cell = cell
        self.bytesPerSecond = bytesPerSecond
    }

    /// More pixels than any screen has: a terminal may report any cell size.
    private static let largestPixelCount = 16_000_000.0

    private func size(of screen: PixelSize, scale: Double) -> PixelSize {
        let most = (Self.largestPixelCount / Double(max(1, screen.pixelCount))).squareRoot()
        return screen.scaled(by: min(1, max(0.05, scale), most))
    }

    /// Renders the visible part of a picture.
    ///
    /// - Parameters:
    ///   - id: The picture's number.
    ///   - scale: Rendered pixels per screen pixel in each direction, at most 1.
    public func frame(
        of picture: PictureLevels, through viewport: PanoramaViewport, filling box: CellSize,
        for motion: PictureMotion, id: UInt32, scale: Double = 1
    ) -> PictureFrame {
        let renderer = motion == .moving || encoder != nil ? moving : resting
        let window = viewport.region(
            of: picture.largest.size, in: box, cellAspect: renderer.cellAspect)
        let part = (
            width: window.width / Double(picture.largest.size.width),
            height: window.height / Double(picture.largest.size.height)
        )
        let largest = picture.largest.size
        // The close-up is only needed if the levels have too few pixels.
        let closeUp =
            window.width < Double(renderer.gridSize(of: box).width) * 2
                || window.width < Double(box.columns * cell.width) ? picture.closeUp : nil
        let cells =
            closeUp?.source(window, of: largest).map { renderer.render($0, filling: box) }
            ?? renderer.render(
                picture.image(showing: part, in: renderer.gridSize(of: box)), through: viewport,
                filling: box)
        guard let encoder, box.columns > 0, box.rows > 0,
            let place = CellRegion(of: window, in: picture.largest.size, viewport.wraps, box)
        else { return PictureFrame(cells: cells) }
        let screen = place.pixelSize(cell)
        let size = size(of: screen, scale: scale)
        let share = (
            width: part.width * Double(place.size.columns) / Double(box.columns),
            height: part.height * Double(place.size.rows) / Double(box.rows)
        )
        let close = closeUp?.source(
            place.visible(of: window, in: largest, wraps: viewport.wraps), of: largest)
        let image = close?.image ?? picture.image(showing: share, in: size)
        let region =
            close?.region
            ?? place.visible(
                of: viewport.region(of: image.size, in: box, cellAspect: renderer.cellAspect),
                in: image.size, wraps: viewport.wraps)
        let wraps = close == nil && viewport.wraps
        let pixels =
            motion == .moving
            ? image.sampled(region, to: size, wraps: wraps)
            : image.scaled(region, to: size, wraps: wraps)
        return PictureFrame(
            cells: cells,
            pixels: PictureFrame.Pixels(
                id: id, place: place,
                bytes: encoder.encode(pixels, as: id, over: place.size, of: screen, for: motion)))
    }

    /// Renders a whole picture fitted into a box.
    public func frame(
        of image: PixelImage, fitting box: CellSize, id: UInt32
    ) -> PictureFrame {
        let cells = resting.render(image, fitting: box)
        guard let encoder, cells.size.columns > 0, cells.size.rows > 0 else {
            return PictureFrame(cells: cells)
        }
        let place = CellRegion(column: 0, row: 0, size: cells.size)
        let screen = place.pixelSize(cell)
        let size = size(
            of: screen,
            scale: scale(for: .resting, filling: cells.size, bytesPerSecond: bytesPerSecond))
        return PictureFrame(
            cells: cells,
            pixels: PictureFrame.Pixels(
                id: id, place: place,
                bytes: encoder.encode(
                    image.scaled(to: size), as: id, over: cells.size, of: screen, for: .resting)))
    }

    /// The pixels that a box of cells can show: decode to fit in this many.
    public func pixelSize(of box: CellSize) -> PixelSize {
        let cells = resting.pixelSize(of: box)
        guard encoder != nil else { return cells }
        return PixelSize(
            width: max(cells.width, box.columns * cell.width),
            height: max(cells.height, box.rows * cell.height))
    }

    /// The number of rendered pixels per screen pixel, in each direction, for a terminal's rate in bytes per
    /// second: moving pictures should appear at once, those at rest soon.
    ///
    /// - Parameter rate: Nil if unknown.
    public func scale(
        for motion: PictureMotion, filling box: CellSize, bytesPerSecond rate: Double?
    ) -> Double {
        guard let encoder else { return 1 }
        let usual = motion == .moving ? 0.5 : 1
        guard let rate else { return usual }
        let pixelCount = Double(max(1, box.columns * cell.width * box.rows * cell.height))
        let budget = rate * (motion == .moving ? 0.03 : 0.4)
        let whole = pixelCount * encoder.byteCount(perPixelFor: motion)
        return max(0.1, min(usual, (budget / whole).squareRoot()))
    }
}

/// A rendered picture.
public struct PictureFrame: Sendable {
    /// Shown where pixels cannot be.
    public let cells: CellImage
    public let pixels: Pixels?

    public struct Pixels: Sendable {
        public let id: UInt32
        /// The cells that the pixels cover.
        public let place: CellRegion
        /// The sequences to send to the terminal.
        public let bytes: [UInt8]
    }

    init(cells: CellImage, pixels: Pixels? = nil) {
        self.cells = cells
        self.pixels = pixels
    }
}

/// A rectangle of cells.
public struct CellRegion: Sendable, Hashable {
    public let column: Int
    public let row: Int
    public let size: CellSize

    init(column: Int, row: Int, size: CellSize) {
        self.column = column
        self.row = row
        self.size = size
    }

    /// The cells of a box that show a picture, rounded to whole ones; nil for none.
    ///
    /// - Parameter window: The visible region in pixels of the picture; may exceed it.
    init?(of window: PixelRegion, in picture: PixelSize, _ wraps: Bool, _ box: CellSize) {
        func range(_ start: Double, _ length: Double, _ limit: Int, _ count: Int) -> Range<Int> {
            let first = max(0, (-start / length * Double(count)).rounded())
            let last = min(
                Double(count), ((Double(limit) - start) / length * Double(count)).rounded())
            return Int(first)..<max(Int(first), Int(last))
        }
        guard window.width > 0, window.height > 0 else { return nil }
        let columns =
            wraps
            ? 0..<box.columns : range(window.x, window.width, picture.width, box.columns)
        let rows = range(window.y, window.height, picture.height, box.rows)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        self.init(
            column: columns.lowerBound, row: rows.lowerBound,
            size: CellSize(columns: columns.count, rows: rows.count))
    }

    func pixelSize(_ cell: PixelSize) -> PixelSize {
        PixelSize(width: size.columns * cell.width, height: size.rows * cell.height)
    }

    /// The part of the window that these cells show of a picture.
    func visible(of window: PixelRegion, in picture: PixelSize, wraps: Bool) -> PixelRegion {
        window.visible(in: picture, wraps: wraps)
    }
}
