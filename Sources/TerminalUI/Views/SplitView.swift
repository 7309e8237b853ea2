/// Two views side by side on a wide screen, else one of them.
public final class SplitView: View {
    /// The left view; stays if there is room for only one, unless ``prefersSecondary``.
    public let primary: View
    /// The right view, hidden if the width is less than ``minimumWidth``, unless ``prefersSecondary``.
    public let secondary: View

    /// The minimum width that shows both.
    public var minimumWidth: Int {
        didSet { if minimumWidth != oldValue { setNeedsLayout() } }
    }

    /// Which view stays if there is room for only one.
    public var prefersSecondary = false {
        didSet { if prefersSecondary != oldValue { setNeedsLayout() } }
    }

    /// The left view's share of the width.
    public var fraction: Double {
        didSet { if fraction != oldValue { setNeedsLayout() } }
    }

    public init(
        _ primary: View, _ secondary: View, minimumWidth: Int = 90, fraction: Double = 0.42
    ) {
        self.primary = primary
        self.secondary = secondary
        self.minimumWidth = minimumWidth
        self.fraction = fraction
        super.init()
        addSubview(primary)
        addSubview(secondary)
    }

    /// Whether the right view is visible.
    public var showsSecondary: Bool { isWide || prefersSecondary }

    private var isWide: Bool { bounds.width >= minimumWidth }

    /// Called when the right view has appeared or disappeared because the width has changed.
    public var didChangeVisibility: (@MainActor (Bool) -> Void)?

    public override func layoutSubviews() {
        let shows = showsSecondary
        if secondary.isHidden == shows {
            secondary.isHidden = !shows
            didChangeVisibility?(shows)
        }
        primary.isHidden = !isWide && prefersSecondary
        var area = bounds
        if isWide {
            primary.frame = area.takeLeft(Int(Double(bounds.width) * fraction))
            secondary.frame = area
        } else {
            primary.frame = area
            if prefersSecondary { secondary.frame = area }
        }
    }
}
