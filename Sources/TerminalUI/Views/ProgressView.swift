/// A bar that fills from left to right, in steps of an eighth of a cell.
public final class ProgressView: View {
    /// From 0 to 1; nil for an empty bar.
    public var fraction: Double? {
        didSet {
            guard fraction != oldValue else { return }
            let width = bounds.width
            if Self.eighths(of: fraction, in: width) != Self.eighths(of: oldValue, in: width)
                || fraction.map(Self.percent) != oldValue.map(Self.percent)
            {
                setNeedsDisplay()
            }
        }
    }

    /// Whether the percentage is shown after the bar.
    public var showsPercentage: Bool

    public init(showsPercentage: Bool = true) {
        self.showsPercentage = showsPercentage
        super.init()
    }

    private static let blocks: [Grapheme] = [
        Grapheme(" "), Grapheme("▏"), Grapheme("▎"), Grapheme("▍"), Grapheme("▌"), Grapheme("▋"),
        Grapheme("▊"), Grapheme("▉"), Grapheme("█"),
    ]

    /// The filled part in eighths of a cell.
    ///
    /// Only a completed bar is full, and one that has begun is not empty.
    static func eighths(of fraction: Double?, in columns: Int) -> Int {
        guard let fraction, fraction > 0, columns > 0 else { return 0 }
        if fraction >= 1 { return columns * 8 }
        return min(columns * 8 - 1, max(1, Int(fraction * Double(columns * 8))))
    }

    /// Whole percent, rounded down: 100 only on completion.
    public static func percent(_ fraction: Double) -> Int {
        guard fraction > 0 else { return 0 }
        return fraction >= 1 ? 100 : min(99, Int(fraction * 100))
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        Size(width: available.width, height: min(1, available.height))
    }

    public override func draw(on surface: Surface) {
        var columns = bounds.width
        if showsPercentage, columns >= 12 {
            columns -= 5
            let text = fraction.map { "\(Self.percent($0))%" } ?? ""
            surface.draw(
                TextLine(text, .secondary), in: Rect(x: columns, y: 0, width: 5, height: 1),
                alignment: .trailing)
        }
        let eighths = Self.eighths(of: fraction, in: columns)
        let filled = surface.theme[.progress]
        let track = surface.theme[.progressTrack]
        for x in 0..<max(0, columns) {
            let part = min(8, max(0, eighths - x * 8))
            let cell =
                part > 0
                ? Cell(Self.blocks[part], style: filled) : Cell(Grapheme("─"), style: track)
            surface.put(cell, at: Point(x: x, y: 0))
        }
    }
}
