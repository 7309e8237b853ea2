public import ByteClubPictures
public import TerminalUI

@MainActor extension PictureRenderer {
    /// The renderer for a screen.
    public init(_ screen: any Screen) {
        let pictures = screen.pictures
        let encoder: (any PictureEncoder)? =
            switch pictures.format {
            case .blocks: nil
            case .kitty: KittyEncoder(isInsideTmux: pictures.isInsideTmux)
            case .iterm: InlineImageEncoder(isInsideTmux: pictures.isInsideTmux)
            case .sixel: SixelEncoder()
            }
        // VT340's cells, if the terminal does not report its own.
        let cell = pictures.cellPixels.map { PixelSize(width: $0.width, height: $0.height) }
        self.init(
            moving: .moving(screen), resting: .atRest(screen), encoder: encoder,
            cell: cell ?? PixelSize(width: 10, height: 20), bytesPerSecond: screen.pictureRate)
    }
}

extension Graphic {
    /// Pixels for a terminal.
    public init(_ pixels: PictureFrame.Pixels, on terminal: PictureTerminal) {
        let size = pixels.place.size
        self.init(
            id: pixels.id, terminal.format == .kitty ? .placeholders : .inline,
            size: Size(width: size.columns, height: size.rows), bytes: pixels.bytes)
    }
}

extension ImageView {
    /// Shows a picture in characters, and in pixels where there are some.
    public func show(_ frame: PictureFrame, on terminal: PictureTerminal) {
        // The bytes are empty if encoding failed.
        let pixels = frame.pixels.flatMap { $0.bytes.isEmpty ? nil : $0 }
        show(
            ImageCells(frame.cells), pixels.map { Graphic($0, on: terminal) },
            at: pixels.map { Point(x: $0.place.column, y: $0.place.row) } ?? .zero)
    }
}
