/// A titled frame around a view; highlighted while the view has the focus.
public final class Panel: View {
    /// The title in the upper edge, at the left.
    public var title: TextLine {
        didSet { if title != oldValue { setNeedsDisplay() } }
    }

    /// A second title at the right of the upper edge, e.g. a count; omitted if there is no room.
    public var trailingTitle: TextLine? {
        didSet { if trailingTitle != oldValue { setNeedsDisplay() } }
    }

    /// Shorter variants of it, longest first: the first one that fits is shown.
    public var shorterTrailingTitles: [TextLine] = [] {
        didSet { if shorterTrailingTitles != oldValue { setNeedsDisplay() } }
    }

    /// A text in the lower edge, e.g. a position.
    public var footer: TextLine? {
        didSet { if footer != oldValue { setNeedsDisplay() } }
    }

    /// Empty columns between the frame and the content.
    public var padding = 0 {
        didSet { if padding != oldValue { setNeedsLayout() } }
    }

    /// Whether the frame is highlighted even without the focus.
    public var isHighlighted = false {
        didSet { if isHighlighted != oldValue { setNeedsDisplay() } }
    }

    /// The view inside the frame.
    public let content: View

    /// A frame around a view, which becomes its subview.
    ///
    /// - Parameter padding: Empty columns on either side of the content.
    public init(_ title: TextLine = "", content: View, padding: Int = 0) {
        self.title = title
        self.content = content
        self.padding = padding
        super.init()
        addSubview(content)
    }

    /// The size of the frame without its content.
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
