/// A centered picture, or a placeholder text.
public final class ImageView: View {
    /// The picture, drawn unscaled in cells; nil shows the placeholder.
    ///
    /// Setting it removes the pixels of another picture.
    public var image: ImageCells? {
        get { cells }
        set { show(newValue) }
    }

    private var cells: ImageCells?
    /// The same picture or a part of it in pixels, if the terminal shows them.
    public private(set) var graphic: Graphic?
    /// Its position in the cells of ``image``.
    private var graphicOrigin = Point.zero

    /// Shows a picture, with pixels over it.
    public func show(_ image: ImageCells?, _ graphic: Graphic? = nil, at origin: Point = .zero) {
        guard image != cells || graphic != self.graphic || origin != graphicOrigin else { return }
        cells = image
        self.graphic = graphic
        graphicOrigin = origin
        setNeedsDisplay()
    }

    /// Shown without a picture, wrapped between words.
    public var placeholder: TextLine = "" {
        didSet { if placeholder != oldValue { setNeedsDisplay() } }
    }

    /// A view of a picture, or of the placeholder until there is one.
    public init(_ image: ImageCells? = nil) {
        cells = image
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
            let origin = Point(
                x: max(0, (bounds.width - image.columnCount) / 2),
                y: max(0, (bounds.height - image.rowCount) / 2))
            surface.draw(image, at: origin)
            if let graphic { surface.place(graphic, at: origin + graphicOrigin) }
        } else {
            drawPlaceholder(on: surface)
        }
    }

    private func drawPlaceholder(on surface: Surface) {
        let all = placeholder.wrapped(columns: bounds.width)
        var lines = all.prefix(bounds.height)
        if all.count > lines.count, let last = lines.popLast() { lines.append(last + "…") }
        let top = max(0, (bounds.height - lines.count + 1) / 2)
        for (offset, line) in lines.enumerated() {
            surface.draw(
                line, in: Rect(x: 0, y: top + offset, width: bounds.width, height: 1),
                alignment: .center)
        }
    }
}
