/// A spinner that is visible while work is pending.
public final class ActivityIndicatorView: View {
    private static let frames = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".unicodeScalars).map { Grapheme($0) }
    private static let interval = Duration.milliseconds(100)

    /// The number of pending tasks.
    public private(set) var activityCount = 0

    private var phase = 0
    private var timer: ScheduledAction?

    public override init() { super.init() }

    /// Whether work is pending and the spinner is visible.
    public var isAnimating: Bool { activityCount > 0 }

    /// Adds a pending task; ends with ``stop()``.
    public func start() {
        activityCount += 1
        beginTurning()
        setNeedsDisplay()
    }

    /// Removes a pending task; hides the spinner after the last. Has no effect without one.
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

    /// It may be started before it is on screen, where the clock is available.
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
