/// Runs one screenful, or a part of one: it owns a view, gives keys their meaning and moves on to
/// other controllers.
///
/// Override ``viewDidLoad()`` to build the view, ``keyTable`` to say what the keys do, and the
/// `view…Appear` methods to begin and end what only makes sense on the screen.
@MainActor
open class ViewController: Responder {
    /// What the tab, the box's border or the list of contexts calls it.
    open var title = "" {
        didSet { if title != oldValue { application?.setNeedsDisplay() } }
    }

    /// The controller that has taken this one in as a child; nil for the root and presented ones.
    public private(set) final weak var parent: ViewController?
    /// The controllers taken in with ``addChild(_:)``, in that order.
    public private(set) final var children: [ViewController] = []

    /// Where the controller stands when it was presented; nil otherwise.
    final weak var presentation: PresentationView?

    /// Whether the view is shown: true in ``viewDidAppear()``, false in ``viewDidDisappear()``.
    public private(set) final var isOnScreen = false

    private var loadedView: View?

    public override init() { super.init() }

    // MARK: - View

    /// The controller's view, made when it is first asked for.
    public final var view: View {
        if let loadedView { return loadedView }
        let view = makeView()
        loadedView = view
        view.viewController = self
        viewDidLoad()
        return view
    }

    /// Whether ``view`` was asked for, and so made, yet; asking here does not make it.
    public final var isViewLoaded: Bool { loadedView != nil }

    /// Makes the root view; a plain one unless overridden.
    open func makeView() -> View { ContentView() }

    /// Called once, after the view was made: add subviews here.
    open func viewDidLoad() {}

    /// Places the view's subviews, when the root view is a plain one.
    open func layoutView(in bounds: Rect) {}

    /// Called each time before the view comes onto the screen.
    open func viewWillAppear() {}

    /// Called each time after the view has come onto the screen.
    open func viewDidAppear() {}

    /// Called each time after the view has left the screen.
    open func viewDidDisappear() {}

    // MARK: - Responder

    open override var next: Responder? {
        loadedView?.superview ?? parent
    }

    /// The view that takes the keys when the controller comes onto the screen; the first that can,
    /// unless overridden.
    open var preferredFirstResponder: View? {
        focusableViews.first
    }

    /// The views that Tab visits, in reading order.
    public final var focusableViews: [View] {
        Self.focusable(in: view)
    }

    private static func focusable(in view: View) -> [View] {
        guard !view.isHidden else { return [] }
        if view.canBecomeFirstResponder { return [view] }
        return view.subviews.flatMap(focusable)
    }

    /// Gives the keys to the next view that can take them, after the last to the first.
    public final func focusNext() { moveFocus(by: 1) }

    /// Gives the keys to the previous view that can take them, before the first to the last.
    public final func focusPrevious() { moveFocus(by: -1) }

    private func moveFocus(by step: Int) {
        let views = focusableViews
        guard !views.isEmpty else { return }
        let current = views.firstIndex { $0.containsFirstResponder }
        let index = current.map { ($0 + step + views.count) % views.count } ?? 0
        views[index].becomeFirstResponder()
    }

    // MARK: - Children

    /// Takes a controller in. Its view is added by the caller, who knows where it belongs.
    public final func addChild(_ child: ViewController) {
        child.parent = self
        children.append(child)
    }

    /// Lets a controller go and takes its view off the screen.
    public final func removeChild(_ child: ViewController) {
        guard let index = children.firstIndex(where: { $0 === child }) else { return }
        children.remove(at: index)
        child.parent = nil
        child.setOnScreen(false)
        if child.isViewLoaded { child.view.removeFromSuperview() }
    }

    /// The children whose views are shown when this controller's is; all unless overridden.
    open var visibleChildren: [ViewController] { children }

    /// Tells this controller and those inside that they came onto the screen or left it.
    final func setOnScreen(_ isOnScreen: Bool) {
        guard self.isOnScreen != isOnScreen else { return }
        if isOnScreen {
            _ = view
            viewWillAppear()
            self.isOnScreen = true
            for child in visibleChildren { child.setOnScreen(true) }
            viewDidAppear()
        } else {
            for child in children { child.setOnScreen(false) }
            self.isOnScreen = false
            viewDidDisappear()
        }
    }

    /// Shows one child instead of another in a view of this controller; for containers such as tab
    /// bars.
    public final func transition(
        from old: ViewController?, to new: ViewController, in container: View
    ) {
        guard old !== new else { return }
        if let old {
            old.setOnScreen(false)
            if old.isViewLoaded { old.view.removeFromSuperview() }
        }
        container.addSubview(new.view)
        if isOnScreen { new.setOnScreen(true) }
    }

    // MARK: - Presentation

    /// How the controller is shown when it is presented.
    open var presentationStyle: PresentationStyle { .box }

    /// A row of the screen that a box of this controller leaves uncovered where it can; nil for none.
    open var screenRowInSight: Int? { nil }

    /// Where it stands when its style is ``PresentationStyle/pane``; the whole of `bounds` unless overridden.
    ///
    /// - Parameter bounds: The screen but the footer, from (0, 0).
    open func paneFrame(in bounds: Rect) -> Rect { bounds }

    /// Has it placed again, when the size or the frame it wants has changed.
    public final func setNeedsPresentationLayout() { presentation?.setNeedsLayout() }

    /// The size that the inside of its box should have, at most `available`.
    open func preferredSize(in available: Size) -> Size {
        Size(width: min(60, available.width), height: min(16, available.height))
    }

    /// Shows another controller on top of everything; the keys go there until it is dismissed.
    public final func present(_ controller: ViewController) {
        guard let application else { return }
        application.present(controller)
    }

    /// Takes this controller, and all presented after it, off the screen again. Does nothing when
    /// it was not presented.
    ///
    /// - Parameter completion: Called when the controllers beneath have the keys again.
    public final func dismiss(completion: (@MainActor () -> Void)? = nil) {
        guard let application, let presentation else {
            parent?.dismiss(completion: completion)
            return
        }
        application.dismiss(presentation)
        completion?()
    }
}

/// How a presented controller lies over the others.
public enum PresentationStyle: Hashable, Sendable {
    /// In a framed box in the middle of the screen.
    case box
    /// Over the whole screen but the footer.
    case fullScreen
    /// Over a part of the screen; what is beside it stays in sight, and gets no keys.
    case pane
}

/// A root view that leaves the placing of its subviews to its controller.
final class ContentView: View {
    override var keyTableSignature: Int? { 0 }

    override func layoutSubviews() {
        viewController?.layoutView(in: bounds)
    }
}
