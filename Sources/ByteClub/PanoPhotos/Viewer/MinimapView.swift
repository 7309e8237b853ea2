internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// A panorama in one row, with the visible part bright, and its direction.
final class MinimapView: View {
    /// What is shown.
    struct Place: Equatable {
        /// The visible part, from 0 at the left to 1 at the right; exceeds this range across the seam.
        var visible: ClosedRange<Double>
        /// E.g. `213° SW`.
        var words: String
    }

    var place: Place? {
        didSet { if place != oldValue { setNeedsDisplay() } }
    }

    /// The picture as one row of cells in the map's width: bright and dark.
    private var strips: (bright: ImageCells, dark: ImageCells)?
    private var stripWidth = 0
    private var picture: PictureLevels?

    static let wordsWidth = 8

    /// Sets another picture.
    func show(_ picture: PictureLevels?) {
        self.picture = picture
        stripWidth = 0
        setNeedsDisplay()
    }

    /// Fast, because it uses the smallest level.
    private func makeStrips(_ width: Int) {
        guard stripWidth != width else { return }
        stripWidth = width
        strips = nil
        guard let small = picture?.images.last, let screen = application?.screen, width > 0 else {
            return
        }
        var renderer = CellRenderer.moving(screen)
        guard renderer.style == .halfBlocks else { return }
        // Two pixels above each other in a cell, whatever its shape.
        renderer.cellAspect = 0.5
        let row = small.scaled(to: PixelSize(width: width, height: 2))
        guard let dark = PixelImage(size: row.size, bytes: Self.darker(row.bytes)) else {
            return
        }
        func cells(_ image: PixelImage) -> ImageCells {
            ImageCells(renderer.render(image, fitting: CellSize(columns: width, rows: 1)))
        }
        strips = (cells(row), cells(dark))
    }

    override func draw(on surface: Surface) {
        guard let place, bounds.width > Self.wordsWidth + 10 else { return }
        let width = bounds.width - Self.wordsWidth - 3
        makeStrips(width)
        for column in 0..<width {
            let isVisible = Self.isVisible(column, of: width, place.visible)
            let spot = Point(x: column + 1, y: 0)
            if let strips {
                let strip = isVisible ? strips.bright : strips.dark
                guard strip.pixels.indices.contains(column) else { continue }
                surface.draw(
                    ImageCells(columnCount: 1, rowCount: 1, pixels: [strip.pixels[column]]),
                    at: spot)
            } else {
                surface.draw(
                    TextLine(isVisible ? "=" : "-", isVisible ? .accent : .border), at: spot)
            }
        }
        surface.draw(
            TextLine(place.words, .secondary),
            in: Rect(x: width + 2, y: 0, width: Self.wordsWidth, height: 1), alignment: .leading)
    }

    /// A third of each color; alpha stays.
    private static func darker(_ bytes: [UInt8]) -> [UInt8] {
        bytes.indices.map { $0 & 3 == 3 ? bytes[$0] : bytes[$0] / 3 }
    }

    /// Whether the middle of a column is visible, including wraparound.
    static func isVisible(_ column: Int, of width: Int, _ range: ClosedRange<Double>) -> Bool {
        let middle = (Double(column) + 0.5) / Double(width)
        return [-1.0, 0, 1].contains { range.contains(middle + $0) }
    }

    /// The direction of a view.
    ///
    /// - Parameters:
    ///   - center: The middle of the view, from 0 to 1.
    ///   - heading: The direction of the picture's middle, in degrees from north; nil if unknown.
    static func words(center: Double, wraps: Bool, heading: Double?) -> String {
        guard wraps else { return "\(Int((center * 100).rounded()))%" }
        let turned = (heading ?? 0) + (center - 0.5) * 360
        let degrees = Int((turned - (turned / 360).rounded(.down) * 360).rounded()) % 360
        guard heading != nil else { return "\(degrees)°" }
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return "\(degrees)° \(names[(degrees + 22) / 45 % 8])"
    }
}
