/// A small wheel that turns while something is in flight, and is not there at rest.
public final class ActivityIndicatorView: View {
    private static let frames = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".unicodeScalars).map { Grapheme($0) }
    private static let interval = Duration.milliseconds(100)

    /// How many things are in flight.
    public private(set) var activityCount = 0

    private var phase = 0
    private var timer: ScheduledAction?

    public override init() { super.init() }

    /// Whether something is in flight, so that the wheel is shown and turns.
    public var isAnimating: Bool { activityCount > 0 }

    /// One thing more is in flight; ends with ``stop()``.
    public func start() {
        activityCount += 1
        beginTurning()
        setNeedsDisplay()
    }

    /// One thing less is in flight; the wheel disappears with the last. Nothing happens without
    /// one.
    public func stop() {
        guard activityCount > 0 else { return }
        activityCount -= 1
        if activityCount == 0 {
            timer?.cancel()
            timer = nil
            setNeedsDisplay()
        }
    }

    public override func sizeThatFits(_ available: Size) -> Size {
        Size(width: min(1, available.width), height: min(1, available.height))
    }

    public override func draw(on surface: Surface) {
        guard isAnimating else { return }
        guard !surface.theme.isPlain else {
            return surface.put(Cell("*", style: surface.theme[.accent]), at: .zero)
        }
        beginTurning()
        surface.put(
            Cell(Self.frames[phase % Self.frames.count], style: surface.theme[.accent]), at: .zero)
    }

    /// The view may be told before it has come onto the screen, where there is a clock.
    private func beginTurning() {
        guard isAnimating, timer == nil, let application, !application.configuration.isPlain else {
            return
        }
        let scheduler = application.scheduler
        timer = scheduler.schedule(after: Self.interval, repeats: true) { [weak self] in
            guard let self else { return }
            phase += 1
            setNeedsDisplay()
        }
    }
}
