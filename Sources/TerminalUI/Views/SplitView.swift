/// Two views side by side where the screen is wide, one of them alone where it is not.
public final class SplitView: View {
    /// The view on the left, which stays when there is no room for two, unless ``prefersSecondary``.
    public let primary: View
    /// The view on the right, hidden where the width is less than ``minimumWidth``, unless ``prefersSecondary``.
    public let secondary: View

    /// The least width that shows both.
    public var minimumWidth: Int {
        didSet { if minimumWidth != oldValue { setNeedsLayout() } }
    }

    /// Which view stays where there is room for one alone.
    public var prefersSecondary = false {
        didSet { if prefersSecondary != oldValue { setNeedsLayout() } }
    }

    /// The first view's part of the width.
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

    /// Whether there is room for the second view.
    public var showsSecondary: Bool { isWide || prefersSecondary }

    private var isWide: Bool { bounds.width >= minimumWidth }

    /// Called when the second view has come or gone because the width has changed.
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
