/// A picture in the middle of its place, or words while there is none.
public final class ImageView: View {
    /// The picture, drawn in cells as it is, never scaled; nil shows the placeholder.
    public var image: ImageCells? {
        didSet { if image != oldValue { setNeedsDisplay() } }
    }

    /// Shown while there is no picture.
    public var placeholder: TextLine = "" {
        didSet { if placeholder != oldValue { setNeedsDisplay() } }
    }

    /// A view of a picture, or of the placeholder until there is one.
    public init(_ image: ImageCells? = nil) {
        self.image = image
        super.init()
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        guard let image else { return .zero }
        return Size(
            width: min(available.width, image.columnCount),
            height: min(available.height, image.rowCount))
    }

    public override func draw(on surface: Surface) {
        if let image {
            surface.draw(
                image,
                at: Point(
                    x: max(0, (bounds.width - image.columnCount) / 2),
                    y: max(0, (bounds.height - image.rowCount) / 2)))
        } else {
            surface.draw(
                placeholder, in: Rect(x: 0, y: bounds.height / 2, width: bounds.width, height: 1),
                alignment: .center)
        }
    }
}
