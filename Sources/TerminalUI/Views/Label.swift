/// A read-only text, wrapped between words if it has more than one row.
public final class Label: View {
    /// The text. Long lines wrap between words, and line breaks begin a row.
    public var text: TextLine {
        didSet { if text != oldValue { setNeedsDisplay() } }
    }

    /// The alignment of each row.
    public var alignment: TextAlignment = .leading {
        didSet { if alignment != oldValue { setNeedsDisplay() } }
    }

    /// The first visible row of a text that does not fit.
    public var firstVisibleRow = 0 {
        didSet { if firstVisibleRow != oldValue { setNeedsDisplay() } }
    }

    public init(_ text: TextLine = "", alignment: TextAlignment = .leading) {
        self.text = text
        self.alignment = alignment
        super.init()
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        let lines = text.wrapped(columns: available.width)
        let width = lines.map(\.columnCount).max() ?? 0
        return Size(
            width: min(available.width, width), height: min(available.height, lines.count))
    }

    public override func draw(on surface: Surface) {
        let all = text.wrapped(columns: bounds.width)
        let lines = all.dropFirst(max(0, min(firstVisibleRow, all.count - bounds.height)))
        for (index, line) in lines.prefix(bounds.height).enumerated() {
            var line = line
            if index == bounds.height - 1, lines.count > bounds.height {
                line = line + TextLine("…")
            }
            surface.draw(
                line, in: Rect(x: 0, y: index, width: bounds.width, height: 1),
                alignment: alignment)
        }
    }
}
