/// A frame with a title around one view; it lights up while what is inside has the keys.
public final class Panel: View {
    /// Words in the upper edge, at the left.
    public var title: TextLine {
        didSet { if title != oldValue { setNeedsDisplay() } }
    }

    /// Words at the right of the upper edge, e.g. a count; left out where there is no room.
    public var trailingTitle: TextLine? {
        didSet { if trailingTitle != oldValue { setNeedsDisplay() } }
    }

    /// The same in fewer words, the longer ones first: the first that has room is shown.
    public var shorterTrailingTitles: [TextLine] = [] {
        didSet { if shorterTrailingTitles != oldValue { setNeedsDisplay() } }
    }

    /// Words in the lower edge, e.g. a place in the text.
    public var footer: TextLine? {
        didSet { if footer != oldValue { setNeedsDisplay() } }
    }

    /// Columns of air between the frame and the content.
    public var padding = 0 {
        didSet { if padding != oldValue { setNeedsLayout() } }
    }

    /// Whether the frame looks focused though the keys are elsewhere.
    public var isHighlighted = false {
        didSet { if isHighlighted != oldValue { setNeedsDisplay() } }
    }

    /// The view inside the frame, as large as the frame leaves room for.
    public let content: View

    /// A frame around a view, which becomes its subview.
    ///
    /// - Parameter padding: Columns left empty on either side of the content.
    public init(_ title: TextLine = "", content: View, padding: Int = 0) {
        self.title = title
        self.content = content
        self.padding = padding
        super.init()
        addSubview(content)
    }

    /// The size that the frame adds to its content's.
    public var overhead: Size { Size(width: 2 + 2 * padding, height: 2) }

    public override var keyTableSignature: Int? { 0 }

    public override func layoutSubviews() {
        content.frame = bounds.inset(dx: 1 + padding, dy: 1)
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        let inner = content.sizeThatFits(
            Size(
                width: max(0, available.width - overhead.width),
                height: max(0, available.height - overhead.height)))
        return Size(width: inner.width + overhead.width, height: inner.height + overhead.height)
    }

    public override func draw(on surface: Surface) {
        let isFocused = isHighlighted || containsFirstResponder
        let theme = surface.theme
        surface.drawBorder(
            bounds, style: theme[isFocused ? .focusedBorder : .border],
            title: isFocused ? title.replacing(.text, by: .heading) : title,
            trailing: shownTrailingTitle, footer: footer)
    }

    private var shownTrailingTitle: TextLine? {
        ([trailingTitle].compactMap(\.self) + shorterTrailingTitles).first {
            Surface.hasRoom(for: $0, beside: title, inBorderOf: bounds.width)
        }
    }
}
